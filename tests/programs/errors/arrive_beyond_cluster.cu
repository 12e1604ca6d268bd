// An arrival at the barrier object of a block that the cluster does not have, as an H200 stops it.
// RUN: --device h200
// EXPECT-STDOUT: cudaErrorLaunchFailure 719
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: in the shared memory of block 1 of the cluster, which has 1 block
// EXPECT-ERROR: arrive_beyond_cluster\.cu:@ARRIVE\b
#include "fault.h"

__global__ void __cluster_dims__(1, 1, 1) arrive() {
  __shared__ unsigned long long barrier;
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  unsigned there;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(there) : "r"(at));
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");  // @ARRIVE
}

int main() {
  arrive<<<1, 1>>>();
  expect_sticky(cudaErrorLaunchFailure);
  return finish();
}
