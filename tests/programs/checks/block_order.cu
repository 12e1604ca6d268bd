// Blocks that order each other, and blocks that only seem to.
// TOOLS: racecheck
// FINDS: read-write @PART @TOTAL
// FINDS: read-write @NARROW_PART @NARROW_TOTAL
// FINDS: write-write @BLOCK_COUNT @BLOCK_COUNT
// FINDS: read-write @UNGUARDED @UNGUARDED
// FINDS: write-write @UNGUARDED @UNGUARDED
// FINDS: read-write @SLOT @NEIGHBOUR
// FINDS: read-write @BEFORE_MISSED @BEHIND_MISSED
#include <cooperative_groups.h>
#include <cuda/atomic>

constexpr int N = 64, BLOCKS = 4;

// The last block to come adds up what the others have written.
__global__ void last_block(int* parts, int* sum, unsigned* done) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x;
    __threadfence();
    last = atomicInc(done, BLOCKS - 1) == BLOCKS - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x < BLOCKS) sum[threadIdx.x] = parts[threadIdx.x];
}

// Nothing orders the reads behind the atomic.
__global__ void no_second_fence(int* parts, int* sum, unsigned* done) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x;  // @PART
    __threadfence();
    last = atomicInc(done, BLOCKS - 1) == BLOCKS - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < BLOCKS) sum[threadIdx.x] = parts[threadIdx.x];  // @TOTAL
}

// Fences for the block order nothing between blocks.
__global__ void block_fences(int* parts, int* sum, unsigned* done) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x;  // @NARROW_PART
    __threadfence_block();
    last = atomicInc(done, BLOCKS - 1) == BLOCKS - 1;
    __threadfence_block();
  }
  __syncthreads();
  if (last && threadIdx.x < BLOCKS) sum[threadIdx.x] = parts[threadIdx.x];  // @NARROW_TOTAL
}

// An atomic for the block is none between blocks.
__global__ void block_atomics(int* sum) {
  atomicAdd_block(sum + threadIdx.x, 1);  // @BLOCK_COUNT
}

// Each block waits for the one before it, as a scan in one pass does.
__global__ void look_back(int* values, volatile int* flags) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (flags[blockIdx.x - 1] == 0) {
    }
    __threadfence();
    before = values[blockIdx.x - 1];
  }
  values[blockIdx.x] = before + 1;
  __threadfence();
  flags[blockIdx.x] = 1;
}

__device__ int lock_word;

__global__ void locked(int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock_word, 0, 1) != 0) {
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicExch(&lock_word, 0);
}

__global__ void locked_without_fences(int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&lock_word, 0, 1) != 0) {
  }
  *sum += 1;  // @UNGUARDED
  atomicExch(&lock_word, 0);
}

__global__ void acquire_release(int* data, int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 42;
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    out[blockIdx.x] = *data;
  }
}

__global__ void grid_sync(int* data, int* out) {
  const int i = blockIdx.x * N + threadIdx.x, all = gridDim.x * N;
  for (int round = 0; round < 3; ++round) {
    data[i] = round + i;
    cooperative_groups::this_grid().sync();
    out[i] = data[(i + N) % all];
    cooperative_groups::this_grid().sync();
  }
}

// The barrier between the writes and the reads is missing: those before and behind it order neither with the other.
__global__ void grid_missed(int* data, int* out) {
  const int i = blockIdx.x * N + threadIdx.x, all = gridDim.x * N;
  cooperative_groups::this_grid().sync();
  data[i] = i;                    // @BEFORE_MISSED
  out[i] = data[(i + N) % all];  // @BEHIND_MISSED
  cooperative_groups::this_grid().sync();
  out[i] += data[(i + 2 * N) % all];
}

// A barrier of the block is none of the grid.
__global__ void block_sync(int* data, int* out) {
  const int i = blockIdx.x * N + threadIdx.x, all = gridDim.x * N;
  data[i] = i;  // @SLOT
  __syncthreads();
  out[i] = data[(i + N) % all];  // @NEIGHBOUR
}

int main() {
  int *data, *out;
  unsigned* done;
  cudaMalloc(&data, BLOCKS * N * sizeof(int));
  cudaMalloc(&out, BLOCKS * N * sizeof(int));
  cudaMalloc(&done, sizeof(unsigned));
  cudaMemset(data, 0, BLOCKS * N * sizeof(int));
  cudaMemset(out, 0, BLOCKS * N * sizeof(int));
  cudaMemset(done, 0, sizeof(unsigned));
  last_block<<<BLOCKS, N>>>(data, out, done);
  no_second_fence<<<BLOCKS, N>>>(data, out, done);
  block_fences<<<BLOCKS, N>>>(data, out, done);
  block_atomics<<<BLOCKS, N>>>(out);
  cudaMemset(data, 0, BLOCKS * N * sizeof(int));
  look_back<<<BLOCKS, N>>>(out, data);
  locked<<<BLOCKS, N>>>(out);
  locked_without_fences<<<BLOCKS, N>>>(out);
  cudaMemset(data, 0, BLOCKS * N * sizeof(int));
  acquire_release<<<BLOCKS, N>>>(data, data + 1, out);
  void* arguments[] = {&data, &out};
  cudaLaunchCooperativeKernel((void*)grid_sync, BLOCKS, N, arguments, 0, 0);
  cudaLaunchCooperativeKernel((void*)grid_missed, BLOCKS, N, arguments, 0, 0);
  cudaLaunchCooperativeKernel((void*)block_sync, BLOCKS, N, arguments, 0, 0);
  return cudaDeviceSynchronize() != cudaSuccess;
}
