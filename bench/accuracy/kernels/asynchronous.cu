// Hopper's asynchronous instructions: products of warp groups (wgmma), copies of many bytes and boxes of tensors by one
// thread, alone and as pipelines that multiply matrices.
#include <cuda.h>
#include <cuda_fp16.h>

#include "cases.h"

// ---- barrier objects and copies

__device__ __forceinline__ uint32_t shared_address(const void* p) { return uint32_t(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void init(uint64_t& barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void arrive(uint64_t& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
}
__device__ __forceinline__ void expect(uint64_t& barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void wait(uint64_t& barrier, uint32_t parity) {
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared_address(&barrier)), "r"(parity)
                 : "memory");
}
__device__ __forceinline__ void load(void* to, const void* from, uint32_t bytes, uint64_t& barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(&barrier))
               : "memory");
}
__device__ __forceinline__ void store(void* to, const void* from, uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void add(float* to, const void* from, uint32_t bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
               "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void load_box(void* to, const CUtensorMap* map, int x, int y, uint64_t& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared_address(&barrier))
      : "memory");
}
__device__ __forceinline__ void store_box(const CUtensorMap* map, int x, int y, const void* from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y),
               "r"(shared_address(from))
               : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int kPending>
__device__ __forceinline__ void wait_stores() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
}
template <int kPending>
__device__ __forceinline__ void wait_reads() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

// ---- products of warp groups

__device__ __forceinline__ void group_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void group_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kPending>
__device__ __forceinline__ void group_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
// A matrix with rows of 128 bytes under a swizzle of 128 bytes.
__device__ __forceinline__ uint64_t descriptor(uint32_t at) {
  return uint64_t((at & 0x3ffff) >> 4) | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}

#define TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9, "
#define NAMES4 "%0, %1, %2, %3"
#define NAMES16 TEN() "%10, %11, %12, %13, %14, %15"
#define NAMES32 TEN() TEN(1) TEN(2) "%30, %31"
#define NAMES64 TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) "%60, %61, %62, %63"
#define NAMES128 \
  TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11) "%120, %121, %122, %123, %124, %125, %126, %127"
#define SUMS4(c, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define SUMS16(c, i) SUMS4(c, i), SUMS4(c, i + 4), SUMS4(c, i + 8), SUMS4(c, i + 12)
#define SUMS32(c, i) SUMS16(c, i), SUMS16(c, i + 16)
#define SUMS64(c, i) SUMS32(c, i), SUMS32(c, i + 32)
#define SUMS128(c, i) SUMS64(c, i), SUMS64(c, i + 64)

// struct `name`: d += a * b of 64 x `columns`, `sums` registers of type T a thread, a in memory or (MULTIPLY_REGISTERS) not.
#define MULTIPLY(name, T, constraint, columns, sums, shape, types, scales)                                         \
  struct name {                                                                                                     \
    using Sum = T;                                                                                                  \
    static constexpr int kColumns = columns, kSums = sums;                                                          \
    static __device__ __forceinline__ void run(T (&d)[sums], uint64_t a, uint64_t b) {                              \
      asm volatile("wgmma.mma_async.sync.aligned." shape "." types " {" NAMES##sums "}, %" #sums ", %" name##_LAST \
                   ", 1" scales ";"                                                                                 \
                   : SUMS##sums(constraint, 0)                                                                      \
                   : "l"(a), "l"(b));                                                                               \
    }                                                                                                               \
  };
