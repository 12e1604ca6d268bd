// A box of a tensor must begin at a multiple of 16 bytes of its row: an H100 takes the copy for an instruction that it cannot run.
// RUN: --device h100
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: a box that begins 10 bytes into its row: that must be a multiple of 16
// EXPECT-ERROR: tensor_box\.cu:@COPY\b
#include <cuda.h>

#include "fault.h"

__global__ void copy(const __grid_constant__ CUtensorMap map) {
  __shared__ __align__(128) char to[1024];
  __shared__ unsigned long long barrier;
  const auto address = [](void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); };
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&barrier)) : "memory");
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {5, 0}], [%2];" ::"r"(address(to)), "l"(&map), "r"(address(&barrier)) : "memory");  // @COPY
}

int main() {
  void* tensor = nullptr;
  CK(cudaMalloc(&tensor, 65536));
  CUtensorMap map;
  const cuuint64_t dims[] = {64, 64}, strides[] = {128};
  const cuuint32_t box[] = {32, 16}, steps[] = {1, 1};
  EXPECT(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, tensor, dims, strides, box, steps,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  copy<<<1, 1>>>(map);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalInstruction);
  return finish();
}
