// Races in shared memory between blocks of a cluster: what is ordered by the cluster's barrier, by a barrier object of
// another block, by atomics, a release and an acquire of the cluster's scope, by a copy to several blocks; and the same without the order.
// TOOLS: racecheck
// FINDS: read-write @UNSYNCED @READ_UNSYNCED
// FINDS: read-write @AGAIN @READ_BEFORE
// FINDS: read-write @RELAXED @READ_RELAXED
// FINDS: write-write @BOTH @BOTH
// FINDS: read-write @OF_BLOCK @READ_OF_BLOCK
// FINDS: write-write @PLAIN @BESIDE
// FINDS: read-write @HANDED @READ_EARLY
// FINDS: read-write @PUT @READ_OBJECT
// FINDS: write-write @COUNT_OF_BLOCK @COUNT_OF_BLOCK
// FINDS: read-write @COPIED @READ_COPY
// SAYS: shared memory of block (0,0,0) at offset 0x0
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
__device__ void arrive_at(unsigned object) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(object) : "memory");
}
__device__ void release_cluster(unsigned at, int value) {
  asm volatile("st.release.cluster.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory");
}
__device__ void release_block(unsigned at, int value) {
  asm volatile("st.release.cta.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory");
}
__device__ int acquire_cluster(const int* p) {
  int value;
  asm volatile("ld.acquire.cluster.shared::cta.u32 %0, [%1];" : "=r"(value) : "r"(shared_address(p)) : "memory");
  return value;
}
// Objects and words that all blocks of the cluster know before they go on.
__device__ void begin(uint64_t* object, unsigned arrivals) {
  if (threadIdx.x == 0) barrier_init(shared_address(object), arrivals), fence_barrier_init();
  cg::this_cluster().sync();
}
__device__ void begin(int* word) {
  if (threadIdx.x == 0) *word = 0;
  cg::this_cluster().sync();
}
// The same place in the other one of two blocks.
__device__ int* in_other(int* p) {
  const auto cluster = cg::this_cluster();
  return cluster.map_shared_rank(p, 1 - cluster.block_rank());
}
// For each block of the mask.
#define COPY_TO_ALL(to, from, bytes, object, mask)                                                                      \
  asm volatile(                                                                                                        \
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" \
      ::"r"(shared_address(to)),                                                                                       \
      "l"(from), "r"(unsigned(bytes)), "r"(shared_address(object)), "h"((unsigned short)(mask))                        \
      : "memory")

// ---- sound
__global__ void __cluster_dims__(2, 1, 1) rounds(int* out) {
  __shared__ int own[N];
  const auto cluster = cg::this_cluster();
  const int* theirs = in_other(own);
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    own[threadIdx.x] = i;
    cluster.sync();
    sum += theirs[(threadIdx.x + 1) % N];
    cluster.sync();
  }
  out[blockIdx.x * N + threadIdx.x] = sum;
}
// Lanes of one instruction in both blocks.
__global__ void __cluster_dims__(2, 1, 1) histogram(const int* in, int* out) {
  __shared__ int bins[N], locks[N];
  const auto cluster = cg::this_cluster();
  bins[threadIdx.x] = 0, locks[threadIdx.x] = 0;
  cluster.sync();
  const int bin = in[threadIdx.x];
  atomicAdd(&cluster.map_shared_rank(bins, bin % 2)[bin], 1);
  atomicCAS(&cluster.map_shared_rank(locks, bin % 2)[bin], 0, 1);
  cluster.sync();
  out[blockIdx.x * N + threadIdx.x] = bins[threadIdx.x] + locks[threadIdx.x];
}
__global__ void __cluster_dims__(2, 1, 1) handed(int* out) {
  __shared__ int given[N];
  __shared__ uint64_t object;
  const auto cluster = cg::this_cluster();
  const unsigned other = 1 - cluster.block_rank();
  begin(&object, N);
  in_other(given)[threadIdx.x] = threadIdx.x;
  arrive_at(of_block(&object, other));
  barrier_wait(shared_address(&object), 0);
  out[blockIdx.x * N + threadIdx.x] = given[(threadIdx.x + 1) % N];
  cluster.sync();
}
__global__ void __cluster_dims__(2, 1, 1) released(int* out) {
  __shared__ int given[N], flag;
  const auto cluster = cg::this_cluster();
  begin(&flag);
  if (cluster.block_rank() == 0) {
    cluster.map_shared_rank(given, 1)[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) release_cluster(of_block(&flag, 1), 1);
  } else {
    while (acquire_cluster(&flag) == 0) {
    }
    out[threadIdx.x] = given[(threadIdx.x + 1) % N];
  }
  cluster.sync();
}
__global__ void __cluster_dims__(2, 1, 1) copied(const int* in, int* out) {
  __shared__ alignas(128) int got[N];
  __shared__ uint64_t object, read;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    barrier_init(shared_address(&object), 1), barrier_init(shared_address(&read), 2 * N), fence_barrier_init();
  }
  cluster.sync();
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x == 0) barrier_expect(shared_address(&object), sizeof got);
    if (threadIdx.x == 0 && cluster.block_rank() == 0) {
      if (i > 0) barrier_wait(shared_address(&read), (i - 1) % 2);
      COPY_TO_ALL(got, in, sizeof got, &object, 3);
    }
    barrier_wait(shared_address(&object), i % 2);
    sum += got[threadIdx.x];
    arrive_at(of_block(&read, 0));
  }
  out[blockIdx.x * N + threadIdx.x] = sum;
  cluster.sync();
}

