// More arrivals at once than a barrier object waits for stop the launch, as an H200 stops it.
// EXPECT-STDOUT: cudaErrorLaunchFailure 719
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: 2 arrivals at a barrier object at offset 0x0 of shared memory, whose phase waits for 1 more
// EXPECT-ERROR: arrivals_overflow\.cu:@ARRIVE\b
#include "fault.h"

__global__ void arrive() {
  __shared__ unsigned long long object;
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(&object));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 2;" ::"r"(at) : "memory");  // @ARRIVE
}

int main() {
  arrive<<<1, 1>>>();
  expect_sticky(cudaErrorLaunchFailure);
  return finish();
}
