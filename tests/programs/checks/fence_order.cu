// Fences of the device are in one order: each thread fences before a barrier of its block, one thread writes behind it, and
// in the last block one thread reads, and each fences behind a barrier. Whichever of the fences lacks is found.
// TOOLS: racecheck
// FINDS: read-write @NONE @READ_NONE
// FINDS: read-write @EARLY @READ_EARLY
// FINDS: read-write @BLOCK @READ_BLOCK
// FINDS: read-write @UNFENCED @READ_UNFENCED
// EXPECT-EXIT: 123
#include <cstdio>

constexpr int B = 96, BLOCKS = 4;

__device__ bool is_last(unsigned* arrived) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  return last;
}

__global__ void sound(int* values, unsigned* arrived, int* out) {
  values[blockIdx.x * B + threadIdx.x] = threadIdx.x;
  __threadfence();
  if (!is_last(arrived)) return;
  __threadfence();
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += values[b * B + (threadIdx.x + 1) % B];
  out[threadIdx.x] = sum;
}
// By warps: lanes fence, the first one tells; one lane sees it, and the others fence behind it.
__global__ void by_warps(int* values, unsigned* flag, int* out) {
  const int lane = threadIdx.x % 32;
  if (blockIdx.x == 0) {
    values[lane] = lane;
    __threadfence();
    __syncwarp();
    if (lane == 0) atomicExch(flag, 1u);
  } else {
    if (lane == 0)
      while (atomicAdd(flag, 0u) == 0) {
      }
    __syncwarp();
    __threadfence();
    out[lane] = values[31 - lane];
  }
}
__global__ void none(int* values, unsigned* arrived, int* out) {
  values[blockIdx.x * B + threadIdx.x] = threadIdx.x;  // @NONE
  if (!is_last(arrived)) return;
  __threadfence();
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += values[b * B + (threadIdx.x + 1) % B];  // @READ_NONE
  out[threadIdx.x] = sum;
}
__global__ void early(int* values, unsigned* arrived, int* out) {
  __threadfence();
  values[blockIdx.x * B + threadIdx.x] = threadIdx.x;  // @EARLY
  if (!is_last(arrived)) return;
  __threadfence();
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += values[b * B + (threadIdx.x + 1) % B];  // @READ_EARLY
  out[threadIdx.x] = sum;
}
__global__ void for_the_block(int* values, unsigned* arrived, int* out) {
  values[blockIdx.x * B + threadIdx.x] = threadIdx.x;  // @BLOCK
  __threadfence_block();
  if (!is_last(arrived)) return;
  __threadfence();
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += values[b * B + (threadIdx.x + 1) % B];  // @READ_BLOCK
  out[threadIdx.x] = sum;
}
__global__ void unfenced(int* values, unsigned* arrived, int* out) {
  values[blockIdx.x * B + threadIdx.x] = threadIdx.x;  // @UNFENCED
  __threadfence();
  if (!is_last(arrived)) return;
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += values[b * B + (threadIdx.x + 1) % B];  // @READ_UNFENCED
  out[threadIdx.x] = sum;
}

int main() {
  int *values, *out;
  unsigned* arrived;
  cudaMalloc(&values, BLOCKS * B * sizeof(int)), cudaMalloc(&out, B * sizeof(int)), cudaMalloc(&arrived, sizeof *arrived);
  const auto zero = [&] { cudaMemset(arrived, 0, sizeof *arrived); };
  zero(), sound<<<BLOCKS, B>>>(values, arrived, out);
  zero(), by_warps<<<2, 32>>>(values, arrived, out);
  zero(), none<<<BLOCKS, B>>>(values, arrived, out);
  zero(), early<<<BLOCKS, B>>>(values, arrived, out);
  zero(), for_the_block<<<BLOCKS, B>>>(values, arrived, out);
  zero(), unfenced<<<BLOCKS, B>>>(values, arrived, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