// ---- not
__global__ void __cluster_dims__(2, 1, 1) unsynced(int* out) {
  __shared__ int own[N];
  own[threadIdx.x] = threadIdx.x;  // @UNSYNCED
  __syncthreads();
  out[blockIdx.x * N + threadIdx.x] = in_other(own)[threadIdx.x];  // @READ_UNSYNCED
  cg::this_cluster().sync();
}
__global__ void __cluster_dims__(2, 1, 1) written_again(int* out) {
  __shared__ int own[N];
  const auto cluster = cg::this_cluster();
  own[threadIdx.x] = threadIdx.x;
  cluster.sync();
  out[blockIdx.x * N + threadIdx.x] = in_other(own)[threadIdx.x];  // @READ_BEFORE
  __syncthreads();
  own[threadIdx.x] = 1;  // @AGAIN
  cluster.sync();
}
__global__ void __cluster_dims__(2, 1, 1) relaxed(int* out) {
  __shared__ int own[N];
  own[threadIdx.x] = threadIdx.x;  // @RELAXED
  __cluster_barrier_arrive_relaxed();
  __cluster_barrier_wait();
  out[blockIdx.x * N + threadIdx.x] = in_other(own)[threadIdx.x];  // @READ_RELAXED
  cg::this_cluster().sync();
}
__global__ void __cluster_dims__(2, 1, 1) both(int* out) {
  __shared__ int own[N];
  const auto cluster = cg::this_cluster();
  cluster.sync();
  cluster.map_shared_rank(own, 0)[threadIdx.x] = blockIdx.x;  // @BOTH
  cluster.sync();
  out[blockIdx.x * N + threadIdx.x] = cluster.map_shared_rank(own, 0)[threadIdx.x];
  cluster.sync();
}
// The scope of the release has its own block alone.
__global__ void __cluster_dims__(2, 1, 1) released_to_block(int* out) {
  __shared__ int given[N], flag;
  const auto cluster = cg::this_cluster();
  begin(&flag);
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    *cluster.map_shared_rank(given, 1) = 1;  // @OF_BLOCK
    __threadfence_block();
    asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], 1;" ::"r"(of_block(&flag, 1)) : "memory");
  } else if (cluster.block_rank() == 1) {
    while (acquire_cluster(&flag) == 0) {
    }
    out[threadIdx.x] = given[0];  // @READ_OF_BLOCK
  }
  cluster.sync();
}
__global__ void __cluster_dims__(2, 1, 1) beside_atomics(int* out) {
  __shared__ int own[N];
  const auto cluster = cg::this_cluster();
  own[threadIdx.x] = 0;  // @PLAIN
  __syncthreads();
  atomicAdd(&in_other(own)[threadIdx.x], 1);  // @BESIDE
  cluster.sync();
  out[blockIdx.x * N + threadIdx.x] = own[threadIdx.x];
}
__global__ void __cluster_dims__(2, 1, 1) not_awaited(int* out) {
  __shared__ int given[N];
  __shared__ uint64_t object;
  const auto cluster = cg::this_cluster();
  const unsigned other = 1 - cluster.block_rank();
  begin(&object, N);
  in_other(given)[threadIdx.x] = threadIdx.x;  // @HANDED
  arrive_at(of_block(&object, other));
  out[blockIdx.x * N + threadIdx.x] = given[threadIdx.x];  // @READ_EARLY
  cluster.sync();
}
// The arrival comes before the store.
__global__ void __cluster_dims__(2, 1, 1) arrives_early(int* out) {
  __shared__ int given[N];
  __shared__ uint64_t object;
  const auto cluster = cg::this_cluster();
  const unsigned other = 1 - cluster.block_rank();
  begin(&object, N);
  arrive_at(of_block(&object, other));
  in_other(given)[threadIdx.x] = threadIdx.x;  // @PUT
  barrier_wait(shared_address(&object), 0);
  out[blockIdx.x * N + threadIdx.x] = given[threadIdx.x];  // @READ_OBJECT
  cluster.sync();
}
__global__ void __cluster_dims__(2, 1, 1) counts_of_block(int* out) {
  __shared__ int count;
  const auto cluster = cg::this_cluster();
  begin(&count);
  atomicAdd_block(cluster.map_shared_rank(&count, 0), 1);  // @COUNT_OF_BLOCK
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}
// Only the block that issues the copy waits for it.
__global__ void __cluster_dims__(2, 1, 1) copied_too_soon(const int* in, int* out) {
  __shared__ alignas(128) int got[N];
  __shared__ uint64_t object;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    barrier_init(shared_address(&object), 1), fence_barrier_init();
    barrier_expect(shared_address(&object), sizeof got);
  }
  cluster.sync();
  if (threadIdx.x == 0 && cluster.block_rank() == 0) {
    COPY_TO_ALL(got, in, sizeof got, &object, 3);  // @COPIED
  }
  if (cluster.block_rank() == 0) barrier_wait(shared_address(&object), 0);
  cluster.sync();
  out[blockIdx.x * N + threadIdx.x] = got[threadIdx.x];  // @READ_COPY
  cluster.sync();
}

int main() {
  int *in, *out, host[N];
  for (int i = 0; i < N; ++i) host[i] = i * 7 % N;
  cudaMalloc(&in, sizeof host), cudaMalloc(&out, 2 * sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  rounds<<<4, N>>>(out);
  histogram<<<4, N>>>(in, out);
  handed<<<4, N>>>(out);
  released<<<2, N>>>(out);
  copied<<<4, N>>>(in, out);
  unsynced<<<2, N>>>(out);
  written_again<<<2, N>>>(out);
  relaxed<<<2, N>>>(out);
  both<<<2, N>>>(out);
  released_to_block<<<2, N>>>(out);
  beside_atomics<<<2, N>>>(out);
  not_awaited<<<2, N>>>(out);
  arrives_early<<<2, N>>>(out);
  counts_of_block<<<2, N>>>(out);
  copied_too_soon<<<2, N>>>(in, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