#define MULTIPLY_REGISTERS(name, columns, sums, a0, a1, a2, a3, last)                                                         \
  struct name {                                                                                                               \
    using Sum = float;                                                                                                        \
    static constexpr int kColumns = columns, kSums = sums;                                                                    \
    static __device__ __forceinline__ void run(float (&d)[sums], uint64_t a, uint64_t b) {                                    \
      const uint32_t x = uint32_t(a);                                                                                         \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32.f16.f16 {" NAMES##sums "}, {%" a0 ", %" a1 ", %" a2 \
                   ", %" a3 "}, %" last ", 1, 1, 1, 0;"                                                                       \
                   : SUMS##sums("+f", 0)                                                                                      \
                   : "r"(x), "r"(x), "r"(x), "r"(x), "l"(b));                                                                 \
    }                                                                                                                         \
  };
#define Half8_LAST "5"
#define Half32_LAST "17"
#define Half64_LAST "33"
#define Half128_LAST "65"
#define Half256_LAST "129"
#define Tf128_LAST "65"
#define Float8_64_LAST "33"
#define Float8_256_LAST "129"
#define Byte128_LAST "65"
MULTIPLY(Half8, float, "+f", 8, 4, "m64n8k16", "f32.f16.f16", ", 1, 1, 0, 0")
MULTIPLY(Half32, float, "+f", 32, 16, "m64n32k16", "f32.f16.f16", ", 1, 1, 0, 0")
MULTIPLY(Half64, float, "+f", 64, 32, "m64n64k16", "f32.f16.f16", ", 1, 1, 0, 0")
MULTIPLY(Half128, float, "+f", 128, 64, "m64n128k16", "f32.f16.f16", ", 1, 1, 0, 0")
MULTIPLY(Half256, float, "+f", 256, 128, "m64n256k16", "f32.f16.f16", ", 1, 1, 0, 0")
MULTIPLY(Tf128, float, "+f", 128, 64, "m64n128k8", "f32.tf32.tf32", ", 1, 1")
MULTIPLY(Float8_64, float, "+f", 64, 32, "m64n64k32", "f32.e4m3.e4m3", ", 1, 1")
MULTIPLY(Float8_256, float, "+f", 256, 128, "m64n256k32", "f32.e4m3.e4m3", ", 1, 1")
MULTIPLY(Byte128, int, "+r", 128, 64, "m64n128k32", "s32.s8.s8", "")
MULTIPLY_REGISTERS(Registers8, 8, 4, "4", "5", "6", "7", "8")
MULTIPLY_REGISTERS(Registers64, 64, 32, "32", "33", "34", "35", "36")
MULTIPLY_REGISTERS(Registers256, 256, 128, "128", "129", "130", "131", "132")

// A block has as many groups as its threads make; each round has `kDepth` products, and waits for all but the last
// kPending rounds.
template <class Multiply, int kDepth, int kPending>
__global__ void products(typename Multiply::Sum* out, int rounds) {
  extern __shared__ __align__(1024) uint8_t memory[];
  for (int i = threadIdx.x; i < (8192 + Multiply::kColumns * 128) / 4; i += blockDim.x) ((uint32_t*)memory)[i] = 0;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  typename Multiply::Sum d[Multiply::kSums] = {};
  const uint32_t a = shared_address(memory), b = a + 8192;
  for (int r = 0; r < rounds; ++r) {
    group_fence();
#pragma unroll
    for (int step = 0; step < kDepth; ++step) Multiply::run(d, descriptor(a + step % 4 * 32), descriptor(b + step % 4 * 32));
    group_commit();
    group_wait<kPending>();
  }
  group_wait<0>();
  typename Multiply::Sum total = 0;
  for (int i = 0; i < Multiply::kSums; ++i) total += d[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

// c = a * b, b by its columns: the first warp fetches tiles into a ring of kStages, kGroups groups multiply 64 rows each by
// Multiply::kColumns columns. kPending: whether a stage is freed one tile later, so that products of two tiles overlap.
template <class Multiply, int kGroups, int kStages, int kPending>
__global__ void __launch_bounds__(128 * (kGroups + 1))
    pipeline(const CUtensorMap* a, const CUtensorMap* b, float* c, int n, int k) {
  constexpr int kN = Multiply::kColumns, kBytesA = kGroups * 64 * 128, kBytesB = kN * 128;
  extern __shared__ __align__(1024) uint8_t memory[];
  __shared__ uint64_t full[kStages], empty[kStages];
  const int t = threadIdx.x, row = blockIdx.y * 64 * kGroups, column = blockIdx.x * kN, tiles = k / 64;
  if (t == 0) {
    for (int i = 0; i < kStages; ++i) init(full[i], 1), init(empty[i], kGroups);
    fence_init();
  }
  __syncthreads();
  if (t < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (t == 0)
      for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile % kStages;
        if (tile >= kStages) wait(empty[stage], (tile / kStages + 1) % 2);
        uint8_t* const to = memory + stage * (kBytesA + kBytesB);
        expect(full[stage], kBytesA + kBytesB);
        load_box(to, a, tile * 64, row, full[stage]);
        load_box(to + kBytesA, b, tile * 64, column, full[stage]);
      }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kGroups == 1 ? 240 : 232));
  float d[Multiply::kSums] = {};
  const int part = t / 128 - 1;
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % kStages;
    wait(full[stage], tile / kStages % 2);
    const uint32_t at = shared_address(memory) + stage * (kBytesA + kBytesB);
    group_fence();
#pragma unroll
    for (int step = 0; step < 4; ++step)
      Multiply::run(d, descriptor(at + part * 64 * 128 + step * 32), descriptor(at + kBytesA + step * 32));
    group_commit();
    group_wait<kPending>();
    if (t % 128 == 0 && tile >= kPending) arrive(empty[(tile - kPending) % kStages]);
  }
  group_wait<0>();
  const int lane = t % 32, line = row + part * 64 + t % 128 / 32 * 16 + lane / 4;
#pragma unroll
  for (int i = 0; i < Multiply::kSums; i += 4) {
    float* const to = &c[size_t(line) * n + column + i * 2 + lane % 4 * 2];
    *(float2*)to = make_float2(d[i], d[i + 1]);
    *(float2*)(to + 8 * n) = make_float2(d[i + 2], d[i + 3]);
  }
}

// ---- copies of many bytes

// Rounds of `flight` copies of `bytes` each, from `wide` bytes that each block has for itself, one round after the other.
__global__ void bulk_chain(const uint8_t* from, float* out, uint32_t bytes, int flight, int rounds, uint32_t wide) {
  extern __shared__ __align__(1024) uint8_t memory[];
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) init(barrier, 1), fence_init();
  __syncthreads();
  uint32_t at = 0;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x == 0) {
      expect(barrier, bytes * flight);
      for (int i = 0; i < flight; ++i) {
        load(memory + i * bytes, from + size_t(blockIdx.x) * wide + at, bytes, barrier);
        at = (at + bytes) % wide;
      }
    }
    wait(barrier, r % 2);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = ((float*)memory)[threadIdx.x];
}

