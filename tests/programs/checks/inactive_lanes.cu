// Shuffles from lanes that take no part: what they give is undefined, and a finding where it is used. What a
// reduction's upper lanes get is of no use to the lowest.
// TOOLS: initcheck
// FINDS: inactive-lane @OUTSIDE @STORED
// FINDS: inactive-lane @BEYOND @SUM
// FINDS: inactive-lane @SHORT @SHORT_SUM
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

// Lanes 0 to 15 read 16 to 31.
__global__ void outside(int* out) {
  int v = threadIdx.x;
  if (threadIdx.x < 16) {
    v = __shfl_sync(0xffff, v, threadIdx.x + 16);  // @OUTSIDE
    out[threadIdx.x] = v;                          // @STORED
  }
}
// The lanes behind the end of the array have ended.
__global__ void guarded(const int* in, int* out, int n) {
  if (threadIdx.x >= n) return;
  int v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);  // @BEYOND
  if (threadIdx.x == 0) *out = v;                                    // @SUM
}
// A block of 40 threads.
__global__ void short_warp(const int* in, int* out) {
  int v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);  // @SHORT
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;             // @SHORT_SUM
}

// Nothing to be found.
__global__ void half_warp(const int* in, int* out) {
  if (threadIdx.x >= 16) return;
  int v = in[threadIdx.x];
  for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0xffff, v, d);  // lanes 8 to 15 read 16 to 23, for nobody
  if (threadIdx.x == 0) *out = v;
}
__global__ void chosen(const int* in, int* out, int n) {
  if (threadIdx.x >= n) return;
  const unsigned mask = (1u << n) - 1;
  int v = in[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) {
    const int other = __shfl_down_sync(mask, v, d);
    if (threadIdx.x + d < n) v += other;
  }
  if (threadIdx.x == 0) *out = v;
}
__global__ void groups(const int* in, int* out, int n) {
  namespace cg = cooperative_groups;
  if (threadIdx.x < n) {
    const auto some = cg::coalesced_threads();
    const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    int v = some.shfl(in[threadIdx.x], 0) + tile.shfl_down(in[threadIdx.x], 0);
    v += cg::reduce(some, v, cg::plus<int>());
    out[threadIdx.x] = v;
  }
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int));
  outside<<<1, 32>>>(out);
  guarded<<<1, 32>>>(in, out, 20);
  short_warp<<<1, 40>>>(in, out);
  half_warp<<<1, 32>>>(in, out);
  chosen<<<1, 32>>>(in, out, 20);
  groups<<<1, 32>>>(in, out, 20);
  return cudaDeviceSynchronize() != cudaSuccess;
}
