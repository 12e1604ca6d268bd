// Copies of many bytes as the CUDA guide writes them: by cuda::barrier with cuda::device, and by cuda::ptx.
// RUN: --device h100
#include <cuda.h>

#include <cuda/barrier>
#include <cuda/ptx>

#include "check.h"

namespace {

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;

constexpr int N = 256, kWidth = 32, kHeight = 8;

__global__ void add_one(int* data, int offset) {
  __shared__ alignas(16) int tile[N];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(tile, data + offset, cuda::aligned_size_t<16>(sizeof tile), barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(token);
  for (int i = threadIdx.x; i < N; i += blockDim.x) tile[i] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, data + offset, tile, sizeof tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}

__global__ void double_tile(const __grid_constant__ CUtensorMap map, int x, int y) {
  __shared__ alignas(128) int tile[kHeight][kWidth];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x), cde::fence_proxy_async_shared_cta();
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(token);
  for (int i = threadIdx.x; i < kWidth * kHeight; i += blockDim.x) tile[i / kWidth][i % kWidth] *= 2;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &tile);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}

__global__ void by_parity(int* out, const int* in) {
  __shared__ alignas(16) int tile[N];
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  if (threadIdx.x < 32 && ptx::elect_sync(~0u)) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof tile);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &barrier);
  }
  while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
  }
  out[threadIdx.x] = tile[N - 1 - threadIdx.x];
}

}  // namespace

int main() {
  std::vector<int> in(1024), want(1024);
  for (int i = 0; i < 1024; ++i) in[i] = want[i] = 7 * i;
  Buffer<int> data(in), out(N);
  add_one<<<1, 64>>>(data, 512);
  CK_LAUNCH();
  for (int i = 512; i < 512 + N; ++i) ++want[i];
  expect_same("add_one", data.get(), want);
  CUtensorMap map;
  const cuuint64_t dims[] = {64, 16}, strides[] = {256};
  const cuuint32_t box[] = {kWidth, kHeight}, steps[] = {1, 1};
  EXPECT(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data.data(), dims, strides, box, steps,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  double_tile<<<1, 64>>>(map, 32, 8);
  CK_LAUNCH();
  for (int y = 8; y < 16; ++y)
    for (int x = 32; x < 64; ++x) want[y * 64 + x] *= 2;
  expect_same("tile", data.get(), want);
  by_parity<<<1, N>>>(out, data);
  CK_LAUNCH();
  std::vector<int> reversed(N);
  for (int i = 0; i < N; ++i) reversed[i] = want[N - 1 - i];
  expect_same("by_parity", out.get(), reversed);
  return finish();
}
