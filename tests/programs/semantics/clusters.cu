// Clusters of several blocks: positions, shared memory of other blocks, the cluster's barrier, barrier objects and copies
// across blocks. Every expectation was checked on an H100.
#include <cooperative_groups.h>

#include "check.h"
#include "hopper.h"

namespace cg = cooperative_groups;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

__global__ void positions(unsigned* out) {
  const auto cluster = cg::this_cluster();
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned* o = out + block * 8;
  if (threadIdx.x != 0) return;
  o[0] = cluster.block_rank() * 100 + cluster.num_blocks();
  o[1] = cluster.block_index().x + cluster.block_index().y * 10 + cluster.block_index().z * 100;
  o[2] = cluster.dim_blocks().x + cluster.dim_blocks().y * 10 + cluster.dim_blocks().z * 100;
  o[3] = __clusterIdx().x + __clusterIdx().y * 10 + __clusterIdx().z * 100;
  o[4] = __clusterGridDimInClusters().x + __clusterGridDimInClusters().y * 10 + __clusterGridDimInClusters().z * 100;
  o[5] = cluster.num_threads() * 1000 + cluster.thread_rank();
  o[6] = __clusterDimIsSpecified();
  o[7] = __clusterRelativeBlockRank();
}

// Each block reads what the next one has written, through a generic address, a window's, and with an offset.
__global__ void __cluster_dims__(4, 1, 1) read_neighbours(unsigned* out) {
  __shared__ unsigned padding[32];
  __shared__ alignas(16) unsigned mine[128];
  const auto cluster = cg::this_cluster();
  padding[threadIdx.x % 32] = 0;
  mine[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  const unsigned* theirs = cluster.map_shared_rank(mine, next);
  unsigned sum = theirs[127 - threadIdx.x];
  unsigned at, from_window;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared_address(mine + threadIdx.x)), "r"(next));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(from_window) : "r"(at) : "memory");
  const uint4 four = reinterpret_cast<const uint4*>(theirs)[threadIdx.x / 4];
  unsigned rank;
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(at));
  const bool same = __cvta_generic_to_shared(theirs + threadIdx.x) == at && cluster.query_shared_rank(theirs) == next &&
                    rank == next && cluster.map_shared_rank(theirs, cluster.block_rank()) == mine;
  unsigned* o = out + (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  o[0] = sum, o[1] = from_window, o[2] = four.x + four.y + four.z + four.w + padding[threadIdx.x % 32], o[3] = same;
  cluster.sync();
}

// A histogram whose bins lie in all blocks of the cluster (CUDA C++ Programming Guide, "Distributed Shared Memory").
__global__ void histogram(unsigned* bins, int all_bins, int own_bins, const int* in, int n) {
  extern __shared__ unsigned own[];
  const auto cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < own_bins; i += blockDim.x) own[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = min(max(in[i], 0), all_bins - 1);
    atomicAdd(cluster.map_shared_rank(own, bin / own_bins) + bin % own_bins, 1u);
  }
  cluster.sync();
  unsigned* to = bins + cluster.block_rank() * own_bins;
  for (int i = threadIdx.x; i < own_bins; i += blockDim.x) atomicAdd(&to[i], own[i]);
}

// Stores, compare-and-swap and floats in the other block's memory; lanes of a warp in both blocks.
__global__ void __cluster_dims__(2, 1, 1) mixed(float* out) {
  __shared__ float values[64];
  __shared__ unsigned locks[64];
  const auto cluster = cg::this_cluster();
  values[threadIdx.x] = 0, locks[threadIdx.x] = 0;
  cluster.sync();
  const unsigned to = threadIdx.x % 2;
  float* there = cluster.map_shared_rank(values, to);
  if (cluster.block_rank() == 0) there[threadIdx.x] = threadIdx.x * 0.5f;
  cluster.sync();
  atomicAdd(&there[threadIdx.x], 1.0f);
  const unsigned before = atomicCAS(cluster.map_shared_rank(locks, to) + threadIdx.x, 0u, 7u + cluster.block_rank());
  cluster.sync();
  const unsigned winners = before == 0;
  out[(blockIdx.x * blockDim.x + threadIdx.x) * 3] = values[threadIdx.x];
  out[(blockIdx.x * blockDim.x + threadIdx.x) * 3 + 1] = locks[threadIdx.x] != 0;
  atomicAdd(&out[(blockIdx.x / 2 * 2 * blockDim.x + threadIdx.x) * 3 + 2], float(winners));
}

