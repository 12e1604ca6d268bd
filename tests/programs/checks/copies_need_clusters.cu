// Copies that only launches with clusters can do, be these of one block: from shared memory to shared memory, to other
// blocks, and st.async. Elsewhere they are findings, the copies are left out, and who waits for their bytes goes on. So
// is a copy to a block that the cluster does not have.
// TOOLS: memcheck,synccheck
// FINDS: misaligned @WITHIN
// FINDS: misaligned @SEVERAL
// FINDS: misaligned @STORE
// FINDS: misaligned @TOO_FAR
// SAYS: copy from shared memory to shared memory in a launch without clusters
// SAYS: copy to other blocks in a launch without clusters
// SAYS: asynchronous store in a launch without clusters
// SAYS: copy to block 1 of a cluster of 1 block
// OPTIONS: --device h200 --destroy-on-device-error kernel
// EXPECT-EXIT: 123
#include <cuda_runtime.h>

#include "../semantics/hopper.h"

constexpr int N = 64;

// Copies twice, at the lines that use it.
#define WITHIN(to, from)                                                                                            \
  barrier_expect(shared_address(&barrier), 64);                                                                     \
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];" ::"r"( \
                   shared_address(to)),                                                                             \
               "r"(shared_address(from)), "r"(shared_address(&barrier))                                             \
               : "memory")
#define SEVERAL(to, from, blocks)                                                                                            \
  barrier_expect(shared_address(&barrier), 64);                                                                      \
  asm volatile(                                                                                                      \
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 64, [%2], %3;" \
      ::"r"(shared_address(to)),                                                                                     \
      "l"(from), "r"(shared_address(&barrier)), "h"((short)(blocks))                                                        \
      : "memory")

__global__ void without(const int* in, int* out) {
  __shared__ __align__(128) int from[N], to[N], own[32];
  __shared__ uint64_t barrier;
  from[threadIdx.x] = threadIdx.x, to[threadIdx.x] = 1;
  if (threadIdx.x == 0) barrier_init(shared_address(&barrier), 1);
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    WITHIN(to, from);  // @WITHIN
    barrier_wait(shared_address(&barrier), 0);
    SEVERAL(to + 32, in, 3);  // @SEVERAL
    barrier_wait(shared_address(&barrier), 1);
    SEVERAL(own, in, 1);
    barrier_wait(shared_address(&barrier), 0);
    barrier_expect(shared_address(&barrier), 4);
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], 5, [%1];" ::"r"(shared_address(own)), "r"(shared_address(&barrier)) : "memory");  // @STORE
    barrier_wait(shared_address(&barrier), 1);
  }
  __syncthreads();
  out[threadIdx.x] = to[threadIdx.x];
}
__global__ void __cluster_dims__(1, 1, 1) with(const int* in, int* out) {
  __shared__ __align__(128) int from[N], to[N];
  __shared__ uint64_t barrier;
  from[threadIdx.x] = threadIdx.x, to[threadIdx.x] = 1;
  if (threadIdx.x == 0) barrier_init(shared_address(&barrier), 1);
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    WITHIN(to, from);
    barrier_wait(shared_address(&barrier), 0);
    SEVERAL(to + 32, in, 1);
    barrier_wait(shared_address(&barrier), 1);
    SEVERAL(to, in, 2);  // @TOO_FAR
    barrier_wait(shared_address(&barrier), 0);
  }
  __syncthreads();
  out[threadIdx.x] = to[threadIdx.x];
}

int main() {
  int *in, *out, host[N];
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemset(in, 0, sizeof host);
  with<<<1, N>>>(in, out);
  without<<<1, N>>>(in, out);
  if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (int i = 0; i < N; ++i)
    if (host[i] != 1) return 1;  // left out
  return 0;
}
