// Clusters: shared memory of a block that the cluster lacks, beyond a block's memory, of a block that has ended; a read of
// global memory that the cluster's barrier does not order, for the arrival is relaxed; bytes that no block has written.
// Threads at a barrier of their block, whose others wait for the cluster. And sound ones: what the barrier, or a barrier object of another block, orders.
// TOOLS: memcheck,initcheck,racecheck,synccheck
// FINDS: out-of-bounds @RANK
// FINDS: out-of-bounds @BEYOND
// FINDS: out-of-bounds @ENDED
// FINDS: read-write @WRITE @READ
// FINDS: barrier-deadlock @ALONE
// FINDS: uninitialized @UNWRITTEN @UNWRITTEN
// OPTIONS: --device h100 --destroy-on-device-error kernel
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "../semantics/hopper.h"

namespace cg = cooperative_groups;
constexpr int N = 64;

__global__ void __cluster_dims__(2, 1, 1) sound(int* global, int* out) {
  __shared__ int own[N], given[N];
  __shared__ uint64_t object;
  const auto cluster = cg::this_cluster();
  own[threadIdx.x] = threadIdx.x;
  global[blockIdx.x * N + threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) barrier_init(shared_address(&object), N), fence_barrier_init();
  cluster.sync();
  const unsigned other = 1 - cluster.block_rank();
  cluster.map_shared_rank(given, other)[threadIdx.x] = *cluster.map_shared_rank(&own[threadIdx.x], other);
  const int theirs = global[(blockIdx.x ^ 1) * N + threadIdx.x];
  cluster.sync();
  // Through a barrier object of the other block.
  global[2 * N + blockIdx.x * N + threadIdx.x] = theirs + given[threadIdx.x];
  unsigned at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared_address(&object)), "r"(other));
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at) : "memory");
  barrier_wait(shared_address(&object), 0);
  out[blockIdx.x * N + threadIdx.x] = global[2 * N + (blockIdx.x ^ 1) * N + (threadIdx.x + 1) % N];
  cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1) of_no_block(int* out) {
  __shared__ int own[N];
  own[threadIdx.x] = threadIdx.x;
  cg::this_cluster().sync();
  out[blockIdx.x * N + threadIdx.x] = *cg::this_cluster().map_shared_rank(&own[threadIdx.x], 5);  // @RANK
  cg::this_cluster().sync();
}

__global__ void __cluster_dims__(2, 1, 1) beyond(int* out) {
  __shared__ int own[N];
  own[threadIdx.x] = threadIdx.x;
  cg::this_cluster().sync();
  int* theirs = cg::this_cluster().map_shared_rank(own, 1 - cg::this_cluster().block_rank());
  out[blockIdx.x * N + threadIdx.x] = theirs[threadIdx.x + N * 2];  // @BEYOND
  cg::this_cluster().sync();
}

__global__ void __cluster_dims__(2, 1, 1) of_an_ended_block(int* out) {
  __shared__ int own[N];
  __shared__ volatile int told;
  own[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) told = 0;
  cg::this_cluster().sync();
  if (cg::this_cluster().block_rank() == 0) return;
  for (int i = 0; i < 100; ++i) __nanosleep(100);
  out[threadIdx.x] = *cg::this_cluster().map_shared_rank(&own[threadIdx.x], 0) + told;  // @ENDED
}

__global__ void __cluster_dims__(2, 1, 1) relaxed(int* global, int* out) {
  global[blockIdx.x * N + threadIdx.x] = threadIdx.x;  // @WRITE
  __cluster_barrier_arrive_relaxed();
  __cluster_barrier_wait();
  out[blockIdx.x * N + threadIdx.x] = global[(blockIdx.x ^ 1) * N + threadIdx.x];  // @READ
}

__global__ void __cluster_dims__(2, 1, 1) half_written(int* out) {
  __shared__ int given[N];
  const auto cluster = cg::this_cluster();
  cluster.sync();
  if (threadIdx.x < N / 2) cluster.map_shared_rank(given, 1 - cluster.block_rank())[threadIdx.x] = 1;
  cluster.sync();
  out[blockIdx.x * N + threadIdx.x] = given[threadIdx.x];  // @UNWRITTEN
}

__global__ void __cluster_dims__(2, 1, 1) apart(int* out) {
  if (cg::this_cluster().block_rank() == 0 && threadIdx.x < 32) __syncthreads();  // @ALONE
  cg::this_cluster().sync();
  out[threadIdx.x] = 1;
}

int main() {
  int *global, *out;
  cudaMalloc(&global, 4 * N * sizeof(int));
  cudaMalloc(&out, 2 * N * sizeof(int));
  sound<<<2, N>>>(global, out);
  cudaDeviceSynchronize();
  relaxed<<<2, N>>>(global, out);
  half_written<<<2, N>>>(out);
  cudaDeviceSynchronize();
  of_no_block<<<2, N>>>(out);
  cudaDeviceSynchronize();
  beyond<<<2, N>>>(out);
  cudaDeviceSynchronize();
  of_an_ended_block<<<2, N>>>(out);
  cudaDeviceSynchronize();
  apart<<<2, N>>>(out);
  cudaDeviceSynchronize();
  cudaFree(global);
  cudaFree(out);
}
