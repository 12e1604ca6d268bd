// Boxes of tensors, byte by byte as an H100 copies them: ranks 1 to 5, swizzles, rows shorter than the swizzle, steps, edges on
// all sides, NaN outside; and back to global memory. EXPECT-STDOUT has the digests of an H100.
// RUN: --device h100
// EXPECT-STDOUT: line: 0adc208999fda13d
// EXPECT-STDOUT: line_end: 2e454377e38d42ba
// EXPECT-STDOUT: line_before8: 42accc9b581cea88
// EXPECT-STDOUT: none: 237fa855470c2f95
// EXPECT-STDOUT: none stored: 046db3622e7d6383
// EXPECT-STDOUT: narrow: f6693df35f6a6865
// EXPECT-STDOUT: narrow stored: 79c0c1e744218703
// EXPECT-STDOUT: s32: 2c0a573c793f4e51
// EXPECT-STDOUT: s32 stored: dee39446e73f6b43
// EXPECT-STDOUT: s64: bdc185f1774cbef5
// EXPECT-STDOUT: s64 stored: 63625c112974ce03
// EXPECT-STDOUT: s128: 7a10ccb0ab49e7c3
// EXPECT-STDOUT: s128 stored: 22ba7b2b4dfaa7c3
// EXPECT-STDOUT: s128_narrow: b1fc9b04c22475a1
// EXPECT-STDOUT: s128_narrow stored: ba31ca62b177abe3
// EXPECT-STDOUT: s64_narrow: 46fd6e5c84fff409
// EXPECT-STDOUT: s64_narrow stored: 38428dc5fd587723
// EXPECT-STDOUT: corner: 950d493220d0f741
// EXPECT-STDOUT: corner stored: 9fbd5789dcd8d103
// EXPECT-STDOUT: corner_nan: 13b4489fad059965
// EXPECT-STDOUT: corner_nan stored: 58cd4c9c343b6c03
// EXPECT-STDOUT: nan_f32: e2a683107e220716
// EXPECT-STDOUT: all_out: 706eadc8350b0383
// EXPECT-STDOUT: all_out stored: 7a3e74a7b7170383
// EXPECT-STDOUT: steps_inner: 424bb25b1c52103f
// EXPECT-STDOUT: steps_outer: fbdbf7f6085006db
// EXPECT-STDOUT: cube: abfa29dbedbd4bd0
// EXPECT-STDOUT: four: e8fbc63785159412
// EXPECT-STDOUT: five: 9f3f1bc08c43c43b
#include <cuda.h>

#include "check.h"
#include "hopper.h"
#include "matrix_inputs.h"

namespace {

constexpr int kBytes = 16384, kTensorBytes = 1 << 20, kStoredBytes = 131072;
constexpr auto F16 = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, F32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
constexpr auto NONE = CU_TENSOR_MAP_SWIZZLE_NONE, S32 = CU_TENSOR_MAP_SWIZZLE_32B, S64 = CU_TENSOR_MAP_SWIZZLE_64B,
               S128 = CU_TENSOR_MAP_SWIZZLE_128B;

struct Case {
  const char* name;
  CUtensorMapDataType type;
  int bytes, rank;
  cuuint64_t dims[5], strides[4];
  cuuint32_t box[5], steps[5];
  CUtensorMapSwizzle swizzle;
  bool nan;
  int at[5];
  uint32_t expected;  // bytes that the barrier object hears of
};

template <int Rank>
__global__ void load(const __grid_constant__ CUtensorMap map, int x, int y, int z, int u, int v, uint32_t bytes,
                     uint8_t* out) {
  extern __shared__ __align__(1024) uint8_t memory[];
  __shared__ uint64_t object;
  const uint32_t barrier = shared_address(&object), to = shared_address(memory);
  for (int i = threadIdx.x; i < kBytes; i += blockDim.x) memory[i] = 0xee;
  if (threadIdx.x == 0) barrier_init(barrier, 1), fence_barrier_init();
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    barrier_expect(barrier, bytes);
#define LOAD(rank, places, last, ...)                                                                            \
  if constexpr (Rank == rank)                                                                                     \
    asm volatile("cp.async.bulk.tensor." #rank                                                                    \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" places "}], [" last    \
                 "];" ::"r"(to),                                                                                  \
                 "l"(&map), __VA_ARGS__, "r"(barrier)                                                             \
                 : "memory");
    LOAD(1, "%2", "%3", "r"(x))
    LOAD(2, "%2, %3", "%4", "r"(x), "r"(y))
    LOAD(3, "%2, %3, %4", "%5", "r"(x), "r"(y), "r"(z))
    LOAD(4, "%2, %3, %4, %5", "%6", "r"(x), "r"(y), "r"(z), "r"(u))
    LOAD(5, "%2, %3, %4, %5, %6", "%7", "r"(x), "r"(y), "r"(z), "r"(u), "r"(v))
  }
  barrier_wait(barrier, 0);
  for (int i = threadIdx.x; i < kBytes; i += blockDim.x) out[i] = memory[i];
}

