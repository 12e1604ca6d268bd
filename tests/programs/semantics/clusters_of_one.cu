// Clusters of one block, and address spaces.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(1, 1, 1) asks(unsigned* out) {
  __shared__ unsigned shared[64];
  const auto cluster = cg::this_cluster();
  shared[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  cluster.sync();
  unsigned* mine = cluster.map_shared_rank(shared, 0);
  unsigned* o = out + (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  o[0] = mine[(threadIdx.x + 1) % blockDim.x];
  o[1] = cluster.num_blocks() * 10 + cluster.block_rank();
  o[2] = cluster.num_threads() * 100 + cluster.thread_rank();
  o[3] = cluster.query_shared_rank(shared);
  o[4] = cluster.dim_blocks().x + cluster.block_index().x;
  auto token = cluster.barrier_arrive();
  cluster.barrier_wait(static_cast<cg::cluster_group::arrival_token&&>(token));
  __cluster_barrier_arrive_relaxed();
  __cluster_barrier_wait();
  o[5] = __clusterIdx().x * 10 + __clusterGridDimInClusters().x;
  o[6] = *static_cast<unsigned*>(__cluster_map_shared_rank(shared, 0));
  unsigned through_window;
  asm volatile("{ .reg .b32 a; mapa.shared::cluster.u32 a, %1, 0; ld.shared::cluster.u32 %0, [a+4]; }"
               : "=r"(through_window)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))));
  o[7] = through_window;
}
#else
__global__ void asks(unsigned*) {}
#endif

__global__ void knows_nothing(unsigned* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x; }

__constant__ unsigned of_constant = 7;
// The same address, hidden from the compiler.
__device__ const void* behind(const void* p, const unsigned* zero) { return static_cast<const char*>(p) + zero[15]; }
__global__ void spaces(unsigned* out, const __grid_constant__ int parameter) {
  __shared__ unsigned shared;
  unsigned local = threadIdx.x;
  out[0] = __isGlobal(out) && !__isGlobal(&shared) && !__isGlobal(&local) && !__isGlobal(behind(&of_constant, out));
  out[1] = __isShared(&shared) && !__isShared(out) && !__isShared(&local);
  out[2] = __isLocal(&local) && !__isLocal(&shared);
  out[3] = !__isGridConstant(out) && !__isGridConstant(&shared) && !__isGridConstant(&local);
  *static_cast<unsigned*>(__cvta_shared_to_generic(__cvta_generic_to_shared(&shared))) = 9;
  out[4] = shared;
  out[5] = __cvta_global_to_generic(__cvta_generic_to_global(out)) == out;
  out[6] = __cvta_local_to_generic(__cvta_generic_to_local(&local)) == &local;
  out[7] = *static_cast<const int*>(__cvta_grid_constant_to_generic(__cvta_generic_to_grid_constant(&parameter)));
  out[8] = *static_cast<unsigned*>(__cvta_constant_to_generic(__cvta_generic_to_constant(&of_constant)));
  void* p = __nv_aligned_device_malloc(100, 256);
  out[9] = p != nullptr && (reinterpret_cast<size_t>(p) & 255) == 0;
  free(p);
  out[10] = __nv_aligned_device_malloc(100, 48) == nullptr;
  out[11] = __isConstant(behind(&of_constant, out)) && !__isConstant(out) && !__isConstant(&shared);
}

int main() {
  int device = 0, major = 0;
  CK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  Buffer<unsigned> small(16);
  spaces<<<1, 1>>>(small, 5);
  CK(cudaDeviceSynchronize());
  std::vector<unsigned> got = small.get();
  got.resize(12);
  expect_same("spaces", got, std::vector<unsigned>{1, 1, 1, 1, 9, 1, 1, 5, 7, 1, 1, 1});
  if (major < 9) return finish();

  Buffer<unsigned> out(4 * 64 * 8);
  asks<<<4, 64>>>(out);
  CK(cudaDeviceSynchronize());
  std::vector<unsigned> expected;
  for (unsigned b = 0; b < 4; ++b)
    for (unsigned t = 0; t < 64; ++t)
      for (unsigned v : {b * 100 + (t + 1) % 64, 10u, 6400 + t, 0u, 1u, b * 10 + 4, b * 100, b * 100 + 1})
        expected.push_back(v);
  expect_same("a cluster of one", out.get(), expected);

  // Two blocks a cluster, of a kernel that does not notice.
  cudaLaunchAttribute two = {};
  two.id = cudaLaunchAttributeClusterDimension;
  two.val.clusterDim.x = 2;
  two.val.clusterDim.y = two.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(4);
  config.blockDim = dim3(4);
  config.attrs = &two;
  config.numAttrs = 1;
  CK(cudaLaunchKernelEx(&config, knows_nothing, static_cast<unsigned*>(small)));
  expect_same("blocks of clusters", small.get(), std::vector<unsigned>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3});
  if (cudaLaunchKernelEx(&config, asks, static_cast<unsigned*>(out)) != cudaErrorInvalidClusterSize)
    expect_same("another size than the kernel's", std::vector<unsigned>{1}, std::vector<unsigned>{0});
  (void)cudaGetLastError();
  return finish();
}
