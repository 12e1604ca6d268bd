// Tiles of a warp that exchange by shared memory, reduce and scan, and groups by label. The fault: the tile does not
// synchronize.
// VARIANT: -D FAULT
// FINDS: warp-level @WRITE @READ
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
namespace cg = cooperative_groups;
constexpr int B = 128, W = 8;
__global__ void rows(const int* in, int* sums, int* reversed, int n) {
  __shared__ int rows[B / W][W];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<W>(block);
  for (int row = blockIdx.x * (B / W) + tile.meta_group_rank(); row < n; row += gridDim.x * (B / W)) {
    const int v = in[row * W + tile.thread_rank()];
    rows[tile.meta_group_rank()][tile.thread_rank()] = v;  // @WRITE
#ifndef FAULT
    tile.sync();
#endif
    const int other = rows[tile.meta_group_rank()][W - 1 - tile.thread_rank()];  // @READ
    reversed[row * W + tile.thread_rank()] = other + tile.shfl_down(v, 1);
    const int sum = cg::reduce(tile, v, cg::plus<int>());
    const int before = cg::exclusive_scan(tile, v, cg::plus<int>());
    if (tile.thread_rank() == W - 1) sums[row] = sum - (before + v);
    tile.sync();
  }
}
__global__ void by_label(const int* in, int* counts, int n) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int i = blockIdx.x * B + threadIdx.x;
  if (i >= n) return;
  const auto active = cg::coalesced_threads();
  const auto same = cg::labeled_partition(active, in[i] % 5);
  if (same.thread_rank() == 0) atomicAdd(&counts[in[i] % 5], (int)same.size());
  const auto odd = cg::binary_partition(active, in[i] % 2 == 1);
  const int least = cg::reduce(odd, in[i], cg::less<int>());
  if (odd.thread_rank() == 0) atomicMin(&counts[5 + in[i] % 2], least);
}
int main() {
  const int n = 100;
  int *in, *sums, *reversed, *counts, host[n * W];
  cudaMalloc(&in, n * W * 4), cudaMalloc(&sums, n * 4), cudaMalloc(&reversed, n * W * 4), cudaMalloc(&counts, 7 * 4);
  for (int i = 0; i < n * W; ++i) host[i] = i * 13 % 97;
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(counts, 0, 7 * 4);
  rows<<<3, B>>>(in, sums, reversed, n);
  by_label<<<(n * W + B - 1) / B, B>>>(in, counts, n * W - 3);
  cudaMemcpy(host, sums, n * 4, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) if (host[i] != 0) return printf("row %d: %d\n", i, host[i]), 1;
  cudaFree(in), cudaFree(sums), cudaFree(reversed), cudaFree(counts);
  puts("ok");
}
