// A diverged warp waits for itself at a barrier object: half of its lanes wait for arrivals of the others, which wait for
// these at __syncwarp().
// TOOLS: synccheck
// FINDS: barrier-deadlock @EVEN
// EXPECT-EXIT: 1
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void crossed(int* out) {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, 32);
  __syncthreads();
  if (threadIdx.x % 2 == 0) {
    barrier.arrive_and_wait();  // @EVEN
    __syncwarp();
  } else {
    __syncwarp();
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = 1;
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  crossed<<<1, 32>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
