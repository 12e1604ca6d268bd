// The arrival of asynchronous copies that its phase counts itself, at no multiple of 8: as an H200 stops it.
// EXPECT-STDOUT: cudaErrorMisalignedAddress 716
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: misaligned shared write of 8 bytes
// EXPECT-ERROR: copies_arrive_misaligned\.cu:@ARRIVE\b
#include "fault.h"

__global__ void arrive() {
  __shared__ unsigned long long barriers[2];
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(barriers));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at + 4) : "memory");  // @ARRIVE
}

int main() {
  arrive<<<1, 1>>>();
  expect_sticky(cudaErrorMisalignedAddress);
  return finish();
}