// Arrival and wait apart: block 0 waits for what block 1 does behind its own wait, before it waits itself. Some threads
// end first, some lanes of a warp wait at another place than the others.
__global__ void __cluster_dims__(2, 1, 1) apart(unsigned* out) {
  __shared__ volatile unsigned flag;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) flag = 0;
  cluster.sync();
  if (threadIdx.x >= 96) return;
  __cluster_barrier_arrive();
  volatile unsigned* other = cluster.map_shared_rank(const_cast<unsigned*>(&flag), 1 - cluster.block_rank());
  if (cluster.block_rank() == 0) {
    if (threadIdx.x < 32)
      while (flag == 0) {
      }
    __cluster_barrier_wait();
  } else {
    if (threadIdx.x % 32 < 7)
      __cluster_barrier_wait();
    else
      __cluster_barrier_wait();
    if (threadIdx.x == 0) *other = 5;
  }
  cluster.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = flag + threadIdx.x;
}

// A barrier object of block 0 at which all blocks arrive; and bytes that a block puts into the next one's memory.
__global__ void __cluster_dims__(4, 1, 1) objects(unsigned* out, const unsigned* in) {
  __shared__ alignas(16) unsigned from[256], got[256];
  __shared__ uint64_t everyone, bytes;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) {
    barrier_init(shared_address(&everyone), cluster.num_blocks());
    barrier_init(shared_address(&bytes), 1);
    fence_barrier_init();
    barrier_expect(shared_address(&bytes), sizeof got);
  }
  from[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  fence_async();
  cluster.sync();
  if (threadIdx.x == 0) {
    const unsigned next = (cluster.block_rank() + 1) % 4;
    unsigned to, object, first;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(shared_address(got)), "r"(next));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(object) : "r"(shared_address(&bytes)), "r"(next));
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "r"(shared_address(from)), "r"(unsigned(sizeof from)), "r"(object)
                 : "memory");
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(first) : "r"(shared_address(&everyone)));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(first) : "memory");
  }
  barrier_wait(shared_address(&bytes), 0);
  if (cluster.block_rank() == 0) barrier_wait(shared_address(&everyone), 0);
  out[blockIdx.x * 256 + threadIdx.x] = got[threadIdx.x];
  cluster.sync();
}

// Block 0 loads for those that the mask names.
__global__ void __cluster_dims__(4, 1, 1) multicast(unsigned* out, const unsigned* in, unsigned short mask) {
  __shared__ alignas(16) unsigned got[128];
  __shared__ uint64_t bytes;
  const auto cluster = cg::this_cluster();
  const bool named = mask >> cluster.block_rank() & 1;
  got[threadIdx.x] = 9;
  if (threadIdx.x == 0) {
    barrier_init(shared_address(&bytes), 1);
    fence_barrier_init();
    if (named) barrier_expect(shared_address(&bytes), sizeof got);
  }
  fence_async();
  cluster.sync();
  if (threadIdx.x == 0 && cluster.block_rank() == 0)
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
            shared_address(got)),
        "l"(in + blockIdx.x * 32), "r"(unsigned(sizeof got)), "r"(shared_address(&bytes)), "h"(mask)
        : "memory");
  if (named) barrier_wait(shared_address(&bytes), 0);
  out[blockIdx.x * 128 + threadIdx.x] = got[threadIdx.x];
  cluster.sync();
}

#else
__global__ void positions(unsigned*) {}
__global__ void read_neighbours(unsigned*) {}
__global__ void histogram(unsigned*, int, int, const int*, int) {}
__global__ void mixed(float*) {}
__global__ void apart(unsigned*) {}
__global__ void objects(unsigned*, const unsigned*) {}
__global__ void multicast(unsigned*, const unsigned*, unsigned short) {}
#endif

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared, dim3 cluster,
                   Arguments... arguments) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x, attribute.val.clusterDim.y = cluster.y, attribute.val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid, config.blockDim = block, config.dynamicSmemBytes = shared;
  config.attrs = &attribute, config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

static void check_positions() {
  const dim3 grid(4, 6, 2), size(2, 3, 1);
  Buffer<unsigned> out(4 * 6 * 2 * 8);
  CK(launch(positions, grid, dim3(32), 0, size, static_cast<unsigned*>(out)));
  std::vector<unsigned> expected;
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        const unsigned rank = y % 3 * 2 + x % 2;
        for (unsigned v : {rank * 100 + 6, x % 2 + y % 3 * 10, 2 + 30 + 100u, x / 2 + y / 3 * 10 + z * 100, 2 + 20 + 200u,
                           6 * 32 * 1000 + rank * 32, 1u, rank})
          expected.push_back(v);
      }
  expect_same("positions", out.get(), expected);
}

