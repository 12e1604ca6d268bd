// A loop that waits for a word leaves at the first value that ends it, whatever others have written there since: what
// these have released, it need not know.
// TOOLS: racecheck
// FINDS: read-write @WRITE_COUNT @READ_COUNT
// FINDS: read-write @WRITE_BITS @READ_BITS
// FINDS: read-write @WRITE_ATOMIC @READ_ATOMIC
// FINDS: read-write @SECOND @READ_FLAG
// FINDS: read-write @SECOND @READ_BYTE
// FINDS: read-write @SECOND @READ_IF
#include <cuda/atomic>

constexpr int BLOCKS = 4, N = 32;

// Barriers that count on from round to round.
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
// The top bit flips, as in cooperative groups.
__device__ void wait_for_bit(unsigned* count) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const unsigned before = atomicAdd(count, blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u);
    while (((before ^ *(volatile unsigned*)count) & 0x80000000u) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
}
__device__ void wait_by_atomics(unsigned* count, unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1u);
    while (atomicAdd(count, 0u) < (round + 1) * gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
}

// The barrier between the writes and the reads is missing, between two that are there.
__global__ void count_missed(int* data, int* out, unsigned* count) {
  const int i = blockIdx.x * N + threadIdx.x, all = gridDim.x * N;
  wait_for_count(count, 0);
  data[i] = i;                   // @WRITE_COUNT
  out[i] = data[(i + N) % all];  // @READ_COUNT
  wait_for_count(count, 1);
}
__global__ void bits_missed(int* data, int* out, unsigned* count) {
  const int i = blockIdx.x * N + threadIdx.x, all = gridDim.x * N;
  wait_for_bit(count);
  data[i] = i;                   // @WRITE_BITS
  out[i] = data[(i + N) % all];  // @READ_BITS
  wait_for_bit(count);
}
__global__ void atomics_missed(int* data, int* out, unsigned* count) {
  const int i = blockIdx.x * N + threadIdx.x, all = gridDim.x * N;
  wait_by_atomics(count, 0);
  data[i] = i;                   // @WRITE_ATOMIC
  out[i] = data[(i + N) % all];  // @READ_ATOMIC
  wait_by_atomics(count, 1);
}
__global__ void sound(int* data, int* out, unsigned* count) {
  const int i = blockIdx.x * N + threadIdx.x, all = gridDim.x * N;
  for (unsigned round = 0; round < 6; round += 2) {
    data[i] = i;
    wait_for_count(count, round);
    out[i] = data[(i + N) % all];
    wait_for_count(count, round + 1);
  }
  for (int round = 0; round < 3; ++round) {
    data[i] = i;
    wait_for_bit(count + 1);
    out[i] = data[(i + N) % all];
    wait_for_bit(count + 1);
  }
  for (unsigned round = 0; round < 6; round += 2) {
    data[i] = i;
    wait_by_atomics(count + 2, round);
    out[i] = data[(i + N) % all];
    wait_by_atomics(count + 2, round + 1);
  }
}

// Block 0 tells of one word, then of another one. Who waits for the first flag alone does not know of the second word.
template <class Flag>
__device__ void tell(int* data, volatile Flag* flag) {
  data[0] = 1;
  __threadfence();
  *flag = 1;
  data[1] = 2;  // @SECOND
  __threadfence();
  *flag = 2;
}
__global__ void flag_early(int* data, int* out, volatile int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) return tell(data, flag);
  while (!*flag) {
  }
  __threadfence();
  out[blockIdx.x] = data[0];
  out[blockIdx.x] += data[1];  // @READ_FLAG
}
__global__ void byte_early(int* data, int* out, volatile unsigned char* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) return tell(data, flag);
  while (*flag == 0) __nanosleep(10);
  __threadfence();
  out[blockIdx.x] = data[0] + data[1];  // @READ_BYTE
}
__global__ void if_early(int* data, int* out, volatile int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) return tell(data, flag);
  if (*flag > 0) {
    __threadfence();
    out[blockIdx.x] = data[1];  // @READ_IF
  }
}
__global__ void flag_sound(int* data, int* out, volatile int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) return tell(data, flag);
  while (*flag < 2) {
  }
  __threadfence();
  out[blockIdx.x] = data[0] + data[1];
}
// What a thread knows by other means, it does not read an older value than.
__global__ void known(int* data, int* out, volatile int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 1;
    __threadfence();
    flag[0] = 1;
    flag[0] = 0;
    data[1] = 2;
    __threadfence();
    flag[0] = 1;
    __threadfence();
    flag[1] = 1;
  } else {
    while (!flag[1]) {
    }
    __threadfence();
    if (flag[0]) out[blockIdx.x] = data[0] + data[1];
  }
}
// The next one to be served is told by its number.
__global__ void tickets(int* sum, unsigned* next, volatile unsigned* serving) {
  if (threadIdx.x != 0) return;
  const unsigned mine = atomicAdd(next, 1u);
  while (*serving != mine) {
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  *serving = mine + 1;
}
// The last one to count has read from what the others added, behind their looks at the count.
__global__ void resets(unsigned* count) {
  if (threadIdx.x != 0 || atomicAdd(count, 0u) > 100) return;
  if (atomicAdd(count, 1u) == gridDim.x - 1) *count = 0;
}

int main() {
  int *data, *out, *flag;
  cudaMalloc(&data, BLOCKS * N * sizeof(int));
  cudaMalloc(&out, BLOCKS * N * sizeof(int));
  cudaMalloc(&flag, 4 * sizeof(int));
  unsigned* count = (unsigned*)flag;
  cudaMemset(data, 0, BLOCKS * N * sizeof(int));
  const auto clear = [&] { return cudaMemset(flag, 0, 4 * sizeof(int)); };
  clear(), count_missed<<<BLOCKS, N>>>(data, out, count);
  clear(), bits_missed<<<BLOCKS, N>>>(data, out, count);
  clear(), atomics_missed<<<BLOCKS, N>>>(data, out, count);
  clear(), sound<<<BLOCKS, N>>>(data, out, count);
  clear(), flag_early<<<BLOCKS, N>>>(data, out, flag);
  clear(), byte_early<<<BLOCKS, N>>>(data, out, (unsigned char*)flag);
  clear(), if_early<<<BLOCKS, N>>>(data, out, flag);
  clear(), flag_sound<<<BLOCKS, N>>>(data, out, flag);
  clear(), known<<<BLOCKS, N>>>(data, out, flag);
  clear(), cudaMemset(out, 0, sizeof(int)), tickets<<<BLOCKS, N>>>(out, count, count + 1);
  clear(), resets<<<BLOCKS, N>>>(count);
  return cudaDeviceSynchronize() != cudaSuccess;
}