// Blocks take tiles in turn, through a ring of kStages; threads add what comes.
template <int kStages>
__global__ void bulk_stream(const uint8_t* from, float* out, uint32_t bytes, int tiles) {
  extern __shared__ __align__(1024) uint8_t memory[];
  __shared__ uint64_t full[kStages];
  if (threadIdx.x == 0) {
    for (auto& barrier : full) init(barrier, 1);
    fence_init();
  }
  __syncthreads();
  const auto fetch = [&](int i) {
    const int tile = blockIdx.x + i * gridDim.x;
    if (threadIdx.x != 0 || tile >= tiles) return;
    expect(full[i % kStages], bytes);
    load(memory + i % kStages * bytes, from + size_t(tile) * bytes, bytes, full[i % kStages]);
  };
  for (int i = 0; i < kStages; ++i) fetch(i);
  float sum = 0;
  for (int i = 0; blockIdx.x + i * gridDim.x < tiles; ++i) {
    wait(full[i % kStages], i / kStages % 2);
    const float4* data = (const float4*)(memory + i % kStages * bytes);
    for (int j = threadIdx.x; j < bytes / 16; j += blockDim.x) sum += data[j].x + data[j].y + data[j].z + data[j].w;
    __syncthreads();
    fetch(i + kStages);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Rounds of one store and a wait for it, to `wide` bytes of each block; Adds: sums instead of stores.
template <bool kAdds>
__global__ void bulk_put(uint8_t* to, uint32_t bytes, int rounds, uint32_t wide) {
  extern __shared__ __align__(1024) uint8_t memory[];
  for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) ((float*)memory)[i] = float(i % 4);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  uint32_t at = 0;
  for (int r = 0; r < rounds; ++r) {
    uint8_t* const there = to + size_t(blockIdx.x) * wide + at;
    if (kAdds)
      add((float*)there, memory, bytes);
    else
      store(there, memory, bytes);
    commit();
    wait_stores<0>();
    at = (at + bytes) % wide;
  }
}

// A copy of memory: tiles come and go through a ring of kStages by one thread.
template <int kStages>
__global__ void bulk_copy(const uint8_t* from, uint8_t* to, uint32_t bytes, int tiles) {
  extern __shared__ __align__(1024) uint8_t memory[];
  __shared__ uint64_t full[kStages];
  if (threadIdx.x != 0) return;
  for (auto& barrier : full) init(barrier, 1);
  fence_init();
  const auto fetch = [&](int i) {
    const int tile = blockIdx.x + i * gridDim.x;
    if (tile >= tiles) return;
    expect(full[i % kStages], bytes);
    load(memory + i % kStages * bytes, from + size_t(tile) * bytes, bytes, full[i % kStages]);
  };
  for (int i = 0; i < kStages - 1; ++i) fetch(i);
  for (int i = 0; blockIdx.x + i * gridDim.x < tiles; ++i) {
    wait(full[i % kStages], i / kStages % 2);
    store(to + size_t(blockIdx.x + i * gridDim.x) * bytes, memory + i % kStages * bytes, bytes);
    commit();
    wait_reads<1>();  // the stage before this one has been read
    fetch(i + kStages - 1);
  }
  wait_stores<0>();
}

// ---- boxes of tensors

// Rounds of `flight` boxes from the block's rows, one round after the other.
__global__ void box_chain(const CUtensorMap* map, float* out, uint32_t bytes, int columns, int rows, int flight,
                          int rounds) {
  extern __shared__ __align__(1024) uint8_t memory[];
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) init(barrier, 1), fence_init();
  __syncthreads();
  int box = 0;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x == 0) {
      expect(barrier, bytes * flight);
      for (int i = 0; i < flight; ++i, ++box) load_box(memory + i * bytes, map, box % 8 * columns, blockIdx.x * rows, barrier);
    }
    wait(barrier, r % 2);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = ((float*)memory)[threadIdx.x];
}

