// Double-buffered asynchronous copies, by groups and by cuda::pipeline. The fault: no barrier before a buffer is filled again.
// VARIANT: -D FAULT
// FINDS: read-write @FETCH @READ
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <cstdio>
constexpr int T = 128, STAGES = 2;
__global__ void smooth(const float4* in, float4* out, int tiles) {
  __shared__ float4 buffer[STAGES][T];
  const int t = threadIdx.x;
  const auto fetch = [&](int tile) {
    if (tile < tiles) __pipeline_memcpy_async(&buffer[tile % STAGES][t], &in[(blockIdx.x * tiles + tile) * T + t], sizeof(float4));  // @FETCH
    __pipeline_commit();
  };
  for (int s = 0; s < STAGES - 1; ++s) fetch(s);
  for (int tile = 0; tile < tiles; ++tile) {
    fetch(tile + STAGES - 1);
    __pipeline_wait_prior(STAGES - 1);
    __syncthreads();
    const float4 a = buffer[tile % STAGES][t], b = buffer[tile % STAGES][(t + 1) % T];  // @READ
    out[(blockIdx.x * tiles + tile) * T + t] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
#ifndef FAULT
    __syncthreads();
#endif
  }
}
// The same by cuda::pipeline of a thread.
__global__ void by_pipeline(const float* in, float* out, int tiles) {
  extern __shared__ float stages[];
  auto pipe = cuda::make_pipeline();
  const int t = threadIdx.x;
  for (int fetched = 0, tile = 0; tile < tiles; ++tile) {
    for (; fetched < tiles && fetched < tile + 3; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stages[fetched % 3 * T + t], &in[(blockIdx.x * tiles + fetched) * T + t], sizeof(float), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    __syncthreads();
    out[(blockIdx.x * tiles + tile) * T + t] = stages[tile % 3 * T + (t ^ 1)];
    __syncthreads();
    pipe.consumer_release();
  }
}
int main() {
  const int blocks = 4, tiles = 7, n = blocks * tiles * T;
  float4 *in, *out;
  cudaMalloc(&in, n * sizeof *in), cudaMalloc(&out, n * sizeof *out);
  cudaMemset(in, 0, n * sizeof *in);
  smooth<<<blocks, T>>>(in, out, tiles);
  by_pipeline<<<blocks, T, 3 * T * sizeof(float)>>>((float*)in, (float*)out, tiles);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaFree(in), cudaFree(out);
  puts("ok");
}
