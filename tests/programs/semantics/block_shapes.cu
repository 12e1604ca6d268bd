// Blocks and grids of every shape: how threads are numbered, and warps that are only partly filled.
#include "check.h"

struct Where {
  unsigned linear, lane, warp, active;
  uint3 thread, block;
};

__global__ void locate(Where* out) {
  unsigned linear = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  Where w;
  w.linear = linear;
  asm("mov.u32 %0, %%laneid;" : "=r"(w.lane));
  asm("mov.u32 %0, %%warpid;" : "=r"(w.warp));
  w.active = __activemask();
  w.thread = threadIdx;
  w.block = blockIdx;
  out[block * (blockDim.x * blockDim.y * blockDim.z) + linear] = w;
}

// Warps cut across rows and planes: a shuffle shows which threads are neighbours.
__global__ void neighbour(int* out) {
  int linear = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int n = blockDim.x * blockDim.y * blockDim.z, warp = linear / 32;
  unsigned mask = n - warp * 32 >= 32 ? 0xffffffffu : (1u << (n - warp * 32)) - 1;
  int beside = __shfl_down_sync(mask, static_cast<int>(threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z), 1);
  out[linear] = linear == n - 1 ? -1 : beside;  // the last thread has no neighbour
}

__global__ void block_sum(int* out, const int* in) {
  __shared__ int sum;
  int n = blockDim.x * blockDim.y * blockDim.z;
  int linear = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  if (linear == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[block * n + linear]);
  __syncthreads();
  if (linear == n - 1) out[block] = sum;
}

void test(dim3 grid, dim3 block) {
  const unsigned threads = block.x * block.y * block.z, blocks = grid.x * grid.y * grid.z;
  Buffer<Where> out(threads * blocks);
  locate<<<grid, block>>>(out);
  CK_LAUNCH();
  std::vector<Where> want;
  for (unsigned bz = 0; bz < grid.z; ++bz)
    for (unsigned by = 0; by < grid.y; ++by)
      for (unsigned bx = 0; bx < grid.x; ++bx)
        for (unsigned i = 0; i < threads; ++i) {
          const unsigned in_warp = threads - i / 32 * 32 >= 32 ? 32 : threads % 32;
          want.push_back({i, i % 32, i / 32, in_warp == 32 ? ~0u : (1u << in_warp) - 1,
                          make_uint3(i % block.x, i / block.x % block.y, i / block.x / block.y), make_uint3(bx, by, bz)});
        }
  expect_same("locate", out.get(), want);

  if (threads > 1) {
    Buffer<int> next(threads);
    neighbour<<<1, block>>>(next);
    CK_LAUNCH();
    std::vector<int> beside(threads);
    for (unsigned i = 0; i < threads; ++i) {
      unsigned k = i % 32 == 31 ? i : i + 1;
      beside[i] = i + 1 == threads ? -1 : k % block.x + 100 * (k / block.x % block.y) + 10000 * (k / block.x / block.y);
    }
    expect_same("neighbour", next.get(), beside);
  }

  std::vector<int> in(threads * blocks), sums(blocks, 0);
  for (unsigned i = 0; i < in.size(); ++i) sums[i / threads] += in[i] = i * 13 % 71;
  Buffer<int> device_in(in), device_sums(blocks);
  block_sum<<<grid, block>>>(device_sums, device_in);
  CK_LAUNCH();
  expect_same("block_sum", device_sums.get(), sums);
}

int main() {
  test(1, 1);
  test(3, 5);
  test(2, 31);
  test(2, 33);
  test(1, 1024);
  test(dim3(2, 3), dim3(7, 5, 3));
  test(dim3(1, 2, 3), dim3(3, 11, 2));
  test(dim3(5, 1, 2), dim3(1, 1, 64));
  test(dim3(2, 2, 2), dim3(1, 100));
  test(dim3(4, 4), dim3(16, 16));
  test(dim3(1, 65535), 1);
  test(100000, 1);
  return finish();
}
