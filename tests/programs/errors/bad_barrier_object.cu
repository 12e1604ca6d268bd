// A barrier object that nothing has initialized stops the launch, if the user asks for that.
// RUN: --strict
// EXPECT-STDOUT: cudaErrorIllegalInstruction 715
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: an arrival at a barrier object at offset 0x0 of shared memory that has not been initialized
// EXPECT-ERROR: bad_barrier_object\.cu:@ARRIVE\b
#include "fault.h"

__global__ void arrive() {
  __shared__ unsigned long long object;
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(&object));
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");  // @ARRIVE
}

int main() {
  arrive<<<1, 1>>>();
  expect_sticky(cudaErrorIllegalInstruction);
  return finish();
}