static void check_errors() {
  Buffer<unsigned> out(4096);
  const auto expect = [](const char* what, cudaError_t is, cudaError_t should) {
    expect_same(what, std::vector<unsigned>{unsigned(is)}, std::vector<unsigned>{unsigned(should)});
    (void)cudaGetLastError();
  };
  unsigned* o = out;
  expect("clusters that do not divide the grid", launch(positions, dim3(5), dim3(32), 0, dim3(2), o),
         cudaErrorInvalidClusterSize);
  expect("another size than the kernel's", launch(read_neighbours, dim3(8), dim3(128), 0, dim3(2), o),
         cudaErrorInvalidClusterSize);
  read_neighbours<<<6, 128>>>(o);
  expect("a grid that the kernel's do not divide", cudaGetLastError(), cudaErrorInvalidClusterSize);
  expect("16 blocks", launch(positions, dim3(16), dim3(32), 0, dim3(16), o), cudaErrorInvalidClusterSize);
  CK(cudaFuncSetAttribute(positions, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  expect("16 blocks, not portable", launch(positions, dim3(16), dim3(32), 0, dim3(16), o), cudaSuccess);
  expect("17 blocks", launch(positions, dim3(17), dim3(32), 0, dim3(17), o), cudaErrorInvalidClusterSize);
  cudaFuncAttributes attributes;
  CK(cudaFuncGetAttributes(&attributes, read_neighbours));
  expect_same("attributes", std::vector<int>{attributes.requiredClusterWidth, attributes.nonPortableClusterSizeAllowed},
              std::vector<int>{4, 0});
}

int main() {
  int major = 0;
  CK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major < 9) return finish();
  check_positions();

  Buffer<unsigned> neighbours(8 * 128 * 4);
  read_neighbours<<<8, 128>>>(neighbours);
  std::vector<unsigned> expected;
  for (unsigned b = 0; b < 8; ++b)
    for (unsigned t = 0; t < 128; ++t) {
      const unsigned next = (b / 4 * 4 + (b + 1) % 4) * 1000;
      for (unsigned v : {next + 127 - t, next + t, 4 * next + 4 * (t / 4 * 4) + 6, 1u}) expected.push_back(v);
    }
  expect_same("neighbours", neighbours.get(), expected);

  const int n = 40000, all_bins = 1000, own_bins = 125;
  std::vector<int> values(n);
  std::vector<unsigned> bins(all_bins, 0);
  for (int i = 0; i < n; ++i) ++bins[values[i] = (i * 7919LL + i / 13) % all_bins];
  Buffer<int> in(values);
  Buffer<unsigned> counted(all_bins);
  CK(launch(histogram, dim3(16), dim3(256), own_bins * 4, dim3(8), static_cast<unsigned*>(counted), all_bins, own_bins,
            static_cast<const int*>(in), n));
  expect_same("histogram", counted.get(), bins);

  Buffer<float> floats(4 * 64 * 3);
  mixed<<<4, 64>>>(floats);
  std::vector<float> sums;
  for (unsigned b = 0; b < 4; ++b)
    for (unsigned t = 0; t < 64; ++t) {
      const bool here = t % 2 == b % 2;
      for (float v : {here ? t * 0.5f + 2 : 0.0f, here ? 1.0f : 0.0f, b % 2 == 0 ? 1.0f : 0.0f}) sums.push_back(v);
    }
  expect_same("mixed", floats.get(), sums);

  Buffer<unsigned> flags(2 * 128);
  apart<<<2, 128>>>(flags);
  expected.clear();
  for (unsigned b = 0; b < 2; ++b)
    for (unsigned t = 0; t < 128; ++t) expected.push_back(t < 96 ? (b == 0 ? 5 : 0) + t : 0);
  expect_same("arrival and wait apart", flags.get(), expected);

  std::vector<unsigned> numbers(2048);
  for (unsigned i = 0; i < numbers.size(); ++i) numbers[i] = i * 3;
  Buffer<unsigned> given(numbers), put(8 * 256);
  objects<<<8, 256>>>(put, given);
  expected.clear();
  for (unsigned b = 0; b < 8; ++b)
    for (unsigned t = 0; t < 256; ++t) expected.push_back(numbers[(b / 4 * 4 + (b + 3) % 4) * 256 + t]);
  expect_same("barrier objects and copies", put.get(), expected);

  for (unsigned short mask : {0xf, 0xa, 0x1}) {
    Buffer<unsigned> cast(8 * 128);
    multicast<<<8, 128>>>(cast, given, mask);
    expected.clear();
    for (unsigned b = 0; b < 8; ++b)
      for (unsigned t = 0; t < 128; ++t) expected.push_back(mask >> b % 4 & 1 ? numbers[b / 4 * 4 * 32 + t] : 9);
    expect_same("multicast", cast.get(), expected);
  }
  check_errors();
  return finish();
}
