// Barrier objects by what orders their uses: arrivals that may count for the phase before, and waits by a parity that is
// out of step, whichever way they come in this run; and sound ones.
// TOOLS: racecheck
// FINDS: barrier-order @UNWAITED
// FINDS: barrier-order @TWICE
// FINDS: barrier-order @OTHERS
// FINDS: barrier-order @PARITY
// SAYS: nothing orders that behind all arrivals of phase 0
// SAYS: parity 1 waits for phase 1
// EXPECT-EXIT: 123
#include <cuda/barrier>

#include <cstdint>

#define SHARED(b) static_cast<uint32_t>(__cvta_generic_to_shared(b))
#define INIT(b, n) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(b)), "r"(n) : "memory")
#define ARRIVE(b) asm volatile("{.reg .b64 t;\nmbarrier.arrive.shared.b64 t, [%0];}" ::"r"(SHARED(b)) : "memory")
#define TEST_PARITY(b, parity, done)                                                                                  \
  asm volatile("{.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;}"            \
               : "=r"(done)                                                                                           \
               : "r"(SHARED(b)), "r"(parity)                                                                          \
               : "memory")
#define WAIT(b, parity)        \
  for (int done = 0; done == 0;) TEST_PARITY(b, parity, done)

// Two warps, one thread each. Warp 1 does not wait for phase 0 before it arrives in phase 1.
__global__ void unwaited(int* out) {
  __shared__ uint64_t b;
  if (threadIdx.x == 0) INIT(&b, 2);
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  ARRIVE(&b);
  if (threadIdx.x == 0) WAIT(&b, 0);
  if (threadIdx.x == 32)
    while (atomicAdd(out, 0) == 0) {  // relaxed: it learns nothing
    }
  else
    atomicExch(out, 1);
  ARRIVE(&b);  // @UNWAITED
  WAIT(&b, 1);
}
// The count is for each thread twice; warp 1 comes once more in the first round, and once less in the second.
__global__ void twice(int* out) {
  __shared__ uint64_t b;
  if (threadIdx.x == 0) INIT(&b, 4);
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  if (threadIdx.x == 0) {
    ARRIVE(&b);
    while (atomicAdd(out, 0) == 0) {
    }
    ARRIVE(&b);  // @TWICE
    WAIT(&b, 0);
  } else {
    ARRIVE(&b);
    ARRIVE(&b);
    ARRIVE(&b);
    atomicExch(out, 1);
    WAIT(&b, 0);
  }
}
// A count of one warp, at which two arrive: each of them is a phase.
__global__ void half_count() {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  if (threadIdx.x == 0) init(&b, 32);
  __syncthreads();
  b.arrive_and_wait();  // @OTHERS
}
// Warp 1 arrives in phase 0, and waits for phase 1, which is the one before phase 0 as long as that runs.
__global__ void parity(int* out) {
  __shared__ uint64_t b;
  if (threadIdx.x == 0) INIT(&b, 2);
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  ARRIVE(&b);
  if (threadIdx.x == 0) {
    WAIT(&b, 0);
    atomicExch(out, 1);
  } else {
    while (atomicAdd(out, 0) == 0) {
    }
    int done;
    TEST_PARITY(&b, 1, done);  // @PARITY
    out[1] = done;
  }
}

// Each waits before it arrives again; the last one by what another thread tells it.
__global__ void sound(int* out) {
  __shared__ uint64_t b, back;
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  if (threadIdx.x == 0) {
    INIT(&b, 64);
    INIT(&back, 1);
    init(&all, blockDim.x);
  }
  __syncthreads();
  for (unsigned round = 0; round < 4; ++round) {
    ARRIVE(&b);
    WAIT(&b, round & 1);
    all.arrive_and_wait();
  }
  // Warp 0 alone waits, and tells warp 1.
  for (unsigned round = 0; round < 4; ++round) {
    ARRIVE(&b);
    if (threadIdx.x < 32) {
      WAIT(&b, round & 1);
      __syncwarp();
      if (threadIdx.x == 0) ARRIVE(&back);
    } else {
      WAIT(&back, round & 1);
    }
  }
  ARRIVE(&b);
  __syncthreads();
  ARRIVE(&b);
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

int main(int argc, char** argv) {
  const char only = argc > 1 ? argv[1][0] : 0;
  int* out;
  cudaMalloc(&out, 8 * sizeof(int));
  const auto zero = [&] { cudaMemset(out, 0, 8 * sizeof(int)); };
  zero();
  if (!only || only == '0') sound<<<2, 64>>>(out);
  zero();
  if (!only || only == '1') unwaited<<<1, 64>>>(out);
  zero();
  if (!only || only == '2') twice<<<1, 64>>>(out);
  if (!only || only == '3') half_count<<<1, 64>>>();
  zero();
  if (!only || only == '4') parity<<<1, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
