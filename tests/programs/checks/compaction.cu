// Stream compaction, aggregated by warps and by blocks. The fault: the block sums counts that warps have not stored.
// VARIANT: -D FAULT
// FINDS: write-write @COUNT @TURNED
// FINDS: same-value @COUNT @TURNED
// FINDS: uninitialized @SUMMED @ADDED
// FINDS: write-write @KEPT @KEPT
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
constexpr int N = 4096, B = 256;
__device__ unsigned aggregated(unsigned* counter) {
  const unsigned active = __activemask();
  const int lane = threadIdx.x % 32, leader = __ffs(active) - 1;
  unsigned base = 0;
  if (lane == leader) base = atomicAdd(counter, __popc(active));
  base = __shfl_sync(active, base, leader);
  return base + __popc(active & ((1u << lane) - 1));
}
__device__ unsigned aggregated_cg(unsigned* counter) {
  const auto g = cg::coalesced_threads();
  unsigned base = 0;
  if (g.thread_rank() == 0) base = atomicAdd(counter, g.size());
  return g.shfl(base, 0) + g.thread_rank();
}
template <bool Groups>
__global__ void by_warp(const int* in, int* out, unsigned* count) {
  const int i = blockIdx.x * B + threadIdx.x;
  const int v = in[i];
  if (v % 3 == 0) out[Groups ? aggregated_cg(count) : aggregated(count)] = v;
}
// By the block: counts of warps in shared memory, then places.
__global__ void by_block(const int* in, int* out, unsigned* count) {
  __shared__ unsigned counts[B / 32], base;
  const int i = blockIdx.x * B + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int v = in[i];
  const bool keep = v % 3 == 0;
  const unsigned ballot = __ballot_sync(~0u, keep);
  if (lane == 0) counts[warp] = __popc(ballot);  // @COUNT
#ifndef FAULT
  __syncthreads();
#endif
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (unsigned& c : counts) {
      const unsigned n = c;  // @SUMMED
      c = sum, sum += n;  // @TURNED
    }
    base = atomicAdd(count, sum);  // @ADDED
  }
  __syncthreads();
  if (keep) out[base + counts[warp] + __popc(ballot & ((1u << lane) - 1))] = v;  // @KEPT
}
int main() {
  static int host[N];
  int *in, *out;
  unsigned *count, n = 0;
  cudaMalloc(&in, N * 4), cudaMalloc(&out, N * 4), cudaMalloc(&count, 4);
  int wanted = 0;
  for (int i = 0; i < N; ++i) host[i] = i * 7 % 1000, wanted += host[i] % 3 == 0;
  cudaMemcpy(in, host, N * 4, cudaMemcpyHostToDevice);
  for (int kind = 0; kind < 3; ++kind) {
    cudaMemset(count, 0, 4);
    if (kind == 0) by_warp<false><<<N / B, B>>>(in, out, count);
    if (kind == 1) by_warp<true><<<N / B, B>>>(in, out, count);
    if (kind == 2) by_block<<<N / B, B>>>(in, out, count);
    cudaMemcpy(&n, count, 4, cudaMemcpyDeviceToHost);
#ifndef FAULT
    if (n != wanted) return printf("%u of %d\n", n, wanted), 1;
#endif
    cudaMemcpy(host, out, n * 4, cudaMemcpyDeviceToHost);
  }
  cudaFree(in), cudaFree(out), cudaFree(count);
  puts("ok");
}
