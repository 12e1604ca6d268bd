// mma.sp of every shape, bit for bit as on an H200. The inputs are those of matrix_products.cu, and metadata that choose
// any elements. Prints a digest of the results of each form, which EXPECT-STDOUT has as an H200 (driver 580, CUDA 13)
// computed them.
// RUN: --device h200
// EXPECT-STDOUT: m16n8k16_f16_f16_of_0: 51c7a1ab4ac96fe4
// EXPECT-STDOUT: m16n8k16_f32_f16_of_1: b52471dbb43a21f9
// EXPECT-STDOUT: m16n8k16_f32_f16_of_3: 424eb8678f0c084f
// EXPECT-STDOUT: m16n8k16_f32_bf16_of_2: fec5ca88501c6312
// EXPECT-STDOUT: m16n8k32_f16_f16_of_1: ed5917b94a04fd47
// EXPECT-STDOUT: m16n8k32_f32_f16_of_0: 6e5dc90f58b4234f
// EXPECT-STDOUT: m16n8k32_f32_bf16_of_1: 8a124bd6322917e4
// EXPECT-STDOUT: m16n8k8_f32_tf32_of_0: 1ac1b35a0d4c7cab
// EXPECT-STDOUT: m16n8k8_f32_tf32_of_3: 3fb22f9fd281eb39
// EXPECT-STDOUT: m16n8k16_f32_tf32_of_0: a5fd02eb0775fa69
// EXPECT-STDOUT: m16n8k16_f32_tf32_of_1: 594f004803e0e19f
// EXPECT-STDOUT: m16n8k32_s8_s8_of_0: 017ab659823ad86c
// EXPECT-STDOUT: m16n8k32_s8_u8_of_1: 3d212fa157a2b6b6
// EXPECT-STDOUT: m16n8k64_u8_s8: e023447c83743b1f
// EXPECT-STDOUT: m16n8k64_u8_u8_sat: e0f14cd38cef4d13
// EXPECT-STDOUT: m16n8k64_s4_s4_of_0: 0239d7f7140e4483
// EXPECT-STDOUT: m16n8k64_u4_s4_of_1: f14b6e3a02a161f1
// EXPECT-STDOUT: m16n8k128_s4_u4: 734d2cd16b94d8bb
// EXPECT-STDOUT: m16n8k128_u4_u4_sat: e3a4b90dbc962d74
// EXPECT-STDOUT: m16n8k64_f32_e4m3_e4m3: 9ab289fe873e3487
// EXPECT-STDOUT: m16n8k64_f32_e4m3_e5m2: 5afbc7c53358615b
// EXPECT-STDOUT: m16n8k64_f32_e5m2_e5m2: df0272b0a42630e6
#include "matrix_forms.h"

