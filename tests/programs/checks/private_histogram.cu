// Histograms in shared memory, added up in global memory, and scanned by the last block, whose threads all fence. The fault: no
// barrier behind their clearing.
// VARIANT: -D FAULT
// FINDS: write-write @CLEAR @COUNT
// FINDS: warp-level @CLEAR @COUNT
// FINDS: uninitialized @COUNT @COUNT
#include <cstdio>
constexpr int BINS = 64, B = 256;
__global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned mine[B / 32][BINS];
  const int t = threadIdx.x, warp = t / 32;
  for (int i = t; i < B / 32 * BINS; i += B) (&mine[0][0])[i] = 0;  // @CLEAR
#ifndef FAULT
  __syncthreads();
#endif
  for (int i = blockIdx.x * B + t; i < n; i += gridDim.x * B) atomicAdd(&mine[warp][in[i] % BINS], 1u);  // @COUNT
  __syncthreads();
  for (int bin = t; bin < BINS; bin += B) {
    unsigned sum = 0;
    for (int w = 0; w < B / 32; ++w) sum += mine[w][bin];
    if (sum != 0) atomicAdd(&bins[bin], sum);
  }
}
// The last block to come turns counts into their sums.
__global__ void and_scan(const unsigned char* in, unsigned* bins, unsigned* sums, unsigned* arrived, int n) {
  __shared__ unsigned mine[BINS];
  __shared__ bool last;
  const int t = threadIdx.x;
  if (t < BINS) mine[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * B + t; i < n; i += gridDim.x * B) atomicAdd(&mine[in[i] % BINS], 1u);
  __syncthreads();
  if (t < BINS) atomicAdd(&bins[t], mine[t]);
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  if (t < 32) {
    unsigned before = 0;
    for (int bin = t; bin < BINS; bin += 32) {
      unsigned v = bins[bin];
      for (int d = 1; d < 32; d *= 2) {
        const unsigned up = __shfl_up_sync(~0u, v, d);
        if (t >= d) v += up;
      }
      sums[bin] = before + v;
      before += __shfl_sync(~0u, v, 31);
    }
  }
  if (t == 0) *arrived = 0;
}
int main() {
  const int n = 20000;
  static unsigned char host[n];
  unsigned char* in;
  unsigned *bins, *sums, *arrived, total = 0;
  cudaMalloc(&in, n), cudaMalloc(&bins, BINS * 4), cudaMalloc(&sums, BINS * 4), cudaMalloc(&arrived, 4);
  for (int i = 0; i < n; ++i) host[i] = i * i % 251;
  cudaMemcpy(in, host, n, cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, BINS * 4), cudaMemset(arrived, 0, 4);
  histogram<<<6, B>>>(in, bins, n);
  cudaMemset(bins, 0, BINS * 4);
  and_scan<<<6, B>>>(in, bins, sums, arrived, n);
  cudaMemcpy(&total, sums + BINS - 1, 4, cudaMemcpyDeviceToHost);
  cudaFree(in), cudaFree(bins), cudaFree(sums), cudaFree(arrived);
  printf("%u\n", total);
  return total != n;
}