// Blocks take boxes in turn, row by row of boxes, through a ring of kStages; threads add what comes.
template <int kStages>
__global__ void box_stream(const CUtensorMap* map, float* out, uint32_t bytes, int columns, int rows, int across,
                           int boxes) {
  extern __shared__ __align__(1024) uint8_t memory[];
  __shared__ uint64_t full[kStages];
  if (threadIdx.x == 0) {
    for (auto& barrier : full) init(barrier, 1);
    fence_init();
  }
  __syncthreads();
  const auto fetch = [&](int i) {
    const int box = blockIdx.x + i * gridDim.x;
    if (threadIdx.x != 0 || box >= boxes) return;
    expect(full[i % kStages], bytes);
    load_box(memory + i % kStages * bytes, map, box % across * columns, box / across * rows, full[i % kStages]);
  };
  for (int i = 0; i < kStages; ++i) fetch(i);
  float sum = 0;
  for (int i = 0; blockIdx.x + i * gridDim.x < boxes; ++i) {
    wait(full[i % kStages], i / kStages % 2);
    const float* data = (const float*)(memory + i % kStages * bytes);
    for (int j = threadIdx.x; j < bytes / 4; j += blockDim.x) sum += data[j];
    __syncthreads();
    fetch(i + kStages);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Every block writes its boxes.
__global__ void box_put(const CUtensorMap* map, int columns, int rows, int across, int boxes) {
  extern __shared__ __align__(1024) uint8_t memory[];
  for (int i = threadIdx.x; i < columns * rows; i += blockDim.x) ((float*)memory)[i] = float(i % 4);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int box = blockIdx.x; box < boxes; box += gridDim.x) {
    store_box(map, box % across * columns, box / across * rows, memory);
    commit();
    wait_stores<1>();
  }
  wait_stores<0>();
}

// ----

namespace {

half as_half(uint32_t i) { return half(float(int(hashed(i) % 8) - 4)); }
uint32_t as_word(uint32_t i) { return hashed(i); }

// Columns of `bytes` each; a box of columns x rows. In global memory, for clang copies parameters of kernels.
const CUtensorMap* map_of(CUtensorMapDataType type, uint32_t bytes, void* data, uint64_t width, uint64_t height, uint32_t columns,
                   uint32_t rows, CUtensorMapSwizzle swizzle) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
  CUtensorMap map;
  const cuuint64_t dims[] = {width, height}, strides[] = {width * bytes};
  const cuuint32_t box[] = {columns, rows}, steps[] = {1, 1};
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry)(
      &map, type, 2, data, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) std::printf("no map: %d\n", int(result)), std::exit(1);
  return on_device(std::vector<CUtensorMap>{map});
}