namespace {

// ---- forms: registers of d and c, of a, of b, and the numbers of asm's operands

#define PLACES_2_2_2 "{%0, %1}, {%2, %3}, {%4, %5}, {%6, %7}, %8"
#define PLACES_2_4_4 "{%0, %1}, {%2, %3, %4, %5}, {%6, %7, %8, %9}, {%10, %11}, %12"
#define PLACES_4_2_2 "{%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%8, %9, %10, %11}, %12"
#define PLACES_4_4_4 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, %16"
// `pairs`: metadata choose one element of two, by 4 bits; else two of four, by 2 bits each.
#define MMA_SP(form, kind, nc_, na_, nb_, inputs, sums, pairs_, selector, text)                                    \
  struct form {                                                                                                    \
    TYPES_##kind static constexpr int na = na_, nb = nb_, nc = nc_;                                                \
    static constexpr Format fa = Format::inputs, fc = Format::sums;                                                \
    static constexpr bool pairs = pairs_;                                                                          \
    static constexpr const char* name = #form;                                                                     \
    static __device__ __forceinline__ void run(C (&d)[nc], const A (&a)[na], const A (&b)[nb], const C (&c)[nc],   \
                                               uint32_t e) {                                                       \
      asm volatile("mma.sp::ordered_metadata.sync.aligned." text " " PLACES_##nc_##_##na_##_##nb_ ", " #selector ";" \
                   : IN##nc_(OUT_##kind, d)                                                                        \
                   : IN##na_(INPUT_##kind, a), IN##nb_(INPUT_##kind, b), IN##nc_(SUM_##kind, c), "r"(e));          \
    }                                                                                                              \
  };
#define FORMS(X) \
  X(m16n8k16_f16_f16_of_0, WORDS, 2, 2, 2, F16, F16, false, 0, "m16n8k16.row.col.f16.f16.f16.f16") \
  X(m16n8k16_f32_f16_of_1, SINGLE, 4, 2, 2, F16, F32, false, 1, "m16n8k16.row.col.f32.f16.f16.f32") \
  X(m16n8k16_f32_f16_of_3, SINGLE, 4, 2, 2, F16, F32, false, 3, "m16n8k16.row.col.f32.f16.f16.f32") \
  X(m16n8k16_f32_bf16_of_2, SINGLE, 4, 2, 2, BF16, F32, false, 2, "m16n8k16.row.col.f32.bf16.bf16.f32") \
  X(m16n8k32_f16_f16_of_1, WORDS, 2, 4, 4, F16, F16, false, 1, "m16n8k32.row.col.f16.f16.f16.f16") \
  X(m16n8k32_f32_f16_of_0, SINGLE, 4, 4, 4, F16, F32, false, 0, "m16n8k32.row.col.f32.f16.f16.f32") \
  X(m16n8k32_f32_bf16_of_1, SINGLE, 4, 4, 4, BF16, F32, false, 1, "m16n8k32.row.col.f32.bf16.bf16.f32") \
  X(m16n8k8_f32_tf32_of_0, SINGLE, 4, 2, 2, TF32, F32, true, 0, "m16n8k8.row.col.f32.tf32.tf32.f32") \
  X(m16n8k8_f32_tf32_of_3, SINGLE, 4, 2, 2, TF32, F32, true, 3, "m16n8k8.row.col.f32.tf32.tf32.f32") \
  X(m16n8k16_f32_tf32_of_0, SINGLE, 4, 4, 4, TF32, F32, true, 0, "m16n8k16.row.col.f32.tf32.tf32.f32") \
  X(m16n8k16_f32_tf32_of_1, SINGLE, 4, 4, 4, TF32, F32, true, 1, "m16n8k16.row.col.f32.tf32.tf32.f32") \
  X(m16n8k32_s8_s8_of_0, WORDS, 4, 2, 2, Whole, Whole, false, 0, "m16n8k32.row.col.s32.s8.s8.s32") \
  X(m16n8k32_s8_u8_of_1, WORDS, 4, 2, 2, Whole, Whole, false, 1, "m16n8k32.row.col.s32.s8.u8.s32") \
  X(m16n8k64_u8_s8, WORDS, 4, 4, 4, Whole, Whole, false, 0, "m16n8k64.row.col.s32.u8.s8.s32") \
  X(m16n8k64_u8_u8_sat, WORDS, 4, 4, 4, Whole, Whole, false, 0, "m16n8k64.row.col.satfinite.s32.u8.u8.s32") \
  X(m16n8k64_s4_s4_of_0, WORDS, 4, 2, 2, Whole, Whole, false, 0, "m16n8k64.row.col.s32.s4.s4.s32") \
  X(m16n8k64_u4_s4_of_1, WORDS, 4, 2, 2, Whole, Whole, false, 1, "m16n8k64.row.col.s32.u4.s4.s32") \
  X(m16n8k128_s4_u4, WORDS, 4, 4, 4, Whole, Whole, false, 0, "m16n8k128.row.col.s32.s4.u4.s32") \
  X(m16n8k128_u4_u4_sat, WORDS, 4, 4, 4, Whole, Whole, false, 0, "m16n8k128.row.col.satfinite.s32.u4.u4.s32") \
  X(m16n8k64_f32_e4m3_e4m3, SINGLE, 4, 4, 4, E4M3, F32, false, 0, "m16n8k64.row.col.f32.e4m3.e4m3.f32") \
  X(m16n8k64_f32_e4m3_e5m2, SINGLE, 4, 4, 4, E4M3, F32, false, 0, "m16n8k64.row.col.f32.e4m3.e5m2.f32") \
  X(m16n8k64_f32_e5m2_e5m2, SINGLE, 4, 4, 4, E5M2, F32, false, 0, "m16n8k64.row.col.f32.e5m2.e5m2.f32")
FORMS(MMA_SP)

template <class F>
__global__ void one_warp(const typename F::A* a, const typename F::A* b, const typename F::C* c, const uint32_t* e,
                         typename F::C* d) {
  typename F::A ra[F::na], rb[F::nb];
  typename F::C rc[F::nc], rd[F::nc];
  const int at = blockIdx.x * 32 + threadIdx.x;
  for (int i = 0; i < F::na; ++i) ra[i] = a[at * F::na + i];
  for (int i = 0; i < F::nb; ++i) rb[i] = b[at * F::nb + i];
  for (int i = 0; i < F::nc; ++i) rc[i] = c[at * F::nc + i];
  F::run(rd, ra, rb, rc, e[at]);
  for (int i = 0; i < F::nc; ++i) d[at * F::nc + i] = rd[i];
}

// Eight choices: the places of two elements of four in rising order, or of one element of two.
uint32_t metadata(Stream& s, bool pairs) {
  constexpr uint32_t kTwoOfFour[] = {0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110}, kOneOfTwo[] = {0b0100, 0b1110};
  uint32_t word = 0;
  for (int i = 0; i < 8; ++i) word |= (pairs ? kOneOfTwo[s.next() % 2] : kTwoOfFour[s.next() % 6]) << 4 * i;
  return word;
}

template <class F>
void show() {
  constexpr int kCases = 6;
  std::vector<typename F::A> a, b;
  std::vector<typename F::C> c;
  std::vector<uint32_t> e;
  for (int kind = 0; kind < kKinds; ++kind)
    for (int n = 0; n < kCases; ++n) {
      Stream s{seed_of(F::name) + uint64_t(kind * 1000 + n)};
      for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < F::na; ++i) a.push_back(of_bits<typename F::A>(register_bits(s, kind, Role::A, F::fa)));
        for (int i = 0; i < F::nb; ++i) b.push_back(of_bits<typename F::A>(register_bits(s, kind, Role::B, F::fa)));
        for (int i = 0; i < F::nc; ++i) c.push_back(of_bits<typename F::C>(register_bits(s, kind, Role::C, F::fc)));
        e.push_back(metadata(s, F::pairs));
      }
    }
  auto *da = upload(a), *db = upload(b);
  auto *dc = upload(c), *dd = upload(c);
  auto* de = upload(e);
  one_warp<F><<<kKinds * kCases, 32>>>(da, db, dc, de, dd);
  CK(cudaDeviceSynchronize());
  std::vector<uint32_t> words(c.size() * sizeof(typename F::C) / 4);
  CK(cudaMemcpy(words.data(), dd, words.size() * 4, cudaMemcpyDeviceToHost));
  std::printf("%s: %016llx\n", F::name, digest_of(words));
  for (void* p : {(void*)da, (void*)db, (void*)dc, (void*)dd, (void*)de}) CK(cudaFree(p));
}

}  // namespace

int main() {
#define SHOW(form, ...) show<form>();
  FORMS(SHOW)
  return 0;
}
