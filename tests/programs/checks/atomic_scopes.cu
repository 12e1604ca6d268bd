// What cuda::atomic releases and acquires is for its scope: between blocks, a block's own orders nothing.
// TOOLS: racecheck
// FINDS: read-write @PART_BLOCK @TOTAL_BLOCK
// FINDS: read-write @PART_FENCE @TOTAL_FENCE
// FINDS: write-write @COUNT_BLOCK @COUNT_BLOCK
// FINDS: read-write @VALUE_BLOCK @SEEN_BLOCK
// FINDS: read-write @FLAG_BLOCK @WAIT_BLOCK
// FINDS: read-write @PART_BUILTIN @TOTAL_BUILTIN
// EXPECT-EXIT: 123
#include <cuda/atomic>

constexpr int N = 64, BLOCKS = 8;
using Device = cuda::atomic_ref<int, cuda::thread_scope_device>;
using Block = cuda::atomic_ref<int, cuda::thread_scope_block>;

// The last block to come adds up what the others have written.
__global__ void last_of_device(int* parts, int* sum, int* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;
  if (Device(*done).fetch_add(1, cuda::memory_order_acq_rel) != gridDim.x - 1) return;
  for (int b = 0; b < gridDim.x; ++b) *sum += parts[b];
}

// The count is one for all, but what it orders is for the block.
__global__ void last_of_block(int* parts, int* sum, int* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;  // @PART_BLOCK
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
  const bool last = Device(*done).fetch_add(1, cuda::memory_order_relaxed) == gridDim.x - 1;
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
  if (!last) return;
  for (int b = 0; b < gridDim.x; ++b) *sum += parts[b];  // @TOTAL_BLOCK
}

__global__ void fences_of_device(int* parts, int* sum, int* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;
  cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
  const bool last = Device(*done).fetch_add(1, cuda::memory_order_relaxed) == gridDim.x - 1;
  cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
  if (!last) return;
  for (int b = 0; b < gridDim.x; ++b) *sum += parts[b];
}

// No second fence.
__global__ void release_alone(int* parts, int* sum, int* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;  // @PART_FENCE
  if (Device(*done).fetch_add(1, cuda::memory_order_release) != gridDim.x - 1) return;
  for (int b = 0; b < gridDim.x; ++b) *sum += parts[b];  // @TOTAL_FENCE
}

__global__ void count_device(int* counts) { Device(counts[threadIdx.x]).fetch_add(1, cuda::memory_order_relaxed); }
__global__ void count_block(int* counts) {
  Block(counts[threadIdx.x]).fetch_add(1, cuda::memory_order_relaxed);  // @COUNT_BLOCK
}

__global__ void pass_device(int* values, int* flags) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (Device(flags[blockIdx.x - 1]).load(cuda::memory_order_acquire) == 0) {
    }
    before = values[blockIdx.x - 1];
  }
  values[blockIdx.x] = before + 1;
  Device(flags[blockIdx.x]).store(1, cuda::memory_order_release);
}
__global__ void pass_block(int* values, int* flags) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (Block(flags[blockIdx.x - 1]).load(cuda::memory_order_acquire) == 0) {  // @WAIT_BLOCK
    }
    before = values[blockIdx.x - 1];  // @SEEN_BLOCK
  }
  values[blockIdx.x] = before + 1;                              // @VALUE_BLOCK
  Block(flags[blockIdx.x]).store(1, cuda::memory_order_release);  // @FLAG_BLOCK
}

// In a block, its own scope is enough.
__global__ void in_block(int* out) {
  __shared__ int value[32], flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value[0] = 7;
    Block(flag).store(1, cuda::memory_order_release);
  } else if (threadIdx.x == 32) {
    while (Block(flag).load(cuda::memory_order_acquire) == 0) {
    }
    out[blockIdx.x] = value[0];
  }
}

// nvcc's functions that name their scope.
__global__ void builtins_of_block(int* parts, int* sum, int* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;  // @PART_BUILTIN
  __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
  const int before = __nv_atomic_fetch_add(done, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
  if (before != gridDim.x - 1) return;
  for (int b = 0; b < gridDim.x; ++b) *sum += parts[b];  // @TOTAL_BUILTIN
}
__global__ void builtins_of_device(int* parts, int* sum, int* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;
  if (__nv_atomic_fetch_add(done, 1, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE) != gridDim.x - 1) return;
  for (int b = 0; b < gridDim.x; ++b) *sum += parts[b];
}

int main() {
  int* memory;
  cudaMalloc(&memory, 16 * N * sizeof(int));
  cudaMemset(memory, 0, 16 * N * sizeof(int));
  int next = 0;
  const auto take = [&] { return memory + N * next++; };
  int *parts = take(), *sum = take();
  last_of_device<<<BLOCKS, N>>>(parts, sum, take());
  last_of_block<<<BLOCKS, N>>>(parts, sum, take());
  fences_of_device<<<BLOCKS, N>>>(parts, sum, take());
  release_alone<<<BLOCKS, N>>>(parts, sum, take());
  count_device<<<BLOCKS, N>>>(take());
  count_block<<<BLOCKS, N>>>(take());
  pass_device<<<BLOCKS, N>>>(parts, take());
  pass_block<<<BLOCKS, N>>>(parts, take());
  in_block<<<BLOCKS, N>>>(parts);
  builtins_of_block<<<BLOCKS, N>>>(parts, sum, take());
  builtins_of_device<<<BLOCKS, N>>>(parts, sum, take());
  return cudaDeviceSynchronize() != cudaSuccess;
}
