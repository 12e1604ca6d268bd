// Fences of each scope with atomics of each scope: between blocks, __threadfence() and __threadfence_system() order, and
// __threadfence_block() does not; in a block, that one is enough.
// TOOLS: racecheck
// FINDS: read-write @PART @TOTAL
// FINDS: write-write @COUNT_NARROW @COUNT_NARROW
#include <cuda/atomic>

constexpr int N = 64, BLOCKS = 4;
enum class Scope { Block, Device, System };

template <Scope S>
__device__ void fence() {
  if (S == Scope::Block) __threadfence_block();
  if (S == Scope::Device) __threadfence();
  if (S == Scope::System) __threadfence_system();
}
template <Scope S>
__device__ int add(int* count) {
  if (S == Scope::System) return atomicAdd_system(count, 1);
  return atomicAdd(count, 1);
}

// The last block to come adds up what the others have written.
template <Scope Fence, Scope Count>
__global__ void last_block(int* parts, int* sum, int* count) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;
  fence<Fence>();
  if (add<Count>(count) != gridDim.x - 1) return;
  fence<Fence>();
  for (int b = 0; b < gridDim.x; ++b) *sum += parts[b];
}
__global__ void last_block_narrow(int* parts, int* sum, int* count) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;  // @PART
  __threadfence_block();
  if (atomicAdd(count, 1) != gridDim.x - 1) return;
  __threadfence_block();
  for (int b = 0; b < gridDim.x; ++b) *sum += parts[b];  // @TOTAL
}
__global__ void count_narrow(int* counts) {
  atomicAdd_block(counts + threadIdx.x, 1);  // @COUNT_NARROW
}

// In a block: warp 0 hands a value to warp 1.
__global__ void in_block(int* out) {
  __shared__ int value, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = 7;
    __threadfence_block();
    atomicExch_block(&flag, 1);
  } else if (threadIdx.x == 32) {
    while (atomicAdd_block(&flag, 0) == 0) {
    }
    __threadfence_block();
    out[0] = value;
  }
}

int main(int argc, char** argv) {
  const char only = argc > 1 ? argv[1][0] : 0;
  int* memory;
  cudaMalloc(&memory, 16 * N * sizeof(int));
  cudaMemset(memory, 0, 16 * N * sizeof(int));
  int next = 0;
  const auto take = [&] { return memory + N * next++; };
  if (!only || only == '0') {
    int *parts = take(), *sums = take(), *counts = take();
    last_block<Scope::Device, Scope::Device><<<BLOCKS, N>>>(parts, sums, counts);
    last_block<Scope::System, Scope::System><<<BLOCKS, N>>>(parts, sums + 1, counts + 1);
    last_block<Scope::System, Scope::Device><<<BLOCKS, N>>>(parts, sums + 2, counts + 2);
    in_block<<<1, N>>>(take());
  }
  if (!only || only == '1') {
    int *parts = take(), *sum = take();
    last_block_narrow<<<BLOCKS, N>>>(parts, sum, take());
  }
  if (!only || only == '2') count_narrow<<<BLOCKS, N>>>(take());
  return cudaDeviceSynchronize() != cudaSuccess;
}
