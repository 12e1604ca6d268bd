// A product of matrices as kernels for Hopper compute it: one warp fetches tiles of a and b by their tensor maps into a ring
// of buffers, two groups of four warps multiply them, and the sums go out through shared memory by a third map.
// RUN: --device h100
#include <cuda.h>
#include <cuda_fp16.h>

#include <cmath>

#include "check.h"
#include "hopper.h"

namespace {

constexpr int kM = 128, kN = 64, kK = 64, kStages = 3, kGroups = 2;  // a tile; a line of 64 halves is 128 bytes
constexpr uint32_t kBytesA = kM * kK * 2, kBytesB = kN * kK * 2, kBytesOut = kM * kN * 4;
constexpr uint32_t kShared = kStages * (kBytesA + kBytesB) + kBytesOut + 1024;

__device__ void fetch(uint32_t to, const CUtensorMap& map, int x, int y, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          to),
      "l"(&map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}
__device__ void put(const CUtensorMap& map, int x, int y, uint32_t from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x),
               "r"(y), "r"(from)
               : "memory");
}

#define SUMS4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUMS16(i) SUMS4(i), SUMS4(i + 4), SUMS4(i + 8), SUMS4(i + 12)
__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, "
      "%23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
      : SUMS16(0), SUMS16(16)
      : "l"(a), "l"(b));
}

__global__ void __launch_bounds__(128 * (kGroups + 1))
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
            const __grid_constant__ CUtensorMap c, int k) {
  extern __shared__ uint8_t memory[];
  __shared__ uint64_t full[kStages], empty[kStages];
  const uint32_t first = (shared_address(memory) + 1023) & ~1023u;  // a swizzle of 128 bytes repeats after 1024
  const auto tile_a = [&](int stage) { return first + stage * (kBytesA + kBytesB); };
  const auto tile_b = [&](int stage) { return tile_a(stage) + kBytesA; };
  const uint32_t out = first + kStages * (kBytesA + kBytesB);
  const int t = threadIdx.x, group = t / 128, row = blockIdx.y * kM, column = blockIdx.x * kN, tiles = k / kK;
  if (t == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&a) : "memory");
    for (int i = 0; i < kStages; ++i) barrier_init(shared_address(&full[i]), 1), barrier_init(shared_address(&empty[i]), kGroups);
    fence_barrier_init();
  }
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (t == 0)
      for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile % kStages;
        if (tile >= kStages) barrier_wait(shared_address(&empty[stage]), (tile / kStages + 1) % 2);
        const uint32_t barrier = shared_address(&full[stage]);
        barrier_expect(barrier, kBytesA + kBytesB);
        fetch(tile_a(stage), a, tile * kK, row, barrier);
        fetch(tile_b(stage), b, tile * kK, column, barrier);
      }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[32] = {};
  const int part = group - 1;  // 64 rows of the tile
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % kStages;
    barrier_wait(shared_address(&full[stage]), tile / kStages % 2);
    group_fence();
    for (int step = 0; step < kK / 16; ++step)
      multiply(d, matrix_descriptor(tile_a(stage) + part * 64 * 128 + step * 32, 0, 1024, 1),
               matrix_descriptor(tile_b(stage) + step * 32, 0, 1024, 1));
    group_commit();
    group_wait<0>();
    if (t % 128 == 0) barrier_arrive(shared_address(&empty[stage]));  // one thread speaks for the group
  }
  // Two boxes of 32 columns, without a swizzle.
  const int lane = t % 32, line = part * 64 + t % 128 / 32 * 16 + lane / 4;
  for (int i = 0; i < 32; ++i) {
    const int y = line + i / 2 % 2 * 8, x = i / 4 * 8 + lane % 4 * 2 + i % 2;
    const uint32_t at = out + x / 32 * (kM * 128) + y * 128 + x % 32 * 4;
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(d[i]) : "memory");
  }
  fence_async();
  asm volatile("bar.sync 1, 256;" ::: "memory");
  if (t == 128) {
    for (int box = 0; box < kN / 32; ++box) put(c, column + 32 * box, row, out + box * (kM * 128));
    bulk_commit();
    bulk_wait<0>();
  }
}

CUtensorMap map_of(CUtensorMapDataType type, void* address, uint64_t columns, uint64_t rows, uint32_t bytes,
                   uint32_t box_columns, uint32_t box_rows, CUtensorMapSwizzle swizzle) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  CK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
  CUtensorMap map;
  const cuuint64_t dims[] = {columns, rows}, strides[] = {columns * bytes};
  const cuuint32_t box[] = {box_columns, box_rows}, steps[] = {1, 1};
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry)(
      &map, type, 2, address, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
      CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  expect(result == CUDA_SUCCESS, "the map was made");
  return map;
}

}  // namespace

int main(int argc, char**) {
  // The last tiles hang over the edges.
  const int m = argc > 1 ? 4096 : 200, n = argc > 1 ? 4096 : 160, k = argc > 1 ? 4096 : 320;
  std::vector<__half> a(size_t(m) * k), b(size_t(n) * k);
  for (size_t i = 0; i < a.size(); ++i) a[i] = __float2half(float(int(uint32_t(i) * 2654435761u >> 28) - 8) / 4);
  for (size_t i = 0; i < b.size(); ++i) b[i] = __float2half(float(int(uint32_t(i) * 2246822519u >> 28) - 7) / 8);
  Buffer<__half> device_a(a), device_b(b);
  Buffer<float> device_c(size_t(m) * n);
  const CUtensorMap map_a = map_of(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, device_a, k, m, 2, kK, kM, CU_TENSOR_MAP_SWIZZLE_128B),
                    map_b = map_of(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, device_b, k, n, 2, kK, kN, CU_TENSOR_MAP_SWIZZLE_128B),
                    map_c = map_of(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, device_c, n, m, 4, 32, kM, CU_TENSOR_MAP_SWIZZLE_NONE);
  CK(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  const dim3 grid((n + kN - 1) / kN, (m + kM - 1) / kM);
  product<<<grid, 128 * (kGroups + 1), kShared>>>(map_a, map_b, map_c, k);
  CK_LAUNCH();
  if (argc > 1) return finish();
  // Exact: sums of multiples of 1/32.
  std::vector<float> want(size_t(m) * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int x = 0; x < k; ++x) sum += __half2float(a[size_t(i) * k + x]) * __half2float(b[size_t(j) * k + x]);
      want[size_t(i) * n + j] = sum;
    }
  expect_same("c", device_c.get(), want);
  return finish();
}
