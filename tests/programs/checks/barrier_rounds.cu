// A pipeline of one buffer with a barrier object for "full" and one for "empty": with the parities of its rounds, and
// with a consumer that is a round ahead: its first wait passes, as a producer's does, so it reads too early. Where it says
// that the buffer is empty, the producer misses a phase, and waits for the next one of that parity.
// TOOLS: racecheck,synccheck
// FINDS: read-write @FILL @EARLY
// FINDS: barrier-deadlock @FULL
// EXPECT-EXIT: 1
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

#define WAIT(b, parity)                                                                                           \
  asm volatile("{.reg .pred p;\nW%=: mbarrier.test_wait.parity.shared.b64 p, [%0], %1;\n@!p bra W%=;}" ::"r"(      \
                   static_cast<unsigned>(__cvta_generic_to_shared(&(b)))),                                        \
               "r"(parity)                                                                                        \
               : "memory")

__device__ void fill(Barrier& full, Barrier& empty, int* buffer, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    WAIT(empty, i & 1 ^ 1);
    buffer[threadIdx.x % 32] = i;  // @FILL
    full.arrive();
  }
}

__global__ void in_step(int* out) {
  __shared__ Barrier full, empty;
  __shared__ int buffer[32];
  if (threadIdx.x == 0) init(&full, 32), init(&empty, 32);
  __syncthreads();
  if (threadIdx.x < 32) return fill(full, empty, buffer, 8);
  int sum = 0;
  for (int i = 0; i < 8; ++i) {
    WAIT(full, i & 1);
    sum += buffer[31 - threadIdx.x % 32];
    empty.arrive();
  }
  out[threadIdx.x] = sum;
}

__global__ void ahead(int* out) {
  __shared__ Barrier full, empty;
  __shared__ int buffer[32];
  if (threadIdx.x == 0) init(&full, 32), init(&empty, 32);
  __syncthreads();
  if (threadIdx.x >= 32) return fill(full, empty, buffer, 8);
  int sum = 0;
  for (int i = 0; i < 8; ++i) {
    WAIT(full, i & 1 ^ 1);  // @FULL
    sum += buffer[31 - threadIdx.x % 32];
    empty.arrive();
  }
  out[threadIdx.x] = sum;
}

// One round, and nobody says that the buffer is empty.
__global__ void early(int* out) {
  __shared__ Barrier full, empty;
  __shared__ int buffer[32];
  if (threadIdx.x == 0) init(&full, 32), init(&empty, 32);
  __syncthreads();
  if (threadIdx.x >= 32) return fill(full, empty, buffer, 1);
  WAIT(full, 1);
  out[threadIdx.x] = buffer[31 - threadIdx.x];  // @EARLY
}

// Lanes of one warp fill, others empty.
__global__ void one_warp(int* out) {
  __shared__ Barrier full, empty;
  __shared__ int buffer[16];
  if (threadIdx.x == 0) init(&full, 16), init(&empty, 16);
  __syncthreads();
  if (threadIdx.x < 16) return fill(full, empty, buffer, 8);
  int sum = 0;
  for (int i = 0; i < 8; ++i) {
    WAIT(full, i & 1);
    sum += buffer[31 - threadIdx.x];
    empty.arrive();
  }
  out[threadIdx.x] = sum;
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  in_step<<<1, 64>>>(out);
  one_warp<<<1, 32>>>(out);
  early<<<1, 64>>>(out);
  ahead<<<1, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
