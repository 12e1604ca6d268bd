// A copy from shared memory to that of a block that the cluster does not have, as an H200 stops it.
// RUN: --device h200
// EXPECT-STDOUT: cudaErrorLaunchFailure 719
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: a copy to block 1 of a cluster of 1 block
// EXPECT-ERROR: copy_beyond_cluster\.cu:@COPY\b
#include "fault.h"

__global__ void __cluster_dims__(1, 1, 1) copy() {
  __shared__ __align__(128) char from[256], to[256];
  __shared__ unsigned long long barrier;
  const auto address = [](void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); };
  unsigned there;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&barrier)) : "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(there) : "r"(address(to)));
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];" ::"r"(there), "r"(address(from)), "r"(address(&barrier)) : "memory");  // @COPY
}

int main() {
  copy<<<1, 1>>>();
  expect_sticky(cudaErrorLaunchFailure);
  return finish();
}