template <class Kernel>
Kernel with_shared(Kernel kernel) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 * 1024));
  return kernel;
}

template <class Multiply, int kDepth, int kPending>
void product_cases(Cases& cases, const std::string& name, std::initializer_list<int> groups, int rounds, void* out) {
  const auto kernel = with_shared(products<Multiply, kDepth, kPending>);
  for (const int g : groups)
    cases(name + "_g" + std::to_string(g), [&] {
      kernel<<<4, 128 * g, 8192 + Multiply::kColumns * 128>>>((typename Multiply::Sum*)out, rounds);
    });
}

template <class Multiply, int kGroups, int kStages, int kPending>
void pipeline_case(Cases& cases, const std::string& name, half* a, half* b, float* c, int m, int n, int k) {
  const auto kernel = with_shared(pipeline<Multiply, kGroups, kStages, kPending>);
  constexpr int kM = 64 * kGroups, kN = Multiply::kColumns;
  const auto *map_a = map_of(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, a, k, m, 64, kM, CU_TENSOR_MAP_SWIZZLE_128B),
             *map_b = map_of(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, b, k, n, 64, kN, CU_TENSOR_MAP_SWIZZLE_128B);
  cases(name + "_" + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k), [&] {
    kernel<<<dim3(n / kN, m / kM), 128 * (kGroups + 1), kStages * (kM + kN) * 128>>>(map_a, map_b, c, n, k);
  });
}

