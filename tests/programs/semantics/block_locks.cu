// Threads of many blocks wait for each other in loops that do nothing but wait: a lock a bucket, a lane of a warp at a
// time; a lock that a whole warp asks for; a ticket lock; a chain of flags from block to block; a barrier of the grid.
#include "check.h"

constexpr int kBuckets = 16, kBlocks = 40, kThreads = 96;

__device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0);
  __threadfence();
}
__device__ void give(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void insert(int* locks, int* heads, int* next, int* sizes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int bucket = i * 7 % kBuckets;
  for (int lane = 0; lane < 32; ++lane) {
    if (threadIdx.x % 32 != lane) continue;
    take(&locks[bucket]);
    next[i] = heads[bucket];
    heads[bucket] = i;
    ++reinterpret_cast<volatile int*>(sizes)[bucket];
    give(&locks[bucket]);
  }
}

// Every lane of the warp at once: who has the lock waits for nobody.
__global__ void one_lock(int* lock, int* sum) {
  while (atomicCAS(lock, 0, 1) != 0);
  __threadfence();
  *reinterpret_cast<volatile int*>(sum) += threadIdx.x % 3;
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void tickets(unsigned* next, volatile unsigned* serving, int* order) {
  if (threadIdx.x == 0) {
    const unsigned mine = atomicAdd(next, 1u);
    while (*serving != mine);
    order[mine] = blockIdx.x;
    __threadfence();
    *serving = mine + 1;
  }
}

// The last block's first thread begins; each block waits for the one behind it.
__global__ void chain(volatile int* done, int* seen) {
  const int block = blockIdx.x;
  if (threadIdx.x == 0) {
    if (block + 1 < gridDim.x)
      while (done[block + 1] == 0);
    seen[block] = block + 1 < gridDim.x ? seen[block + 1] + 1 : 1;
    __threadfence();
    done[block] = 1;
  }
}

__global__ void meet(unsigned* arrived, int* data, int* wrong, int rounds) {
  for (int r = 0; r < rounds; ++r) {
    data[r * gridDim.x + blockIdx.x] = blockIdx.x + r;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrived, 1u);
      while (atomicAdd(arrived, 0u) < (r + 1) * gridDim.x);
    }
    __syncthreads();
    const int other = (blockIdx.x + 1) % gridDim.x;
    if (reinterpret_cast<volatile int*>(data)[r * gridDim.x + other] != other + r) atomicAdd(wrong, 1);
  }
}

int main() {
  constexpr int kCount = kBlocks * kThreads, kRounds = 20;
  {
    Buffer<int> locks(kBuckets), heads(std::vector<int>(kBuckets, -1)), next(kCount), sizes(kBuckets);
    insert<<<kBlocks, kThreads>>>(locks, heads, next, sizes);
    CK_LAUNCH();
    const std::vector<int> first = heads.get(), behind = next.get(), size = sizes.get();
    std::vector<int> found(kCount, 0);
    for (int b = 0; b < kBuckets; ++b) {
      int length = 0;
      for (int i = first[b]; i >= 0 && length <= kCount; i = behind[i], ++length) {
        EXPECT(i * 7 % kBuckets == b);
        ++found[i];
      }
      EXPECT(length == size[b]);
    }
    expect_same("every element once", found, std::vector<int>(kCount, 1));
  }
  {
    Buffer<int> lock(1), sum(1);
    one_lock<<<kBlocks, kThreads>>>(lock, sum);
    CK_LAUNCH();
    EXPECT(sum.get()[0] == kBlocks * kThreads);  // 0 + 1 + 2 a three threads
  }
  {
    Buffer<unsigned> next(1), serving(1);
    Buffer<int> order(kBlocks);
    tickets<<<kBlocks, kThreads>>>(next, serving, order);
    CK_LAUNCH();
    std::vector<int> served(kBlocks, 0);
    for (int b : order.get()) ++served.at(b);
    expect_same("every block served", served, std::vector<int>(kBlocks, 1));
  }
  {
    constexpr int kChain = 600;
    Buffer<int> done(kChain), seen(kChain);
    chain<<<kChain, kThreads>>>(done, seen);
    CK_LAUNCH();
    EXPECT(seen.get()[0] == kChain);
  }
  {
    Buffer<unsigned> arrived(1);
    Buffer<int> data(kRounds * kBlocks), wrong(1);
    meet<<<kBlocks, kThreads>>>(arrived, data, wrong, kRounds);
    CK_LAUNCH();
    EXPECT(wrong.get()[0] == 0);
  }
  return finish();
}
