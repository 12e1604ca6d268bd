// Spin locks within a warp, across warps and across blocks: all of them must terminate.
#include "check.h"

// Blocks work until there is nothing left in any of them: the loop that waits for others has barriers of the block, and
// takes a lock.
__global__ void until_all_are_done(int* work, int* locks, int* rounds) {
  __shared__ bool done[2];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  bool ends = false;
  while (!ends) {
    while (lane == 0 && atomicCAS_block(&locks[blockIdx.x], 0, 1) != 0) {
    }
    __syncwarp();
    if (lane == 0 && atomicAdd(&work[blockIdx.x], 0) > 0) {
      atomicSub(&work[blockIdx.x], 1);
      atomicAdd(&rounds[blockIdx.x], 1);
    }
    if (lane == 0) {
      __threadfence_block();
      atomicExch_block(&locks[blockIdx.x], 0);
      done[warp] = true;
      for (int i = 0; i < gridDim.x; ++i)
        if (atomicAdd(&work[i], 0) > 0) done[warp] = false;
    }
    __syncthreads();
    ends = done[0] && done[1];
    __syncthreads();
  }
}

// The textbook lock: all threads contend for one word.
__global__ void one_lock(int* lock, volatile int* counter) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *counter = *counter + 1;
  __threadfence();
  atomicExch(lock, 0);
}

// The form that also terminates on lockstep hardware: the critical section is inside the loop.
__global__ void done_flag(int* lock, volatile int* counter) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *counter = *counter + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// One lock a bucket; threads of a warp need different and equal ones. The backoff sleeps.
__global__ void buckets(int* locks, volatile int* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, b = i * 7 % n;
  unsigned wait = 8;
  while (atomicCAS(&locks[b], 0, 1) != 0) {
    __nanosleep(wait);
    if (wait < 256) wait *= 2;
  }
  __threadfence();
  sums[b] = sums[b] + i;
  __threadfence();
  atomicExch(&locks[b], 0);
}

// First come, first served.
__global__ void ticket(unsigned* next, volatile unsigned* serving, volatile int* log) {
  unsigned mine = atomicAdd(next, 1u);
  while (*serving != mine) {
  }
  __threadfence();
  log[mine] = blockIdx.x * blockDim.x + threadIdx.x;
  __threadfence();
  *serving = mine + 1;
}

// Two locks taken in address order by each thread: a transfer between accounts.
__global__ void transfer(int* locks, volatile int* accounts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int from = i % n, to = (i * 5 + 1) % n;
  if (from == to) return;
  int first = from < to ? from : to, second = from < to ? to : from;
  while (atomicCAS(&locks[first], 0, 1) != 0) {
  }
  while (atomicCAS(&locks[second], 0, 1) != 0) {
  }
  __threadfence();
  accounts[from] = accounts[from] - 3;
  accounts[to] = accounts[to] + 3;
  __threadfence();
  atomicExch(&locks[second], 0);
  atomicExch(&locks[first], 0);
}

// A lock in shared memory.
__global__ void shared_lock(int* out) {
  __shared__ int lock;
  __shared__ volatile int counter;
  if (threadIdx.x == 0) lock = 0, counter = 0;
  __syncthreads();
  for (int k = 0; k < 3; ++k) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    counter = counter + 1;
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = counter;
}

int main() {
  {
    Buffer<int> lock(1), counter(1);
    one_lock<<<6, 96>>>(lock, counter);
    CK_LAUNCH();
    expect_same("one_lock", counter.get(), {6 * 96});
  }
  {
    Buffer<int> lock(1), counter(1);
    done_flag<<<6, 96>>>(lock, counter);
    CK_LAUNCH();
    expect_same("done_flag", counter.get(), {6 * 96});
  }
  {
    const int n = 13;
    Buffer<int> locks(n), sums(n);
    buckets<<<8, 64>>>(locks, sums, n);
    CK_LAUNCH();
    std::vector<int> want(n, 0);
    for (int i = 0; i < 512; ++i) want[i * 7 % n] += i;
    expect_same("buckets", sums.get(), want);
  }
  {
    Buffer<unsigned> next(1), serving(1);
    Buffer<int> log(256);
    ticket<<<4, 64>>>(next, serving, log);
    CK_LAUNCH();
    std::vector<int> got = log.get(), seen(256, 0);
    for (int i : got)
      if (i >= 0 && i < 256) ++seen[i];
    expect_same("ticket", seen, std::vector<int>(256, 1));
  }
  {
    const int n = 10;
    Buffer<int> locks(n), accounts(n);
    transfer<<<5, 64>>>(locks, accounts, n);
    CK_LAUNCH();
    std::vector<int> want(n, 0);
    for (int i = 0; i < 320; ++i)
      if (i % n != (i * 5 + 1) % n) want[i % n] -= 3, want[(i * 5 + 1) % n] += 3;
    expect_same("transfer", accounts.get(), want);
  }
  {
    Buffer<int> out(4);
    shared_lock<<<4, 128>>>(out);
    CK_LAUNCH();
    expect_same("shared_lock", out.get(), std::vector<int>(4, 384));
  }
  {
    Buffer<int> work(std::vector<int>{3, 1, 4, 1, 5, 9, 2, 6}), locks(8), rounds(8);
    until_all_are_done<<<8, 64>>>(work, locks, rounds);
    CK_LAUNCH();
    expect_same("until_all_are_done", rounds.get(), {3, 1, 4, 1, 5, 9, 2, 6});
  }
  return finish();
}
