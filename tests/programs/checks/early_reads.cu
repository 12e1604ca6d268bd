// The compiler loads a shared variable before the condition under which the program looks at it: lanes that do not come
// there have not read it. Where several threads come there, they race.
// TOOLS: racecheck
// FINDS: write-write @MANY @MANY
// FINDS: read-write @MANY @MANY
// FINDS: warp-level @MANY @MANY
// FINDS: read-write @ALWAYS @READ
// FINDS: warp-level @ALWAYS @READ
#include <cstdio>

__global__ void alone(const int* in, int* out, int k) {
  __shared__ int bits;
  if (threadIdx.x == 0) bits = 1;
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    if (in[i] == k) bits |= i << 1;
  __syncthreads();
  if (threadIdx.x == 0) *out = bits;
}
__global__ void many(const int* in, int* out, int k) {
  __shared__ int bits;
  if (threadIdx.x == 0) bits = 1;
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    if (in[i] >= k) bits |= i << 1;  // @MANY
  __syncthreads();
  if (threadIdx.x == 0) *out = bits;
}
// The value is looked at in any case.
__global__ void always(int* out, int k) {
  __shared__ int word;
  if (threadIdx.x == 0) word = k;
  __syncthreads();
  const int seen = word;  // @READ
  if (threadIdx.x == 40) word = seen + 1;  // @ALWAYS
  out[threadIdx.x] = seen;
}

int main() {
  int *in, *out, host[1024];
  for (int i = 0; i < 1024; ++i) host[i] = i;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  alone<<<1, 64>>>(in, out, 700);
  many<<<1, 64>>>(in, out, 700);
  always<<<1, 64>>>(out, 3);
  return cudaDeviceSynchronize() != cudaSuccess;
}
