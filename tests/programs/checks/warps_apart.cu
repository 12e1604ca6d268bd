// Whole warps of a block that wait at different __syncthreads(), and warps that wait at the same one from both arms.
// TOOLS: synccheck
// FINDS: different-barriers @FIRST

__device__ __noinline__ void wait() { __syncthreads(); }

__global__ void one(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 32)
    wait();
  else
    wait();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void two(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 32) {
    __syncthreads();  // @FIRST
    out[threadIdx.x] = s[63 - threadIdx.x];
  } else {
    __syncthreads();
    out[threadIdx.x] = 2 * s[63 - threadIdx.x];
  }
}

int main(int argc, char** argv) {
  const char only = argc > 1 ? argv[1][0] : 0;
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  if (!only || only == '0') one<<<1, 64>>>(out);
  if (!only || only == '1') two<<<1, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