void group_cases(Cases& cases, void* out) {
  // One product after the other.
  product_cases<Half8, 1, 0>(cases, "group_chain_8", {1}, 512, out);
  product_cases<Half32, 1, 0>(cases, "group_chain_32", {1}, 256, out);
  product_cases<Half64, 1, 0>(cases, "group_chain_64", {1, 4}, 256, out);
  product_cases<Half128, 1, 0>(cases, "group_chain_128", {1, 2}, 256, out);
  product_cases<Half256, 1, 0>(cases, "group_chain_256", {1, 3}, 128, out);
  product_cases<Float8_64, 1, 0>(cases, "group_chain_e4m3_64", {1}, 256, out);
  product_cases<Registers64, 1, 0>(cases, "group_chain_registers_64", {1}, 256, out);
  // Four products, then a wait; with a wait for the four before.
  product_cases<Half8, 4, 0>(cases, "group_four_8", {1, 4}, 256, out);
  product_cases<Half64, 4, 0>(cases, "group_four_64", {1, 2, 4}, 128, out);
  product_cases<Half256, 4, 0>(cases, "group_four_256", {1, 2}, 64, out);
  product_cases<Byte128, 4, 0>(cases, "group_four_s8_128", {1, 2}, 64, out);
  product_cases<Half8, 4, 1>(cases, "group_pipe_8", {1, 2, 4}, 256, out);
  product_cases<Half32, 4, 1>(cases, "group_pipe_32", {1, 4}, 256, out);
  product_cases<Half64, 4, 1>(cases, "group_pipe_64", {1, 2, 3}, 128, out);
  product_cases<Half128, 4, 1>(cases, "group_pipe_128", {1, 2}, 64, out);
  product_cases<Half256, 4, 1>(cases, "group_pipe_256", {1, 2}, 64, out);
  product_cases<Tf128, 4, 1>(cases, "group_pipe_tf32_128", {1, 2}, 64, out);
  product_cases<Float8_256, 4, 1>(cases, "group_pipe_e4m3_256", {1, 2}, 32, out);
  product_cases<Registers8, 4, 1>(cases, "group_pipe_registers_8", {1, 4}, 256, out);
  product_cases<Registers256, 4, 1>(cases, "group_pipe_registers_256", {1, 2}, 64, out);
}

void pipeline_cases(Cases& cases) {
  constexpr size_t kMost = size_t(2048) * 1024;
  half *a = on_device<half>(kMost, as_half), *b = on_device<half>(kMost, as_half);
  float* c = zeros<float>(size_t(2048) * 2048);
  pipeline_case<Half128, 2, 3, 0>(cases, "pipeline_n128_s3", a, b, c, 256, 256, 512);
  pipeline_case<Half128, 2, 3, 0>(cases, "pipeline_n128_s3", a, b, c, 1024, 1024, 512);
  pipeline_case<Half128, 2, 3, 0>(cases, "pipeline_n128_s3", a, b, c, 2048, 2048, 256);
  pipeline_case<Half128, 2, 4, 0>(cases, "pipeline_n128_s4", a, b, c, 512, 512, 1024);
  pipeline_case<Half128, 2, 4, 0>(cases, "pipeline_n128_s4", a, b, c, 1024, 1024, 1024);
  pipeline_case<Half128, 2, 4, 1>(cases, "pipeline_n128_s4_overlapped", a, b, c, 512, 512, 1024);
  pipeline_case<Half128, 2, 4, 1>(cases, "pipeline_n128_s4_overlapped", a, b, c, 1024, 1024, 1024);
  pipeline_case<Half256, 2, 4, 1>(cases, "pipeline_n256_s4_overlapped", a, b, c, 1024, 2048, 512);
  pipeline_case<Half256, 2, 3, 0>(cases, "pipeline_n256_s3", a, b, c, 512, 2048, 1024);
  pipeline_case<Half64, 1, 3, 0>(cases, "pipeline_n64_s3", a, b, c, 512, 512, 512);
  pipeline_case<Half64, 1, 4, 0>(cases, "pipeline_n64_s4", a, b, c, 1024, 1024, 256);
  pipeline_case<Half64, 2, 4, 1>(cases, "pipeline_m128_n64_s4_overlapped", a, b, c, 512, 1024, 512);
}

