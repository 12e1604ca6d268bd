// Which bytes of shared memory a descriptor of wgmma names: each swizzle, both directions, several offsets and bases. The other
// matrix chooses one element a row, and the memory has its own places in it. EXPECT-STDOUT has the digests of an H100.
// RUN: --device h100
// EXPECT-STDOUT: b, swizzle none: 5c82ee3c1d83a383
// EXPECT-STDOUT: b, swizzle 128: 54ac263d69074b83
// EXPECT-STDOUT: b, swizzle 64: 120dfb6713e7eb83
// EXPECT-STDOUT: b, swizzle 32: 2eb8f862a86dbb83
// EXPECT-STDOUT: b transposed, swizzle none: 0cbb226923dbe783
// EXPECT-STDOUT: b transposed, swizzle 128: b0c798a078042c03
// EXPECT-STDOUT: b transposed, swizzle 64: 1ae81bcebc8b7083
// EXPECT-STDOUT: b transposed, swizzle 32: e0f1289898b90d83
// EXPECT-STDOUT: a, swizzle none: 778ec6e6d5c95783
// EXPECT-STDOUT: a, swizzle 128: 4b7bed613d1ac383
// EXPECT-STDOUT: a, swizzle 64: 4b90c8186bd18b83
// EXPECT-STDOUT: a, swizzle 32: 6648f2df298bfb83
// EXPECT-STDOUT: a transposed, swizzle none: a77dc53c00a9e583
// EXPECT-STDOUT: a transposed, swizzle 128: bf3414861cbbe503
// EXPECT-STDOUT: a transposed, swizzle 64: 2436f1aec37f2783
// EXPECT-STDOUT: a transposed, swizzle 32: daa44ccc32e32e83
#include <cuda_fp16.h>

#include "check.h"
#include "hopper.h"
#include "matrix_inputs.h"

namespace {

constexpr int kHalves = 16384, kColumns = 128, kRegisters = kColumns / 2;

#define SUMS4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUMS16(i) SUMS4(i), SUMS4(i + 4), SUMS4(i + 8), SUMS4(i + 12)
#define SUMS64 SUMS16(0), SUMS16(16), SUMS16(32), SUMS16(48)
#define PLACES64 \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}"

template <int TransA, int TransB>
__device__ void multiply(float (&d)[kRegisters], uint64_t a, uint64_t b) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " PLACES64
               ", %64, %65, p, 1, 1, %66, %67; }"
               : SUMS64
               : "l"(a), "l"(b), "n"(TransA), "n"(TransB));
}
template <int TransB>
__device__ void multiply(float (&d)[kRegisters], const uint32_t (&a)[4], uint64_t b) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " PLACES64
               ", {%64, %65, %66, %67}, %68, p, 1, 1, %69; }"
               : SUMS64
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(TransB));
}

struct Layout {
  uint32_t at, leading, stride, base, swizzle;
};

// Two passes: the places modulo 1024, and divided by it, for a half has 11 bits.
template <bool A, int Transposed>
__global__ void places(Layout layout, uint16_t* out) {
  extern __shared__ __align__(1024) __half memory[];
  __half* one = memory + kHalves;  // a matrix whose line n has a one at k == n
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, row = lane / 4, word = lane % 4;
  uint32_t ones[4] = {};
  for (int r = 0; r < 4; ++r)
    for (int j = 0; j < 2; ++j)
      if (row + 8 * (r & 1) == word * 2 + j + 8 * (r >> 1)) ones[r] |= 0x3c00u << 16 * j;
  float part[2][kRegisters];
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    for (int i = t; i < kHalves; i += 128) memory[i] = __float2half(float(pass == 0 ? i % 1024 : i / 1024));
    for (int i = t; i < kColumns * 16; i += 128) {
      const int n = i / 16, k = i % 16;
      one[n / 8 * 128 + k / 8 * 64 + n % 8 * 8 + k % 8] = __float2half(n == k ? 1.0f : 0.0f);
    }
    fence_async();
    __syncthreads();
    for (float& d : part[pass]) d = 0;
    const uint64_t looked_at = matrix_descriptor(shared_address(memory) + layout.at, layout.leading, layout.stride,
                                                 layout.swizzle, layout.base);
    group_fence();
    if constexpr (A)
      multiply<Transposed, 0>(part[pass], looked_at, matrix_descriptor(shared_address(one), 128, 256, 0));
    else
      multiply<Transposed>(part[pass], ones, looked_at);
    group_commit();
    group_wait<0>();
  }
  for (int i = 0; i < kRegisters; ++i) {
    const int line = warp * 16 + row + 8 * (i / 2 % 2), column = i / 4 * 8 + word * 2 + i % 2;
    const auto place = uint16_t(part[0][i] + 1024 * part[1][i]);
    if (A && column < 16) out[line * 16 + column] = place;
    if (!A && warp == 0) out[column * 16 + line] = place;
  }
}

template <bool A, int Transposed>
void show() {
  constexpr int kBytes = kHalves * 2 + kColumns * 32;
  CK(cudaFuncSetAttribute(places<A, Transposed>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  const char* swizzles[] = {"none", "128", "64", "32"};
  for (uint32_t swizzle = 0; swizzle < 4; ++swizzle) {
    const Layout layouts[] = {{0, 1024, 2048, 0, swizzle},   {0, 2048, 1024, 0, swizzle},   {32, 1024, 2048, 0, swizzle},
                              {256, 1024, 2048, 0, swizzle}, {256, 1024, 2048, 2, swizzle}, {128, 1024, 512, 1, swizzle},
                              {16, 16, 1024, 0, swizzle}};
    std::vector<uint16_t> all;
    for (const Layout& layout : layouts) {
      Buffer<uint16_t> out(kColumns * 16);
      CK(cudaMemset(out, 0xff, kColumns * 32));
      places<A, Transposed><<<1, 128, kBytes>>>(layout, out);
      CK_LAUNCH();
      const std::vector<uint16_t> got = out.get();
      all.insert(all.end(), got.begin(), got.end());
    }
    std::printf("%s%s, swizzle %s: %016llx\n", A ? "a" : "b", Transposed ? " transposed" : "", swizzles[swizzle],
                digest_of(all));
  }
}

}  // namespace

int main() {
  show<false, 0>();
  show<false, 1>();
  show<true, 0>();
  show<true, 1>();
  return 0;
}
