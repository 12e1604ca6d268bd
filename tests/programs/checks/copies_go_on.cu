// Lanes leave out an asynchronous copy that they may not do, of whole warps and of parts, and the launch goes on: what
// is wrong behind it is found, too, and the other lanes have copied.
// TOOLS: memcheck
// FINDS: out-of-bounds @SOURCE
// FINDS: misaligned @SHIFTED
// FINDS: out-of-bounds @TARGET
// FINDS: out-of-bounds @BEHIND
// EXPECT-EXIT: 123
#include <cuda_pipeline_primitives.h>

#include <cstdio>

constexpr int N = 64, WORDS = 48;

__global__ void copies(const int* in, int* out, const char* shifted, int zero) {
  __shared__ int words[N];
  __shared__ int4 wide[N];
  const int t = threadIdx.x;
  words[t] = -1;
  wide[t] = make_int4(0, 0, 0, 0);
  __syncthreads();
  __pipeline_memcpy_async(&words[t], &in[t], 4);  // @SOURCE
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __pipeline_memcpy_async(&wide[t], shifted + (t < 32 ? 16 * (t % 4) : 4), 16);  // @SHIFTED
  if (t % 2 == 0) __pipeline_memcpy_async(&words[t + zero * N * 64], &in[0], 4);  // @TARGET
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = words[t] + wide[t].x;
  if (t == 0) out[N] = 1;  // @BEHIND
}

int main() {
  int *in, *out, host[WORDS];
  for (int i = 0; i < WORDS; ++i) host[i] = i;
  cudaMalloc(&in, sizeof host);
  cudaMallocManaged(&out, N * sizeof(int));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  copies<<<1, N>>>(in, out, (const char*)in, 1);
  return cudaDeviceSynchronize() == cudaSuccess;
}
