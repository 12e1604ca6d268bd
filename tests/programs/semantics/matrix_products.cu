// mma.sync of every shape and type, bit for bit as on an H200: ordinary numbers, wide ranges, all bit patterns, mostly zeros,
// subnormal numbers, overflow, cancellation. Prints a digest of the results of each form, which EXPECT-STDOUT has as an
// H200 (driver 580, CUDA 13) computed them.
// RUN: --device h200
// EXPECT-STDOUT: m16n8k8_f16_f16: cf18db6211bc66a1
// EXPECT-STDOUT: m16n8k8_f32_f16: 000e7328ccf91d4f
// EXPECT-STDOUT: m16n8k8_f32_bf16: c06230775517b56f
// EXPECT-STDOUT: m16n8k16_f16_f16: 83574385c5593e71
// EXPECT-STDOUT: m16n8k16_f32_f16: 5a26fe5dedcdde96
// EXPECT-STDOUT: m16n8k16_f32_bf16: 7045cd85b434208a
// EXPECT-STDOUT: m16n8k4_f32_tf32: 6089932a68708433
// EXPECT-STDOUT: m16n8k8_f32_tf32: 9958895074506b7e
// EXPECT-STDOUT: m8n8k4_f16_f16_row_row: 975f0b60ceeb765b
// EXPECT-STDOUT: m8n8k4_f32_f16_row_row: d42b032baa8423e3
// EXPECT-STDOUT: m8n8k4_f16_f16_row_col: aecb1d9620132af7
// EXPECT-STDOUT: m8n8k4_f32_f16_row_col: 9e521d3b88c3f732
// EXPECT-STDOUT: m8n8k4_f16_f16_col_row: 433ae0c4994031d3
// EXPECT-STDOUT: m8n8k4_f32_f16_col_row: cf20bbce4c79fb02
// EXPECT-STDOUT: m8n8k4_f16_f16_col_col: 95f1d9763b03241f
// EXPECT-STDOUT: m8n8k4_f32_f16_col_col: 2a96c8d600e500ae
// EXPECT-STDOUT: m16n8k32_f32_e4m3_e4m3: b9a6437edaaf9f68
// EXPECT-STDOUT: m16n8k32_f32_e4m3_e5m2: c17446cc1a3ce55b
// EXPECT-STDOUT: m16n8k32_f32_e5m2_e4m3: 3b08597fc4f17ff3
// EXPECT-STDOUT: m16n8k32_f32_e5m2_e5m2: 51816323299ae710
// EXPECT-STDOUT: m16n8k32_f16_e4m3_e4m3: e146b4ff85b53e33
// EXPECT-STDOUT: m16n8k32_f16_e5m2_e5m2: 5987c193cba80428
// EXPECT-STDOUT: m16n8k16_f32_e4m3_e5m2: 65faa8e7296bd7bb
// EXPECT-STDOUT: m16n8k16_f32_e5m2_e5m2: fc2f65c5857c16af
// EXPECT-STDOUT: m16n8k16_f16_e4m3_e4m3: 61d7eaa0f2b45e8f
// EXPECT-STDOUT: m8n8k16_s8_s8: 11861b745e94d237
// EXPECT-STDOUT: m16n8k16_s8_s8: 6e6301b1e168a00f
// EXPECT-STDOUT: m16n8k32_s8_s8: aad1393bcc491b30
// EXPECT-STDOUT: m8n8k16_s8_s8_sat: 1f7e65e405db2b87
// EXPECT-STDOUT: m16n8k16_s8_s8_sat: aca0ef8b4f37e97a
// EXPECT-STDOUT: m16n8k32_s8_s8_sat: db0d117b256823a8
// EXPECT-STDOUT: m8n8k16_s8_u8: d9ab5c481798f37d
// EXPECT-STDOUT: m16n8k16_s8_u8: 16dc76c6548cadd4
// EXPECT-STDOUT: m16n8k32_s8_u8: fcdfb9987e6d56ad
// EXPECT-STDOUT: m8n8k16_u8_s8: 5a355d345f986ccb
// EXPECT-STDOUT: m16n8k16_u8_s8: 3974649e4a097a69
// EXPECT-STDOUT: m16n8k32_u8_s8: 9ff84e312023638c
// EXPECT-STDOUT: m8n8k16_u8_u8: a8b97157bef447d6
// EXPECT-STDOUT: m16n8k16_u8_u8: b6c3d8d1131faf86
// EXPECT-STDOUT: m16n8k32_u8_u8: 31a52444c36c8b18
// EXPECT-STDOUT: m8n8k16_u8_u8_sat: 4ef736a281253a8a
// EXPECT-STDOUT: m16n8k16_u8_u8_sat: 1220af62e16e2f9e
// EXPECT-STDOUT: m16n8k32_u8_u8_sat: 5628c240938bf0cd
// EXPECT-STDOUT: m8n8k32_s4_s4: 26ede80226ffb921
// EXPECT-STDOUT: m16n8k32_s4_s4: e70a8a48ad112b74
// EXPECT-STDOUT: m16n8k64_s4_s4: 4de83d7617a2457a
// EXPECT-STDOUT: m8n8k32_s4_s4_sat: a6e4da160673cfd9
// EXPECT-STDOUT: m16n8k32_s4_s4_sat: f066ab0410b53d23
// EXPECT-STDOUT: m16n8k64_s4_s4_sat: c3d216a962f70757
// EXPECT-STDOUT: m8n8k32_s4_u4: 39a6987e13b7d9a7
// EXPECT-STDOUT: m16n8k32_s4_u4: 1d89bbc1dd473fe0
// EXPECT-STDOUT: m16n8k64_s4_u4: b2c06ab91dc87430
// EXPECT-STDOUT: m8n8k32_u4_u4: 76a8a61c3d62c154
// EXPECT-STDOUT: m16n8k32_u4_u4: efe8d91f7e3d9ac7
// EXPECT-STDOUT: m16n8k64_u4_u4: 0b595b4065d57560
// EXPECT-STDOUT: m8n8k32_u4_u4_sat: 897dae7a474137fa
// EXPECT-STDOUT: m16n8k32_u4_u4_sat: 2cd38466da06fd75
// EXPECT-STDOUT: m16n8k64_u4_u4_sat: e5ca9a3fabae366a
// EXPECT-STDOUT: m8n8k128_b1_xor: 28110afb72c896d8
// EXPECT-STDOUT: m16n8k128_b1_xor: 3222985f181365f8
// EXPECT-STDOUT: m16n8k256_b1_xor: 8692f20dab1645a6
// EXPECT-STDOUT: m8n8k128_b1_and: 5746f5d2ec8dad6b
// EXPECT-STDOUT: m16n8k128_b1_and: fe1cb63fd8e6e66d
// EXPECT-STDOUT: m16n8k256_b1_and: 874bde6d30e17508
// EXPECT-STDOUT: m8n8k4_f64: b891eaf7d48330c4
// EXPECT-STDOUT: m16n8k4_f64: 9c777b7a186c62b7
// EXPECT-STDOUT: m16n8k8_f64: 5c355dec0cec966c
// EXPECT-STDOUT: m16n8k16_f64: d0c0f7bb5182470e
#include "matrix_forms.h"

