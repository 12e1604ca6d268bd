// In a launch without clusters an H200 takes a copy from shared memory to shared memory for an instruction that it
// cannot run.
// RUN: --device h200
// EXPECT-STDOUT: cudaErrorIllegalInstruction 715
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: a copy from shared memory to shared memory in a launch without clusters
// EXPECT-ERROR: copy_without_clusters\.cu:@COPY\b
#include "fault.h"

__global__ void copy() {
  __shared__ __align__(128) char from[256], to[256];
  __shared__ unsigned long long barrier;
  const auto address = [](void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); };
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&barrier)) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];" ::"r"(address(to)), "r"(address(from)), "r"(address(&barrier)) : "memory");  // @COPY
}

int main() {
  copy<<<1, 1>>>();
  expect_sticky(cudaErrorIllegalInstruction);
  return finish();
}
