// An arrival where nothing has initialized a barrier object stops the launch, as an H200 stops it.
// EXPECT-STDOUT: cudaErrorLaunchFailure 719
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: an arrival at a barrier object at offset 0x0 of shared memory that has not been initialized
// EXPECT-ERROR: bad_barrier_object\.cu:@ARRIVE\b
#include "fault.h"

__global__ void arrive() {
  __shared__ volatile unsigned long long object;
  object = 0;
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared((const void*)&object));
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");  // @ARRIVE
}

int main() {
  arrive<<<1, 1>>>();
  expect_sticky(cudaErrorLaunchFailure);
  return finish();
}