namespace {

// ---- forms: registers of d and c, of a, of b, and the numbers of asm's operands

#define PLACES_2_1_1 "{%0, %1}, {%2}, {%3}, {%4, %5};"
#define PLACES_2_2_1 "{%0, %1}, {%2, %3}, {%4}, {%5, %6};"
#define PLACES_2_4_2 "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
#define PLACES_4_2_1 "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
#define PLACES_4_2_2 "{%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%8, %9, %10, %11};"
#define PLACES_4_4_2 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
#define PLACES_4_8_4 "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19};"
#define PLACES_8_2_2 "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};"
#define MMA(form, kind, nc_, na_, nb_, inputs, sums, text)                                                    \
  struct form {                                                                                               \
    TYPES_##kind static constexpr int na = na_, nb = nb_, nc = nc_;                                           \
    static constexpr Format fa = Format::inputs, fc = Format::sums;                                           \
    static constexpr const char* name = #form;                                                                \
    static __device__ __forceinline__ void run(C (&d)[nc], const A (&a)[na], const A (&b)[nb], const C (&c)[nc]) { \
      asm volatile("mma.sync.aligned." text " " PLACES_##nc_##_##na_##_##nb_                                  \
                   : IN##nc_(OUT_##kind, d)                                                                   \
                   : IN##na_(INPUT_##kind, a), IN##nb_(INPUT_##kind, b), IN##nc_(SUM_##kind, c));             \
    }                                                                                                         \
  };
#define FORMS(X) \
  X(m16n8k8_f16_f16, WORDS, 2, 2, 1, F16, F16, "m16n8k8.row.col.f16.f16.f16.f16") \
  X(m16n8k8_f32_f16, SINGLE, 4, 2, 1, F16, F32, "m16n8k8.row.col.f32.f16.f16.f32") \
  X(m16n8k8_f32_bf16, SINGLE, 4, 2, 1, BF16, F32, "m16n8k8.row.col.f32.bf16.bf16.f32") \
  X(m16n8k16_f16_f16, WORDS, 2, 4, 2, F16, F16, "m16n8k16.row.col.f16.f16.f16.f16") \
  X(m16n8k16_f32_f16, SINGLE, 4, 4, 2, F16, F32, "m16n8k16.row.col.f32.f16.f16.f32") \
  X(m16n8k16_f32_bf16, SINGLE, 4, 4, 2, BF16, F32, "m16n8k16.row.col.f32.bf16.bf16.f32") \
  X(m16n8k4_f32_tf32, SINGLE, 4, 2, 1, TF32, F32, "m16n8k4.row.col.f32.tf32.tf32.f32") \
  X(m16n8k8_f32_tf32, SINGLE, 4, 4, 2, TF32, F32, "m16n8k8.row.col.f32.tf32.tf32.f32") \
  X(m8n8k4_f16_f16_row_row, WORDS, 4, 2, 2, F16, F16, "m8n8k4.row.row.f16.f16.f16.f16") \
  X(m8n8k4_f32_f16_row_row, SINGLE, 8, 2, 2, F16, F32, "m8n8k4.row.row.f32.f16.f16.f32") \
  X(m8n8k4_f16_f16_row_col, WORDS, 4, 2, 2, F16, F16, "m8n8k4.row.col.f16.f16.f16.f16") \
  X(m8n8k4_f32_f16_row_col, SINGLE, 8, 2, 2, F16, F32, "m8n8k4.row.col.f32.f16.f16.f32") \
  X(m8n8k4_f16_f16_col_row, WORDS, 4, 2, 2, F16, F16, "m8n8k4.col.row.f16.f16.f16.f16") \
  X(m8n8k4_f32_f16_col_row, SINGLE, 8, 2, 2, F16, F32, "m8n8k4.col.row.f32.f16.f16.f32") \
  X(m8n8k4_f16_f16_col_col, WORDS, 4, 2, 2, F16, F16, "m8n8k4.col.col.f16.f16.f16.f16") \
  X(m8n8k4_f32_f16_col_col, SINGLE, 8, 2, 2, F16, F32, "m8n8k4.col.col.f32.f16.f16.f32") \
  X(m16n8k32_f32_e4m3_e4m3, SINGLE, 4, 4, 2, E4M3, F32, "m16n8k32.row.col.f32.e4m3.e4m3.f32") \
  X(m16n8k32_f32_e4m3_e5m2, SINGLE, 4, 4, 2, E4M3, F32, "m16n8k32.row.col.f32.e4m3.e5m2.f32") \
  X(m16n8k32_f32_e5m2_e4m3, SINGLE, 4, 4, 2, E5M2, F32, "m16n8k32.row.col.f32.e5m2.e4m3.f32") \
  X(m16n8k32_f32_e5m2_e5m2, SINGLE, 4, 4, 2, E5M2, F32, "m16n8k32.row.col.f32.e5m2.e5m2.f32") \
  X(m16n8k32_f16_e4m3_e4m3, WORDS, 2, 4, 2, E4M3, F16, "m16n8k32.row.col.f16.e4m3.e4m3.f16") \
  X(m16n8k32_f16_e5m2_e5m2, WORDS, 2, 4, 2, E5M2, F16, "m16n8k32.row.col.f16.e5m2.e5m2.f16") \
  X(m16n8k16_f32_e4m3_e5m2, SINGLE, 4, 2, 1, E4M3, F32, "m16n8k16.row.col.f32.e4m3.e5m2.f32") \
  X(m16n8k16_f32_e5m2_e5m2, SINGLE, 4, 2, 1, E5M2, F32, "m16n8k16.row.col.f32.e5m2.e5m2.f32") \
  X(m16n8k16_f16_e4m3_e4m3, WORDS, 2, 2, 1, E4M3, F16, "m16n8k16.row.col.f16.e4m3.e4m3.f16") \
  X(m8n8k16_s8_s8, WORDS, 2, 1, 1, Whole, Whole, "m8n8k16.row.col.s32.s8.s8.s32") \
  X(m16n8k16_s8_s8, WORDS, 4, 2, 1, Whole, Whole, "m16n8k16.row.col.s32.s8.s8.s32") \
  X(m16n8k32_s8_s8, WORDS, 4, 4, 2, Whole, Whole, "m16n8k32.row.col.s32.s8.s8.s32") \
  X(m8n8k16_s8_s8_sat, WORDS, 2, 1, 1, Whole, Whole, "m8n8k16.row.col.satfinite.s32.s8.s8.s32") \
  X(m16n8k16_s8_s8_sat, WORDS, 4, 2, 1, Whole, Whole, "m16n8k16.row.col.satfinite.s32.s8.s8.s32") \
  X(m16n8k32_s8_s8_sat, WORDS, 4, 4, 2, Whole, Whole, "m16n8k32.row.col.satfinite.s32.s8.s8.s32") \
  X(m8n8k16_s8_u8, WORDS, 2, 1, 1, Whole, Whole, "m8n8k16.row.col.s32.s8.u8.s32") \
  X(m16n8k16_s8_u8, WORDS, 4, 2, 1, Whole, Whole, "m16n8k16.row.col.s32.s8.u8.s32") \
  X(m16n8k32_s8_u8, WORDS, 4, 4, 2, Whole, Whole, "m16n8k32.row.col.s32.s8.u8.s32") \
  X(m8n8k16_u8_s8, WORDS, 2, 1, 1, Whole, Whole, "m8n8k16.row.col.s32.u8.s8.s32") \
  X(m16n8k16_u8_s8, WORDS, 4, 2, 1, Whole, Whole, "m16n8k16.row.col.s32.u8.s8.s32") \
  X(m16n8k32_u8_s8, WORDS, 4, 4, 2, Whole, Whole, "m16n8k32.row.col.s32.u8.s8.s32") \
  X(m8n8k16_u8_u8, WORDS, 2, 1, 1, Whole, Whole, "m8n8k16.row.col.s32.u8.u8.s32") \
  X(m16n8k16_u8_u8, WORDS, 4, 2, 1, Whole, Whole, "m16n8k16.row.col.s32.u8.u8.s32") \
  X(m16n8k32_u8_u8, WORDS, 4, 4, 2, Whole, Whole, "m16n8k32.row.col.s32.u8.u8.s32") \
  X(m8n8k16_u8_u8_sat, WORDS, 2, 1, 1, Whole, Whole, "m8n8k16.row.col.satfinite.s32.u8.u8.s32") \
  X(m16n8k16_u8_u8_sat, WORDS, 4, 2, 1, Whole, Whole, "m16n8k16.row.col.satfinite.s32.u8.u8.s32") \
  X(m16n8k32_u8_u8_sat, WORDS, 4, 4, 2, Whole, Whole, "m16n8k32.row.col.satfinite.s32.u8.u8.s32") \
  X(m8n8k32_s4_s4, WORDS, 2, 1, 1, Whole, Whole, "m8n8k32.row.col.s32.s4.s4.s32") \
  X(m16n8k32_s4_s4, WORDS, 4, 2, 1, Whole, Whole, "m16n8k32.row.col.s32.s4.s4.s32") \
  X(m16n8k64_s4_s4, WORDS, 4, 4, 2, Whole, Whole, "m16n8k64.row.col.s32.s4.s4.s32") \
  X(m8n8k32_s4_s4_sat, WORDS, 2, 1, 1, Whole, Whole, "m8n8k32.row.col.satfinite.s32.s4.s4.s32") \
  X(m16n8k32_s4_s4_sat, WORDS, 4, 2, 1, Whole, Whole, "m16n8k32.row.col.satfinite.s32.s4.s4.s32") \
  X(m16n8k64_s4_s4_sat, WORDS, 4, 4, 2, Whole, Whole, "m16n8k64.row.col.satfinite.s32.s4.s4.s32") \
  X(m8n8k32_s4_u4, WORDS, 2, 1, 1, Whole, Whole, "m8n8k32.row.col.s32.s4.u4.s32") \
  X(m16n8k32_s4_u4, WORDS, 4, 2, 1, Whole, Whole, "m16n8k32.row.col.s32.s4.u4.s32") \
  X(m16n8k64_s4_u4, WORDS, 4, 4, 2, Whole, Whole, "m16n8k64.row.col.s32.s4.u4.s32") \
  X(m8n8k32_u4_u4, WORDS, 2, 1, 1, Whole, Whole, "m8n8k32.row.col.s32.u4.u4.s32") \
  X(m16n8k32_u4_u4, WORDS, 4, 2, 1, Whole, Whole, "m16n8k32.row.col.s32.u4.u4.s32") \
  X(m16n8k64_u4_u4, WORDS, 4, 4, 2, Whole, Whole, "m16n8k64.row.col.s32.u4.u4.s32") \
  X(m8n8k32_u4_u4_sat, WORDS, 2, 1, 1, Whole, Whole, "m8n8k32.row.col.satfinite.s32.u4.u4.s32") \
  X(m16n8k32_u4_u4_sat, WORDS, 4, 2, 1, Whole, Whole, "m16n8k32.row.col.satfinite.s32.u4.u4.s32") \
  X(m16n8k64_u4_u4_sat, WORDS, 4, 4, 2, Whole, Whole, "m16n8k64.row.col.satfinite.s32.u4.u4.s32") \
  X(m8n8k128_b1_xor, WORDS, 2, 1, 1, Whole, Whole, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc") \
  X(m16n8k128_b1_xor, WORDS, 4, 2, 1, Whole, Whole, "m16n8k128.row.col.s32.b1.b1.s32.xor.popc") \
  X(m16n8k256_b1_xor, WORDS, 4, 4, 2, Whole, Whole, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc") \
  X(m8n8k128_b1_and, WORDS, 2, 1, 1, Whole, Whole, "m8n8k128.row.col.s32.b1.b1.s32.and.popc") \
  X(m16n8k128_b1_and, WORDS, 4, 2, 1, Whole, Whole, "m16n8k128.row.col.s32.b1.b1.s32.and.popc") \
  X(m16n8k256_b1_and, WORDS, 4, 4, 2, Whole, Whole, "m16n8k256.row.col.s32.b1.b1.s32.and.popc") \
  X(m8n8k4_f64, DOUBLE, 2, 1, 1, F64, F64, "m8n8k4.row.col.f64.f64.f64.f64") \
  X(m16n8k4_f64, DOUBLE, 4, 2, 1, F64, F64, "m16n8k4.row.col.f64.f64.f64.f64") \
  X(m16n8k8_f64, DOUBLE, 4, 4, 2, F64, F64, "m16n8k8.row.col.f64.f64.f64.f64") \
  X(m16n8k16_f64, DOUBLE, 4, 8, 4, F64, F64, "m16n8k16.row.col.f64.f64.f64.f64")
FORMS(MMA)

template <class F>
__global__ void one_warp(const typename F::A* a, const typename F::A* b, const typename F::C* c, typename F::C* d) {
  typename F::A ra[F::na], rb[F::nb];
  typename F::C rc[F::nc], rd[F::nc];
  const int at = blockIdx.x * 32 + threadIdx.x;
  for (int i = 0; i < F::na; ++i) ra[i] = a[at * F::na + i];
  for (int i = 0; i < F::nb; ++i) rb[i] = b[at * F::nb + i];
  for (int i = 0; i < F::nc; ++i) rc[i] = c[at * F::nc + i];
  F::run(rd, ra, rb, rc);
  for (int i = 0; i < F::nc; ++i) d[at * F::nc + i] = rd[i];
}

template <class F>
void show() {
  constexpr int kCases = 6;
  std::vector<typename F::A> a, b;
  std::vector<typename F::C> c;
  for (int kind = 0; kind < kKinds; ++kind)
    for (int n = 0; n < kCases; ++n) {
      Stream s{seed_of(F::name) + uint64_t(kind * 1000 + n)};
      for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < F::na; ++i) a.push_back(of_bits<typename F::A>(register_bits(s, kind, Role::A, F::fa)));
        for (int i = 0; i < F::nb; ++i) b.push_back(of_bits<typename F::A>(register_bits(s, kind, Role::B, F::fa)));
        for (int i = 0; i < F::nc; ++i) c.push_back(of_bits<typename F::C>(register_bits(s, kind, Role::C, F::fc)));
      }
    }
  auto *da = upload(a), *db = upload(b);
  auto *dc = upload(c), *dd = upload(c);
  one_warp<F><<<kKinds * kCases, 32>>>(da, db, dc, dd);
  CK(cudaDeviceSynchronize());
  std::vector<uint32_t> words(c.size() * sizeof(typename F::C) / 4);
  CK(cudaMemcpy(words.data(), dd, words.size() * 4, cudaMemcpyDeviceToHost));
  std::printf("%s: %016llx\n", F::name, digest_of(words));
  for (void* p : {(void*)da, (void*)db, (void*)dc, (void*)dd}) CK(cudaFree(p));
}

}  // namespace

int main() {
#define SHOW(form, ...) show<form>();
  FORMS(SHOW)
  return 0;
}
