// What is no tensor map stops the launch, as on an H200.
// RUN: --device h100
// EXPECT-STDOUT: cudaErrorIllegalInstruction 715
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: a copy by a tensor map that cuTensorMapEncodeTiled has not made
// EXPECT-ERROR: bad_tensor_map\.cu:@COPY\b
#include "fault.h"

__global__ void copy(const char* map) {
  __shared__ __align__(128) char to[1024];
  __shared__ unsigned long long barrier;
  const auto address = [](void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); };
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&barrier)) : "memory");
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {0, 0}], [%2];" ::"r"(address(to)), "l"(map), "r"(address(&barrier)) : "memory");  // @COPY
}

int main() {
  char* map = nullptr;
  CK(cudaMalloc(&map, 128));
  CK(cudaMemset(map, 0, 128));
  copy<<<1, 1>>>(map);
  expect_sticky(cudaErrorIllegalInstruction);
  return finish();
}
