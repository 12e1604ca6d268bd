// Stores whose bytes a barrier object counts (st.async, red.async): read behind the wait for it, and before.
// TOOLS: racecheck,synccheck,memcheck,initcheck
// FINDS: read-write @EARLY @READ_EARLY
// FINDS: read-write @PLAIN @READ_PLAIN
// OPTIONS: --device h100
// EXPECT-EXIT: 123
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "../semantics/hopper.h"

namespace cg = cooperative_groups;
constexpr int N = 64;

__device__ unsigned of_block(const void* p, unsigned rank) {
  unsigned at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared_address(p)), "r"(rank));
  return at;
}
#define STORE(to, value, object)                                                                                   \
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to), "r"(value), \
               "r"(object)                                                                                         \
               : "memory")
#define ADD(to, value, object)                                                                                        \
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"( \
                   to),                                                                                               \
               "r"(value), "r"(object)                                                                                \
               : "memory")

__device__ void begin(uint64_t* object, unsigned bytes) {
  if (threadIdx.x == 0) {
    barrier_init(shared_address(object), 1);
    fence_barrier_init();
    barrier_expect(shared_address(object), bytes);
  }
  cg::this_cluster().sync();
}

__global__ void __cluster_dims__(2, 1, 1) sound(unsigned* out) {
  __shared__ unsigned got[N], sum;
  __shared__ uint64_t object;
  const unsigned other = 1 - cg::this_cluster().block_rank();
  if (threadIdx.x == 0) sum = 0;
  begin(&object, 2 * N * 4);
  STORE(of_block(got + threadIdx.x, other), threadIdx.x, of_block(&object, other));
  ADD(of_block(&sum, other), threadIdx.x, of_block(&object, other));
  barrier_wait(shared_address(&object), 0);
  out[blockIdx.x * N + threadIdx.x] = got[N - 1 - threadIdx.x] + sum;
  cg::this_cluster().sync();
}
__global__ void __cluster_dims__(2, 1, 1) early(unsigned* out) {
  __shared__ unsigned got[N];
  __shared__ uint64_t object;
  const unsigned other = 1 - cg::this_cluster().block_rank();
  got[threadIdx.x] = 0;
  begin(&object, N * 4);
  STORE(of_block(got + threadIdx.x, other), threadIdx.x, of_block(&object, other));  // @EARLY
  out[blockIdx.x * N + threadIdx.x] = got[N - 1 - threadIdx.x];                      // @READ_EARLY
  barrier_wait(shared_address(&object), 0);
  cg::this_cluster().sync();
}
// The bytes' count tells of them alone, not of what their thread stored before: ptxas has no fence before a STAS, as it
// has before an arrival that releases.
__global__ void __cluster_dims__(2, 1, 1) before(unsigned* out) {
  __shared__ unsigned got[N], plain[N];
  __shared__ uint64_t object;
  const unsigned other = 1 - cg::this_cluster().block_rank();
  begin(&object, N * 4);
  cg::this_cluster().map_shared_rank(plain, other)[threadIdx.x] = threadIdx.x;  // @PLAIN
  STORE(of_block(got + threadIdx.x, other), threadIdx.x, of_block(&object, other));
  barrier_wait(shared_address(&object), 0);
  out[blockIdx.x * N + threadIdx.x] = got[N - 1 - threadIdx.x];
  out[blockIdx.x * N + threadIdx.x] += plain[threadIdx.x];  // @READ_PLAIN
  cg::this_cluster().sync();
}

int main() {
  unsigned* out;
  cudaMalloc(&out, 2 * N * sizeof *out);
  sound<<<2, N>>>(out);
  early<<<2, N>>>(out);
  before<<<2, N>>>(out);
  return cudaDeviceSynchronize();
}