__global__ void store(const __grid_constant__ CUtensorMap map, int x, int y) {
  extern __shared__ __align__(1024) uint8_t memory[];
  for (int i = threadIdx.x; i < kBytes / 4; i += blockDim.x) reinterpret_cast<uint32_t*>(memory)[i] = 1000000 + i;
  fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x),
               "r"(y), "r"(shared_address(memory))
               : "memory");
  bulk_commit();
  bulk_wait<0>();
}

}  // namespace

int main() {
  const Case cases[] = {
    {"line", F32, 4, 1, {1000}, {}, {64}, {1}, NONE, false, {40}, 256},
    {"line_end", F32, 4, 1, {1000}, {}, {64}, {1}, NONE, false, {980}, 256},
    {"line_before8", F32, 4, 1, {1000}, {}, {64}, {1}, NONE, false, {-8}, 256},
    {"none", F16, 2, 2, {256, 100}, {512}, {64, 16}, {1, 1}, NONE, false, {64, 8}, 2048},
    {"narrow", F16, 2, 2, {256, 100}, {512}, {8, 16}, {1, 1}, NONE, false, {64, 8}, 256},
    {"s32", F16, 2, 2, {256, 100}, {512}, {16, 32}, {1, 1}, S32, false, {64, 8}, 1024},
    {"s64", F16, 2, 2, {256, 100}, {512}, {32, 32}, {1, 1}, S64, false, {64, 8}, 2048},
    {"s128", F16, 2, 2, {256, 100}, {512}, {64, 32}, {1, 1}, S128, false, {64, 8}, 4096},
    {"s128_narrow", F16, 2, 2, {256, 100}, {512}, {32, 32}, {1, 1}, S128, false, {64, 8}, 2048},
    {"s64_narrow", F16, 2, 2, {256, 100}, {512}, {16, 32}, {1, 1}, S64, false, {64, 8}, 1024},
    {"corner", F16, 2, 2, {250, 100}, {512}, {64, 32}, {1, 1}, S128, false, {224, 90}, 4096},
    {"corner_nan", F16, 2, 2, {250, 100}, {512}, {64, 32}, {1, 1}, NONE, true, {224, 90}, 4096},
    {"nan_f32", F32, 4, 2, {120, 100}, {512}, {16, 8}, {1, 1}, NONE, true, {112, 97}, 512},
    {"all_out", F16, 2, 2, {250, 100}, {512}, {64, 32}, {1, 1}, NONE, false, {1000, 5}, 4096},
    {"steps_inner", F32, 4, 2, {120, 100}, {512}, {32, 8}, {2, 1}, NONE, false, {8, 3}, 1024},
    {"steps_outer", F32, 4, 2, {120, 100}, {512}, {16, 9}, {1, 3}, NONE, false, {8, 3}, 192},
    {"cube", F16, 2, 3, {64, 30, 20}, {128, 4096}, {16, 4, 3}, {1, 1, 1}, NONE, false, {8, 28, 18}, 384},
    {"four", F16, 2, 4, {64, 10, 6, 5}, {128, 1280, 8192}, {16, 2, 3, 2}, {1, 1, 1, 1}, NONE, false, {8, 9, 4, -1}, 384},
    {"five", F16, 2, 5, {64, 10, 6, 5, 4}, {128, 1280, 8192, 65536}, {8, 2, 3, 2, 2}, {1, 1, 1, 1, 1}, NONE, false, {8, 3, 4, 2, 3}, 384},
  };
  std::vector<uint32_t> words(kTensorBytes / 4);
  for (size_t i = 0; i < words.size(); ++i) words[i] = uint32_t(i) * 2654435761u;
  Buffer<uint32_t> tensor(words.size());
  Buffer<uint8_t> out(kBytes);
  for (const Case& c : cases) {
    tensor.set(words);
    CUtensorMap map;
    const CUresult made = cuTensorMapEncodeTiled(
        &map, c.type, c.rank, tensor.data(), c.dims, c.strides, c.box, c.steps, CU_TENSOR_MAP_INTERLEAVE_NONE, c.swizzle,
        CU_TENSOR_MAP_L2_PROMOTION_NONE,
        c.nan ? CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA : CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    EXPECT(made == CUDA_SUCCESS);
    const auto go = [&](auto* kernel) {
      kernel<<<1, 128, kBytes>>>(map, c.at[0], c.at[1], c.at[2], c.at[3], c.at[4], c.expected, out);
    };
    c.rank == 1   ? go(load<1>)
    : c.rank == 2 ? go(load<2>)
    : c.rank == 3 ? go(load<3>)
    : c.rank == 4 ? go(load<4>)
                  : go(load<5>);
    CK_LAUNCH();
    std::printf("%s: %016llx\n", c.name, digest_of(out.get()));
    if (c.bytes != 2 || c.rank != 2) continue;
    CK(cudaMemset(tensor, 0xdd, kTensorBytes));
    store<<<1, 128, kBytes>>>(map, c.at[0], c.at[1]);
    CK_LAUNCH();
    std::vector<uint8_t> stored(kStoredBytes);
    CK(cudaMemcpy(stored.data(), tensor, stored.size(), cudaMemcpyDeviceToHost));
    std::printf("%s stored: %016llx\n", c.name, digest_of(stored));
  }
  return failures();
}
