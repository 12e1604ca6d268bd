// Locks taken by compare-and-swap: both threads need a fence behind it, whoever takes the lock first in this run. What is
// no lock, or is ordered besides, needs none.
// TOOLS: racecheck
// FINDS: write-write @FENCED @NO_FENCE
// FINDS: write-write @NARROW_OTHER @NARROW
// FINDS: write-write @IN_BLOCK_OTHER @IN_BLOCK
// FINDS: read-write @AFTER_READ @EARLY_READ
// SAYS: which nothing orders if the lock passes the other way: one thread has no fence behind taking it

__device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
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
__global__ void narrow(int* lock, int* data) {
  if (threadIdx.x != 0) return;
  take(lock);
  if (blockIdx.x == 0) {
    __threadfence_block();
    *data = 1;  // @NARROW
  } else {
    __threadfence();
    *reinterpret_cast<char*>(data) = 2;  // @NARROW_OTHER
  }
  give(lock);
}
// In a block the narrow fence is enough, and none is not.
__global__ void in_block(int* lock, int* data) {
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
// A section that reads before its fence.
__global__ void early_read(int* lock, int* data, int* out) {
  if (threadIdx.x != 0) return;
  take(lock);
  const int seen = blockIdx.x == 0 ? *data : 0;  // @EARLY_READ
  __threadfence();
  if (blockIdx.x != 0) *data = 3;  // @AFTER_READ
  out[blockIdx.x] = seen;
  give(lock);
}

// A slot that is filled once, and emptied once: the swaps are for different values, and cannot come the other way.
__global__ void hand_over(int* slot, int* data, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    if (atomicCAS(slot, 0, 1) != 0) return;
    *data = 7;
    __threadfence();
    atomicExch(slot, 2);
  } else if (blockIdx.x == 1) {
    while (atomicCAS(slot, 2, 3) != 2) {
    }
    __threadfence();
    *out = *data;
    atomicExch(slot, 4);
  }
}
// Sums by compare-and-swap, which nobody gives back, beside another order.
__global__ void sums(int* sum, int* data, int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 1) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
  }
  int old = *static_cast<volatile int*>(sum), seen;
  while ((seen = atomicCAS(sum, old, old + 1)) != old) old = seen;
  *data = blockIdx.x;
  if (blockIdx.x == 0) {
    __threadfence();
    atomicExch(flag, 1);
  }
}
// The second block waits for the first one before it takes the lock.
__global__ void ordered_besides(int* lock, int* data, int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 1) {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
  }
  take(lock);
  if (blockIdx.x == 1) __threadfence();
  *data = blockIdx.x;
  give(lock);
  if (blockIdx.x == 0) {
    __threadfence();
    atomicExch(flag, 1);
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
    int *sum = take(), *last = take();
    sums<<<2, 32>>>(sum, last, take());
    int *other = take(), *both = take();
    ordered_besides<<<2, 32>>>(other, both, take());
  }
  if (!only || only == '1') {
    int *lock = take(), *data = take();
    no_fence<<<2, 32>>>(lock, data);
  }
  if (!only || only == '2') {
    int *lock = take(), *data = take();
    narrow<<<2, 32>>>(lock, data);
  }
  if (!only || only == '3') {
    int *lock = take(), *data = take();
    in_block<<<1, 64>>>(lock, data);
  }
  if (!only || only == '4') {
    int *lock = take(), *data = take();
    early_read<<<2, 32>>>(lock, data, take());
  }
  return cudaDeviceSynchronize() != cudaSuccess;
}