void bulk_cases(Cases& cases, uint32_t* data, uint32_t* other, size_t bytes, float* out) {
  auto* const from = (uint8_t*)data;
  auto* const to = (uint8_t*)other;
  const auto chain = with_shared(bulk_chain);
  for (const int size : {1024, 4096, 16384, 65536})
    cases("bulk_chain_" + std::to_string(size), [&] { chain<<<1, 32, size>>>(from, out, size, 1, 128, 131072); });
  for (const int size : {2048, 16384})
    cases("bulk_chain_" + std::to_string(size) + "_b132", [&] { chain<<<132, 32, size>>>(from, out, size, 1, 128, 131072); });
  for (const int flight : {2, 4, 8})
    cases("bulk_flight_" + std::to_string(flight) + "_4096",
          [&] { chain<<<1, 32, 4096 * flight>>>(from, out, 4096, flight, 64, 131072); });
  cases("bulk_flight_16_1024", [&] { chain<<<1, 32, 16384>>>(from, out, 1024, 16, 64, 131072); });
  cases("bulk_flight_8_1024_b132", [&] { chain<<<132, 32, 8192>>>(from, out, 1024, 8, 64, 131072); });
  cases("bulk_flight_4_16384_b132", [&] { chain<<<132, 32, 65536>>>(from, out, 16384, 4, 64, 131072); });
  const auto stream = [&](const std::string& name, auto kernel, int stages, int size, int blocks, size_t all) {
    with_shared(kernel);
    cases(name + "_" + std::to_string(size) + "_b" + std::to_string(blocks),
          [&, kernel] { kernel<<<blocks, 128, stages * size>>>(from, out, size, int(all / size)); });
  };
  stream("bulk_stream_s4", bulk_stream<4>, 4, 2048, 132, bytes / 4);
  stream("bulk_stream_s4", bulk_stream<4>, 4, 4096, 264, bytes);
  stream("bulk_stream_s4", bulk_stream<4>, 4, 8192, 132, bytes);
  stream("bulk_stream_s4", bulk_stream<4>, 4, 16384, 132, bytes);
  stream("bulk_stream_s3", bulk_stream<3>, 3, 32768, 132, bytes);
  stream("bulk_stream_s2", bulk_stream<2>, 2, 16384, 264, bytes);
  stream("bulk_stream_s4", bulk_stream<4>, 4, 16384, 16, bytes / 4);
  stream("bulk_stream_s4", bulk_stream<4>, 4, 8192, 1, bytes / 32);
  stream("bulk_stream_s8", bulk_stream<8>, 8, 4096, 528, bytes);
  const auto put = with_shared(bulk_put<false>), adds = with_shared(bulk_put<true>);
  for (const int size : {1024, 8192, 32768})
    cases("bulk_put_" + std::to_string(size), [&] { put<<<1, 128, size>>>(to, size, 128, 131072); });
  cases("bulk_put_16384_b132", [&] { put<<<132, 128, 16384>>>(to, 16384, 16, 262144); });
  cases("bulk_add_4096", [&] { adds<<<1, 128, 4096>>>(to, 4096, 128, 131072); });
  cases("bulk_add_16384_b132", [&] { adds<<<132, 128, 16384>>>(to, 16384, 8, 131072); });
  with_shared(bulk_copy<4>);
  cases("bulk_copy_8192_b132", [&] { bulk_copy<4><<<132, 32, 4 * 8192>>>(from, to, 8192, int(bytes / 8192)); });
  cases("bulk_copy_16384_b132", [&] { bulk_copy<4><<<132, 32, 4 * 16384>>>(from, to, 16384, int(bytes / 16384)); });
  cases("bulk_copy_4096_b528", [&] { bulk_copy<4><<<528, 32, 4 * 4096>>>(from, to, 4096, int(bytes / 4096)); });
}

