// In a launch without clusters an H200 takes an arrival at another block's barrier object for an instruction that it
// cannot run.
// RUN: --device h200
// EXPECT-STDOUT: cudaErrorIllegalInstruction 715
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: in the shared memory of block 1 of the cluster, which has 1 block
// EXPECT-ERROR: arrive_without_clusters\.cu:@ARRIVE\b
#include "fault.h"

__global__ void arrive() {
  __shared__ unsigned long long barrier;
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  unsigned there;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(there) : "r"(at));
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");  // @ARRIVE
}

int main() {
  arrive<<<1, 1>>>();
  expect_sticky(cudaErrorIllegalInstruction);
  return finish();
}
