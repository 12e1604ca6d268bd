// Locks taken by exchanges: both threads need a fence behind it, whoever takes the lock first in this run. What hands
// something on by an exchange, or claims it once, is no lock.
// TOOLS: racecheck
// FINDS: write-write @FENCED @NO_FENCE
// FINDS: write-write @NO_FENCE_LATER @ALSO_FENCED
// FINDS: write-write @IN_BLOCK_OTHER @IN_BLOCK
// FINDS: read-write @AFTER_READ @EARLY_READ
// SAYS: which nothing orders if the lock passes the other way: one thread has no fence behind taking it

__device__ void take(int* lock) {
  while (atomicExch(lock, 1) != 0) {
  }
}
__device__ void give(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void sound(int* lock, int* data) {
  if (threadIdx.x != 0) return;
  take(lock);
  __threadfence();
  *data = blockIdx.x;
  give(lock);
  take(lock);
  __threadfence();
  *data += 1;
  __threadfence();
  *static_cast<volatile int*>(lock) = 0;
}
// Block 0 comes first in this run, and has nothing to learn from anybody. (Of two stores of one size the compiler makes one.)
__global__ void no_fence(int* lock, int* data) {
  if (threadIdx.x != 0) return;
  take(lock);
  if (blockIdx.x == 0) {
    *data = 1;  // @NO_FENCE
  } else {
    __threadfence();
    *reinterpret_cast<char*>(data) = 2;  // @FENCED
  }
  give(lock);
}
// The other one lacks it: that is found as it ran.
__global__ void no_fence_later(int* lock, int* data) {
  if (threadIdx.x != 0) return;
  take(lock);
  if (blockIdx.x == 0) {
    __threadfence();
    *data = 1;  // @ALSO_FENCED
  } else {
    *reinterpret_cast<char*>(data) = 2;  // @NO_FENCE_LATER
  }
  give(lock);
}
// In a block the narrow fence is enough, and none is not; the lock is in shared memory.
__global__ void in_block(int* data) {
  __shared__ int lock[2];
  if (threadIdx.x < 2) lock[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  take(lock);
  __threadfence_block();
  data[0] += 1;
  give(lock);
  take(lock + 1);
  if (threadIdx.x == 0) {
    data[1] = 1;  // @IN_BLOCK
  } else {
    __threadfence_block();
    *reinterpret_cast<char*>(data + 1) = 2;  // @IN_BLOCK_OTHER
  }
  give(lock + 1);
}
// A section that reads before its fence, of a lock that is tried once and given back by a strong store.
__global__ void early_read(int* lock, int* data, int* out) {
  if (threadIdx.x != 0) return;
  if (atomicExch(lock, 1) != 0) return;
  const int seen = blockIdx.x == 0 ? *data : 0;  // @EARLY_READ
  __threadfence();
  if (blockIdx.x != 0) *data = 3;  // @AFTER_READ
  out[blockIdx.x] = seen;
  __threadfence();
  *static_cast<volatile int*>(lock) = 0;
}

// A slot that is filled and emptied by exchanges: each is for another value, and cannot come the other way.
__global__ void hand_over(int* slot, int* data, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 7;
    __threadfence();
    out[2] = atomicExch(slot, 2);
    while (atomicAdd(slot, 0) != 4) {
    }
    atomicExch(slot, 5);
  } else if (blockIdx.x == 1) {
    while (atomicAdd(slot, 0) != 2) {
    }
    __threadfence();
    *out = *data;
    *data = 8;
    out[3] = atomicExch(slot, 4);
  }
}
// A list that grows at its head: what a node holds is written before, and read behind.
__global__ void list(int* head, int* next, int* value, int* sum) {
  if (threadIdx.x != 0) return;
  for (int node = 2 * blockIdx.x + 1; node < 2 * static_cast<int>(blockIdx.x) + 3; ++node) {
    value[node] = node;
    __threadfence();
    next[node] = atomicExch(head, node);
  }
  __threadfence();
  sum[blockIdx.x] = value[2 * blockIdx.x + 1] + value[2 * blockIdx.x + 2];
}
// Who comes first does the work, and does not give it back; the flag that says so is another one.
__global__ void once(int* claimed, int* done, int* data, int* out) {
  if (threadIdx.x != 0) return;
  if (atomicExch(claimed, 1) == 0) {
    *data = 5;
    __threadfence();
    atomicExch(done, 1);
  } else {
    while (atomicAdd(done, 0) == 0) {
    }
    __threadfence();
    out[blockIdx.x] = *data;
  }
}

int main(int argc, char** argv) {
  const char only = argc > 1 ? argv[1][0] : 0;
  int* memory;
  cudaMalloc(&memory, 64 * 64 * sizeof(int));
  cudaMemset(memory, 0, 64 * 64 * sizeof(int));
  int next = 0;
  const auto take = [&] { return memory + 64 * next++; };
  if (!only || only == '0') {
    int *lock = take(), *data = take();
    sound<<<2, 32>>>(lock, data);
    int *slot = take(), *value = take();
    hand_over<<<2, 32>>>(slot, value, take());
    int *head = take(), *links = take(), *values = take();
    list<<<3, 32>>>(head, links, values, take());
    int *claimed = take(), *done = take(), *made = take();
    once<<<3, 32>>>(claimed, done, made, take());
  }
  if (!only || only == '1') {
    int *lock = take(), *data = take();
    no_fence<<<2, 32>>>(lock, data);
  }
  if (!only || only == '2') {
    int *lock = take(), *data = take();
    no_fence_later<<<2, 32>>>(lock, data);
  }
  if (!only || only == '3') in_block<<<1, 64>>>(take());
  if (!only || only == '4') {
    int *lock = take(), *data = take();
    early_read<<<2, 32>>>(lock, data, take());
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
