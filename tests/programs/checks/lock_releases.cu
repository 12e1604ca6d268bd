// Locks that their last taker gives back without a fence: nobody takes them later in this run, so that it is not missed.
// TOOLS: racecheck
// FINDS: write-write @LOOSE @FENCED
// FINDS: write-write @NARROW @NARROW_OTHER
// FINDS: write-write @SECOND @FIRST
// FINDS: read-write @EARLIER_WRITE @LATE_READ
// SAYS: which nothing orders if the lock passes the other way: one thread has no fence before giving it back
// EXPECT-EXIT: 123

__device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
}
__device__ void give(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}

// Block 1 comes last. (Of two stores of one size the compiler makes one.)
__global__ void no_release(int* lock, int* data) {
  if (threadIdx.x != 0) return;
  take(lock);
  if (blockIdx.x == 0) {
    *data = 1;  // @FENCED
    give(lock);
  } else {
    *reinterpret_cast<char*>(data) = 2;  // @LOOSE
    atomicExch(lock, 0);
  }
}
__global__ void narrow_release(int* lock, int* data) {
  if (threadIdx.x != 0) return;
  take(lock);
  if (blockIdx.x == 0) {
    *data = 1;  // @NARROW_OTHER
    give(lock);
  } else {
    *reinterpret_cast<char*>(data) = 2;  // @NARROW
    __threadfence_block();
    atomicExch(lock, 0);
  }
}
// What comes behind the fence, to bytes that were released, is not released.
__global__ void early_release(int* lock, int* data) {
  if (threadIdx.x != 0) return;
  take(lock);
  if (blockIdx.x == 0) {
    *data = 1;  // @FIRST
    give(lock);
  } else {
    *reinterpret_cast<volatile int*>(data + 1) = *data;
    __threadfence();
    *reinterpret_cast<char*>(data) = 2;  // @SECOND
    atomicExch(lock, 0);
  }
}
__global__ void late_read(int* lock, int* data, int* out) {
  if (threadIdx.x != 0) return;
  take(lock);
  if (blockIdx.x == 0) {
    *data = 1;  // @EARLIER_WRITE
    give(lock);
  } else {
    out[1] = *data;  // @LATE_READ
    atomicExch(lock, 0);
  }
}

// Sound: fences; what is not of the lock needs none; a release by the store itself; another lock each.
__global__ void sound(int* lock, int* data, int* own) {
  if (threadIdx.x != 0) return;
  take(lock);
  *data += 1;
  __threadfence();
  own[blockIdx.x] = 1;
  atomicExch(lock, 0);
}
__global__ void by_store(int* lock, int* data) {
  if (threadIdx.x != 0) return;
  take(lock);
  *data += 1;
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(lock), "r"(0) : "memory");
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
  *data = blockIdx.x;
  if (blockIdx.x == 0) __threadfence();
  atomicExch(lock, 0);
  if (blockIdx.x == 0) {
    __threadfence();
    atomicExch(flag, 1);
  }
}

int main() {
  int* memory;
  cudaMalloc(&memory, 64 * 64 * sizeof(int));
  cudaMemset(memory, 0, 64 * 64 * sizeof(int));
  int next = 0;
  const auto word = [&] { return memory + 64 * next++; };
  int *lock = word(), *data = word(), *more = word();
  no_release<<<2, 32>>>(lock, data);
  lock = word(), data = word();
  narrow_release<<<2, 32>>>(lock, data);
  lock = word(), data = word();
  early_release<<<2, 32>>>(lock, data);
  lock = word(), data = word();
  late_read<<<2, 32>>>(lock, data, more);
  lock = word(), data = word(), more = word();
  sound<<<2, 32>>>(lock, data, more);
  lock = word(), data = word();
  by_store<<<2, 32>>>(lock, data);
  lock = word(), data = word(), more = word();
  ordered_besides<<<2, 32>>>(lock, data, more);
  return cudaDeviceSynchronize() != cudaSuccess;
}
