// Barriers of the grid that a program writes itself: sound ones, and one that a block does not come to.
// TOOLS: synccheck,racecheck
// FINDS: barrier-deadlock @SPIN
// SAYS: 3 of 4 blocks, (0,0,0) (1,0,0) (3,0,0), wait
// SAYS: 1 of 4 blocks, (2,0,0), has ended
// EXPECT-EXIT: 1
#include <cuda/atomic>

constexpr int BLOCKS = 4, THREADS = 64;

struct Barrier {
  unsigned count;
  volatile unsigned sense;
};

// The last block to come turns the sense; the others wait for that.
__device__ void wait(Barrier* b) {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned before = b->sense;
    __threadfence();
    if (atomicAdd(&b->count, 1) == gridDim.x - 1) {
      b->count = 0;
      __threadfence();
      b->sense = before + 1;
    } else {
      while (b->sense == before) {  // @SPIN
      }
    }
    __threadfence();
  }
  __syncthreads();
}

// The same with acquire and release, by a count that only grows.
__device__ void wait_for_count(unsigned* count, unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> all(*count);
    all.fetch_add(1, cuda::memory_order_acq_rel);
    while (all.load(cuda::memory_order_acquire) < (round + 1) * gridDim.x) {
    }
  }
  __syncthreads();
}

__global__ void exchange(Barrier* b, int* data, int* out) {
  const int i = blockIdx.x * THREADS + threadIdx.x, all = gridDim.x * THREADS;
  for (int round = 0; round < 3; ++round) {
    data[i] = round + i;
    wait(b);
    out[i] = data[(i + THREADS) % all];
    wait(b);
  }
}

__global__ void exchange_by_count(unsigned* count, int* data, int* out) {
  const int i = blockIdx.x * THREADS + threadIdx.x, all = gridDim.x * THREADS;
  for (unsigned round = 0; round < 4; round += 2) {
    data[i] = round + i;
    wait_for_count(count, round);
    out[i] = data[(i + THREADS) % all];
    wait_for_count(count, round + 1);
  }
}

__global__ void missed(Barrier* b, int* data, int* out) {
  const int i = blockIdx.x * THREADS + threadIdx.x, all = gridDim.x * THREADS;
  data[i] = i;
  if (blockIdx.x != 2) {
    wait(b);
    out[i] = data[(i + THREADS) % all];
  }
}

int main() {
  Barrier* b;
  unsigned* count;
  int *data, *out;
  cudaMalloc(&b, sizeof *b);
  cudaMalloc(&count, sizeof *count);
  cudaMalloc(&data, BLOCKS * THREADS * sizeof(int));
  cudaMalloc(&out, BLOCKS * THREADS * sizeof(int));
  cudaMemset(b, 0, sizeof *b);
  cudaMemset(count, 0, sizeof *count);
  exchange<<<BLOCKS, THREADS>>>(b, data, out);
  exchange_by_count<<<BLOCKS, THREADS>>>(count, data, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  missed<<<BLOCKS, THREADS>>>(b, data, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
