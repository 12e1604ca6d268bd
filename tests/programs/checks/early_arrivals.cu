// Who counts itself in, and does not look at the count, cannot know that it is the last one, even if in this run it is.
// TOOLS: racecheck
// FINDS: read-write @PART_ACQ_REL @TOTAL_ACQ_REL
// FINDS: read-write @PART_FENCES @TOTAL_FENCES
// FINDS: read-write @PART_COMPUTED @TOTAL_COMPUTED
// FINDS: read-write @PART_LOAD @TOTAL_LOAD
// FINDS: write-write @COUNT_RESET @RESET
// FINDS: read-write @PART_SWAP @TOTAL_SWAP
#include <cuda/atomic>

constexpr int BLOCKS = 4, N = 64;
using Count = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__device__ int total(const volatile int* parts) {
  int all = 0;
  for (int b = 0; b < gridDim.x; ++b) all += const_cast<const int*>(parts)[b];
  return all;
}

__global__ void acq_rel(int* parts, int* sums, unsigned* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;  // @PART_ACQ_REL
  Count(*done).fetch_add(1, cuda::memory_order_acq_rel);
  sums[blockIdx.x] = parts[0] + parts[(blockIdx.x + 1) % gridDim.x];  // @TOTAL_ACQ_REL
}
__global__ void fences(int* parts, int* sums, unsigned* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;  // @PART_FENCES
  __threadfence();
  atomicAdd(done, 1u);
  __threadfence();
  sums[blockIdx.x] = parts[0] + parts[(blockIdx.x + 1) % gridDim.x];  // @TOTAL_FENCES
}
// What is computed from the count goes nowhere either.
__global__ void computed(int* parts, int* sums, unsigned* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;  // @PART_COMPUTED
  __threadfence();
  unsigned before, last;
  asm volatile("atom.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(done) : "memory");
  asm volatile("sub.u32 %0, %1, 1;" : "=r"(last) : "r"(before));
  __threadfence();
  sums[blockIdx.x] = parts[0] + parts[(blockIdx.x + 1) % gridDim.x];  // @TOTAL_COMPUTED
}
// A load that nobody waits by.
__global__ void loads(int* parts, int* sums, volatile unsigned* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;  // @PART_LOAD
  __threadfence();
  done[blockIdx.x] = 1;
  done[(blockIdx.x + 1) % gridDim.x], done[0];
  __threadfence();
  sums[blockIdx.x] = parts[0] + parts[(blockIdx.x + 1) % gridDim.x];  // @TOTAL_LOAD
}
// The last block by its number is not the last one to come.
__global__ void reset(unsigned* done) {
  if (threadIdx.x != 0) return;
  atomicAdd(done, 1u);  // @COUNT_RESET
  if (blockIdx.x == gridDim.x - 1) *done = 0;  // @RESET
}
// A swap that nobody looks at takes no lock.
__global__ void swaps(int* parts, int* sums, int* flag) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;  // @PART_SWAP
  __threadfence();
  atomicCAS(flag, 0, 1);
  __threadfence();
  sums[blockIdx.x] = parts[0] + parts[(blockIdx.x + 1) % gridDim.x];  // @TOTAL_SWAP
  __threadfence();
  atomicExch(flag, 0);
}

// The same with the count: it goes through a branch, through shared memory, or into an address.
__global__ void branches(int* parts, int* sums, unsigned* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;
  if (Count(*done).fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1) sums[0] = total(parts);
}
__global__ void shares(int* parts, int* sums, unsigned* done) {
  __shared__ unsigned before;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x;
    __threadfence();
    before = atomicAdd(done, 1u);
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 40 && before == gridDim.x - 1) sums[0] = total(parts);
}
__global__ void indexes(int* parts, int* order, unsigned* done) {
  if (threadIdx.x != 0) return;
  __threadfence();
  const unsigned place = atomicAdd(done, 1u);
  __threadfence();
  if (place > 0) order[place] = parts[place - 1];
}
// The count is polled by a load: that acquires. Who reads it need not have looked at its own arrival.
__global__ void polls(int* parts, int* sums, unsigned* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;
  __threadfence();
  atomicAdd(done, 1u);
  while (*(volatile unsigned*)done < gridDim.x) {
  }
  __threadfence();
  sums[blockIdx.x] = total(parts);
}
// An arrival that nobody looks at hands on what others have released: the last one, who looks, learns of all.
__global__ void hands_on(int* parts, int* sums, unsigned* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = blockIdx.x;
  __threadfence();
  if (blockIdx.x != 0) {
    atomicAdd(done, 1u);
    return;
  }
  while (atomicAdd(done, 0u) != gridDim.x - 1) {
  }
  __threadfence();
  sums[0] = total(parts);
}
// An acquire whose own value nobody looks at counts for the loads of the word before it.
__global__ void acquires_later(int* parts, int* sums, unsigned* done) {
  if (threadIdx.x != 0) return;
  Count count(*done);
  if (blockIdx.x != 0) {
    parts[blockIdx.x] = blockIdx.x;
    count.fetch_add(1, cuda::memory_order_release);
    return;
  }
  parts[0] = 0;
  while (count.load(cuda::memory_order_relaxed) != gridDim.x - 1) {
  }
  count.fetch_add(1, cuda::memory_order_acquire);
  sums[0] = total(parts);
}
__global__ void locks(int* sum, int* lock) {
  if (threadIdx.x != 0) return;
  while (atomicExch(lock, 1) != 0) {
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicExch(lock, 0);
}

int main() {
  int *parts, *sums;
  unsigned* done;
  cudaMalloc(&parts, N * sizeof(int));
  cudaMalloc(&sums, N * sizeof(int));
  cudaMalloc(&done, N * sizeof(unsigned));
  cudaMemset(parts, 0, N * sizeof(int));
  const auto clear = [&] { return cudaMemset(done, 0, N * sizeof(unsigned)); };
  clear(), acq_rel<<<BLOCKS, N>>>(parts, sums, done);
  clear(), fences<<<BLOCKS, N>>>(parts, sums, done);
  clear(), computed<<<BLOCKS, N>>>(parts, sums, done);
  clear(), loads<<<BLOCKS, N>>>(parts, sums, done);
  clear(), reset<<<BLOCKS, N>>>(done);
  clear(), swaps<<<BLOCKS, N>>>(parts, sums, (int*)done);
  clear(), branches<<<BLOCKS, N>>>(parts, sums, done);
  clear(), shares<<<BLOCKS, N>>>(parts, sums, done);
  clear(), indexes<<<BLOCKS, N>>>(parts, sums, done);
  clear(), polls<<<BLOCKS, N>>>(parts, sums, done);
  clear(), hands_on<<<BLOCKS, N>>>(parts, sums, done);
  clear(), acquires_later<<<BLOCKS, N>>>(parts, sums, done);
  clear(), locks<<<BLOCKS, N>>>(sums, (int*)done);
  return cudaDeviceSynchronize() != cudaSuccess;
}