void box_cases(Cases& cases, float* data, float* other, float* out) {
  constexpr int kWidth = 2048, kHeight = 4096;
  const auto boxes = [&](void* at, int columns, int rows, CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
    return map_of(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, at, kWidth, kHeight, columns, rows, swizzle);
  };
  const auto named = [](const char* name, int columns, int rows) {
    return std::string(name) + "_" + std::to_string(columns) + "x" + std::to_string(rows);
  };
  const auto chain = with_shared(box_chain);
  const auto chain_case = [&](int columns, int rows, int flight, int blocks, CUtensorMapSwizzle swizzle) {
    const CUtensorMap* const map = boxes(data, columns, rows, swizzle);
    const uint32_t bytes = columns * rows * 4;
    cases(named("box_chain", columns, rows) + (flight > 1 ? "_f" + std::to_string(flight) : "") + "_b" + std::to_string(blocks),
          [&] { chain<<<blocks, 32, bytes * flight>>>(map, out, bytes, columns, rows, flight, 64); });
  };
  chain_case(32, 8, 1, 1, CU_TENSOR_MAP_SWIZZLE_NONE);
  chain_case(32, 64, 1, 1, CU_TENSOR_MAP_SWIZZLE_128B);
  chain_case(256, 16, 1, 1, CU_TENSOR_MAP_SWIZZLE_NONE);
  chain_case(8, 256, 1, 1, CU_TENSOR_MAP_SWIZZLE_NONE);
  chain_case(4, 128, 1, 1, CU_TENSOR_MAP_SWIZZLE_NONE);
  chain_case(32, 64, 4, 1, CU_TENSOR_MAP_SWIZZLE_128B);
  chain_case(8, 64, 4, 1, CU_TENSOR_MAP_SWIZZLE_NONE);
  chain_case(32, 32, 1, 132, CU_TENSOR_MAP_SWIZZLE_128B);
  const auto stream = [&](auto kernel, int stages, int columns, int rows, int blocks, CUtensorMapSwizzle swizzle) {
    with_shared(kernel);
    const CUtensorMap* const map = boxes(data, columns, rows, swizzle);
    const uint32_t bytes = columns * rows * 4;
    cases(named("box_stream", columns, rows) + "_s" + std::to_string(stages) + "_b" + std::to_string(blocks), [&, kernel] {
      kernel<<<blocks, 128, stages * bytes>>>(map, out, bytes, columns, rows, kWidth / columns, kWidth / columns * (kHeight / rows));
    });
  };
  stream(box_stream<4>, 4, 32, 64, 132, CU_TENSOR_MAP_SWIZZLE_128B);
  stream(box_stream<4>, 4, 32, 128, 132, CU_TENSOR_MAP_SWIZZLE_128B);
  stream(box_stream<2>, 2, 256, 16, 264, CU_TENSOR_MAP_SWIZZLE_NONE);
  stream(box_stream<4>, 4, 8, 128, 132, CU_TENSOR_MAP_SWIZZLE_NONE);
  stream(box_stream<4>, 4, 4, 128, 264, CU_TENSOR_MAP_SWIZZLE_NONE);
  stream(box_stream<3>, 3, 64, 64, 264, CU_TENSOR_MAP_SWIZZLE_NONE);
  const auto put = with_shared(box_put);
  const auto put_case = [&](int columns, int rows) {
    const CUtensorMap* const map = boxes(other, columns, rows);
    cases(named("box_put", columns, rows), [&] {
      put<<<132, 128, columns * rows * 4>>>(map, columns, rows, kWidth / columns, kWidth / columns * (kHeight / rows) / 4);
    });
  };
  put_case(32, 64);
  put_case(8, 128);
  put_case(256, 16);
}

}  // namespace

int main(int argc, char** argv) {
  Cases cases(argc, argv);
  constexpr size_t kWords = size_t(2048) * 4096;
  constexpr size_t kPutWords = size_t(132) * 262144 / 4;  // what the blocks of bulk_put write: more than kWords
  uint32_t *data = on_device<uint32_t>(kWords, as_word), *other = zeros<uint32_t>(kPutWords);
  float* out = zeros<float>(528 * 512);
  group_cases(cases, out);
  pipeline_cases(cases);
  bulk_cases(cases, data, other, kWords * 4, out);
  box_cases(cases, (float*)data, (float*)other, out);
}
