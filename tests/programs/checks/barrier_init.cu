// Uses of a barrier object that nothing orders behind its initialization; and lanes of a warp that come to one barrier
// of the block by two calls.
// TOOLS: racecheck,synccheck
// FINDS: barrier-order @ARRIVES
// FINDS: divergent-barrier @STEP
// SAYS: nothing orders it behind the object's initialization by another thread
// SAYS: by one call of its function, and lanes 0x55555555 by another
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void early(int* out) {
  __shared__ Barrier b;
  if (threadIdx.x == 0) init(&b, blockDim.x);
  b.arrive_and_wait();  // @ARRIVES
  out[threadIdx.x] = 1;
}
__global__ void behind(int* out) {
  __shared__ Barrier b;
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  b.arrive_and_wait();
  out[threadIdx.x] = 1;
}
// One warp alone: it is enough that it waits for the lane that initializes.
__global__ void in_a_warp(int* out) {
  __shared__ Barrier b;
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncwarp();
  b.arrive_and_wait();
  out[threadIdx.x] = 1;
}

__device__ __noinline__ void step(int* s) {
  s[threadIdx.x] += 1;
  __syncthreads();  // @STEP
}
__global__ void by_two_calls(int* out, int odd) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  if (threadIdx.x % 2 == odd) {
    step(s);
  } else {
    s[threadIdx.x] = 4;
    step(s);
  }
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void by_one_call(int* out, int odd) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x % 2 == odd ? 0 : 4;
  for (int i = 0; i < 3; ++i) step(s);
  out[threadIdx.x] = s[threadIdx.x];
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  early<<<1, 64>>>(out);
  behind<<<1, 64>>>(out);
  in_a_warp<<<1, 32>>>(out);
  by_two_calls<<<1, 64>>>(out, 1);
  by_one_call<<<1, 64>>>(out, 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
