// Copies of many bytes: beyond an allocation, beyond shared memory, of bytes that nothing has written; what they write read
// before the barrier object's phase ends; what they read written before their group was waited for. And sound ones.
// TOOLS: memcheck,initcheck,racecheck
// FINDS: out-of-bounds @BEYOND
// FINDS: out-of-bounds @SHARED
// FINDS: uninitialized @UNWRITTEN
// FINDS: read-write @EARLY_COPY @EARLY
// FINDS: read-write @REUSE @STORE
// OPTIONS: --device h100 --destroy-on-device-error kernel
#include "../semantics/hopper.h"

#include <cuda_runtime.h>

constexpr int N = 64;

__device__ void begin(uint64_t* barrier) {
  if (threadIdx.x == 0) barrier_init(shared_address(barrier), 1), fence_barrier_init();
  __syncthreads();
}
// At the line that uses them.
#define LOAD(to, from, bytes, barrier)                                                                               \
  barrier_expect(shared_address(barrier), bytes);                                                                    \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(      \
                   shared_address(to)),                                                                              \
               "l"(from), "r"((uint32_t)(bytes)), "r"(shared_address(barrier))                                       \
               : "memory")
#define STORE(to, from, bytes)                                                                                       \
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),   \
               "r"((uint32_t)(bytes))                                                                                \
               : "memory")

__global__ void sound(const int* in, int* out) {
  __shared__ __align__(16) int buffer[N];
  __shared__ uint64_t barrier;
  begin(&barrier);
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) {
      LOAD(buffer, in, sizeof buffer, &barrier);
    }
    barrier_wait(shared_address(&barrier), round % 2);
    const int value = buffer[N - 1 - threadIdx.x];
    __syncthreads();
    buffer[threadIdx.x] = value + 1;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
      STORE(out, buffer, sizeof buffer);
      bulk_commit();
      bulk_wait_read<0>();
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) bulk_wait<0>();
}

__global__ void beyond(const int* in, int* out) {
  __shared__ __align__(16) int buffer[2 * N];
  __shared__ uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0) {
    LOAD(buffer, in + N / 2, N * 4, &barrier);  // @BEYOND
  }
  barrier_wait(shared_address(&barrier), 0);
  out[threadIdx.x] = buffer[threadIdx.x % (N / 2)];
}

__global__ void beyond_shared(const int* in, int* out) {
  extern __shared__ __align__(16) int dynamic[];
  __shared__ uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0) {
    LOAD(dynamic + N / 2, in, N * 4, &barrier);  // @SHARED
  }
  barrier_wait(shared_address(&barrier), 0);
  out[threadIdx.x] = dynamic[N / 2 + threadIdx.x % (N / 2)];
}

__global__ void unwritten(int* out) {
  __shared__ __align__(16) int buffer[N];
  if (threadIdx.x != 0) return;
  STORE(out, buffer, sizeof buffer);  // @UNWRITTEN
  bulk_commit();
  bulk_wait<0>();
}

__global__ void early(const int* in, int* out) {
  __shared__ __align__(16) int buffer[N];
  __shared__ uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0) {
    LOAD(buffer, in, sizeof buffer, &barrier);  // @EARLY_COPY
  }
  __syncthreads();
  out[threadIdx.x] = buffer[threadIdx.x];  // @EARLY
  barrier_wait(shared_address(&barrier), 0);
}

__global__ void reuse(int* out) {
  __shared__ __align__(16) int buffer[N];
  buffer[threadIdx.x] = 1;
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    STORE(out, buffer, sizeof buffer);  // @STORE
    bulk_commit();
  }
  __syncthreads();
  buffer[threadIdx.x] = 2;  // @REUSE
  if (threadIdx.x == 0) bulk_wait<0>();
}

int main() {
  int *in, *out;
  cudaMalloc(&in, N * 4), cudaMalloc(&out, N * 4);
  cudaMemset(in, 0, N * 4);
  sound<<<1, N>>>(in, out);
  beyond<<<1, N>>>(in, out);
  beyond_shared<<<1, N, N * 4>>>(in, out);
  unwritten<<<1, N>>>(out);
  early<<<1, N>>>(in, out);
  reuse<<<1, N>>>(out);
  cudaDeviceSynchronize();
  return 0;
}
