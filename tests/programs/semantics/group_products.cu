// wgmma of every format, bit for bit as on an H100: ordinary numbers, wide ranges, all bit patterns, mostly zeros, subnormal
// numbers, overflow, cancellation; a from memory and from registers; the first product of a sum; factors with signs changed.
// EXPECT-STDOUT has the digests that an H100 (driver 580, CUDA 13) gave.
// RUN: --device h100
// EXPECT-STDOUT: f32_f16: 327ef92d2a4f5edf
// EXPECT-STDOUT: f16_f16: 96d7e5093f75d0c6
// EXPECT-STDOUT: f32_bf16: 7cc2c47a5538e120
// EXPECT-STDOUT: f32_tf32: cd2c6ba8d8f63ff8
// EXPECT-STDOUT: f32_f16_regs: 7fd13fa90b651177
// EXPECT-STDOUT: f16_f16_regs: 845a2bf24433557d
// EXPECT-STDOUT: f32_bf16_regs: cf1c34f9f80b67ee
// EXPECT-STDOUT: f32_tf32_regs: 8f4036572b3cbc3f
// EXPECT-STDOUT: f32_f16_first: 538fa85157b255bc
// EXPECT-STDOUT: f16_f16_first: 11da3930e9254d80
// EXPECT-STDOUT: f32_f16_minus_a: 4155222a440fdb79
// EXPECT-STDOUT: f32_f16_minus_b: a1b851ce8d7bd116
// EXPECT-STDOUT: f16_f16_minus_ab: 43e7edb8933523b4
// EXPECT-STDOUT: f32_tf32_minus_a: ad7706062ee1b2fe
// EXPECT-STDOUT: f32_e4m3_e4m3: a8db2c712fed9e6b
// EXPECT-STDOUT: f32_e4m3_e5m2: 8f498275eae8cb9f
// EXPECT-STDOUT: f32_e5m2_e4m3: 12a421308828278e
// EXPECT-STDOUT: f32_e5m2_e5m2: 61f97669a4fbe763
// EXPECT-STDOUT: f16_e4m3_e4m3: 428532a4ce16e31e
// EXPECT-STDOUT: f16_e4m3_e5m2: 7487741ca4d48d25
// EXPECT-STDOUT: f16_e5m2_e4m3: f479f8d86fd81390
// EXPECT-STDOUT: f16_e5m2_e5m2: 128c92c728639acf
// EXPECT-STDOUT: f32_e4m3_e4m3_minus_b: c0d41be853df9a8f
// EXPECT-STDOUT: f32_e4m3_e4m3_first: b46897cfd217c447
// EXPECT-STDOUT: f32_e5m2_e5m2_regs: b6af76aa4d975e63
// EXPECT-STDOUT: s32_s8_s8: 09f245c56c559d18
// EXPECT-STDOUT: s32_s8_u8: 3a0f2cf2ee0a63b9
// EXPECT-STDOUT: s32_u8_s8: 94c1972bf374694f
// EXPECT-STDOUT: s32_u8_u8: 296aef377a8d05f6
// EXPECT-STDOUT: s32_s8_s8_sat: 5ca22d98abc96646
// EXPECT-STDOUT: s32_u8_s8_sat_regs: b37dd9e85729ac91
// EXPECT-STDOUT: s32_b1: 71efcd8da6638392
#include "hopper.h"
#include "matrix_forms.h"

namespace {

using FactorRegisters = uint32_t[4];

// Registers of d, and the numbers of asm's operands: d, a, b, scale-d.
#define GROUP_MEMORY_4 "{%0, %1, %2, %3}, %4, %5, p"
#define GROUP_MEMORY_2 "{%0, %1}, %2, %3, p"
#define GROUP_REGISTERS_4 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p"
#define GROUP_REGISTERS_2 "{%0, %1}, {%2, %3, %4, %5}, %6, p"
#define ADDS_MEMORY_4 "6"
#define ADDS_MEMORY_2 "4"
#define ADDS_REGISTERS_4 "9"
#define ADDS_REGISTERS_2 "7"
#define SUMS_WORDS "+r"
#define SUMS_SINGLE "+f"
#define FACTORS_MEMORY(a) "l"(a)
#define FACTORS_REGISTERS(a) "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
#define TYPE_MEMORY uint64_t
#define TYPE_REGISTERS const FactorRegisters&
#define GROUP(form, kind, nc_, where, a_, b_, c_, adds_, text, rest)                                                  \
  struct form {                                                                                                       \
    TYPES_##kind static constexpr int nc = nc_;                                                                       \
    static constexpr Format fa = Format::a_, fb = Format::b_, fc = Format::c_;                                        \
    static constexpr const char* name = #form;                                                                        \
    static constexpr int adds = adds_;                                                                                \
    static constexpr bool in_registers = std::is_same_v<TYPE_##where, const FactorRegisters&>;                        \
    static __device__ __forceinline__ void run(C (&d)[nc], TYPE_##where a, uint64_t b, int sums) {                    \
      asm volatile("{ .reg .pred p; setp.ne.b32 p, %" ADDS_##where##_##nc_                                            \
                   ", 0; wgmma.mma_async.sync.aligned.m64n8" text " " GROUP_##where##_##nc_ rest "; }"                \
                   : IN##nc_(SUMS_##kind, d)                                                                          \
                   : FACTORS_##where(a), "l"(b), "r"(sums));                                                          \
    }                                                                                                                 \
  };
#define FORMS(X) \
  X(f32_f16, SINGLE, 4, MEMORY, F16, F16, F32, 1, "k16.f32.f16.f16", ", 1, 1, 0, 0") \
  X(f16_f16, WORDS, 2, MEMORY, F16, F16, F16, 1, "k16.f16.f16.f16", ", 1, 1, 0, 0") \
  X(f32_bf16, SINGLE, 4, MEMORY, BF16, BF16, F32, 1, "k16.f32.bf16.bf16", ", 1, 1, 0, 0") \
  X(f32_tf32, SINGLE, 4, MEMORY, TF32, TF32, F32, 1, "k8.f32.tf32.tf32", ", 1, 1") \
  X(f32_f16_regs, SINGLE, 4, REGISTERS, F16, F16, F32, 1, "k16.f32.f16.f16", ", 1, 1, 0") \
  X(f16_f16_regs, WORDS, 2, REGISTERS, F16, F16, F16, 1, "k16.f16.f16.f16", ", 1, 1, 0") \
  X(f32_bf16_regs, SINGLE, 4, REGISTERS, BF16, BF16, F32, 1, "k16.f32.bf16.bf16", ", 1, 1, 0") \
  X(f32_tf32_regs, SINGLE, 4, REGISTERS, TF32, TF32, F32, 1, "k8.f32.tf32.tf32", ", 1, 1") \
  X(f32_f16_first, SINGLE, 4, MEMORY, F16, F16, F32, 0, "k16.f32.f16.f16", ", 1, 1, 0, 0") \
  X(f16_f16_first, WORDS, 2, MEMORY, F16, F16, F16, 0, "k16.f16.f16.f16", ", 1, 1, 0, 0") \
  X(f32_f16_minus_a, SINGLE, 4, MEMORY, F16, F16, F32, 1, "k16.f32.f16.f16", ", -1, 1, 0, 0") \
  X(f32_f16_minus_b, SINGLE, 4, MEMORY, F16, F16, F32, 1, "k16.f32.f16.f16", ", 1, -1, 0, 0") \
  X(f16_f16_minus_ab, WORDS, 2, MEMORY, F16, F16, F16, 1, "k16.f16.f16.f16", ", -1, -1, 0, 0") \
  X(f32_tf32_minus_a, SINGLE, 4, MEMORY, TF32, TF32, F32, 1, "k8.f32.tf32.tf32", ", -1, 1") \
  X(f32_e4m3_e4m3, SINGLE, 4, MEMORY, E4M3, E4M3, F32, 1, "k32.f32.e4m3.e4m3", ", 1, 1") \
  X(f32_e4m3_e5m2, SINGLE, 4, MEMORY, E4M3, E5M2, F32, 1, "k32.f32.e4m3.e5m2", ", 1, 1") \
  X(f32_e5m2_e4m3, SINGLE, 4, MEMORY, E5M2, E4M3, F32, 1, "k32.f32.e5m2.e4m3", ", 1, 1") \
  X(f32_e5m2_e5m2, SINGLE, 4, MEMORY, E5M2, E5M2, F32, 1, "k32.f32.e5m2.e5m2", ", 1, 1") \
  X(f16_e4m3_e4m3, WORDS, 2, MEMORY, E4M3, E4M3, F16, 1, "k32.f16.e4m3.e4m3", ", 1, 1") \
  X(f16_e4m3_e5m2, WORDS, 2, MEMORY, E4M3, E5M2, F16, 1, "k32.f16.e4m3.e5m2", ", 1, 1") \
  X(f16_e5m2_e4m3, WORDS, 2, MEMORY, E5M2, E4M3, F16, 1, "k32.f16.e5m2.e4m3", ", 1, 1") \
  X(f16_e5m2_e5m2, WORDS, 2, MEMORY, E5M2, E5M2, F16, 1, "k32.f16.e5m2.e5m2", ", 1, 1") \
  X(f32_e4m3_e4m3_minus_b, SINGLE, 4, MEMORY, E4M3, E4M3, F32, 1, "k32.f32.e4m3.e4m3", ", 1, -1") \
  X(f32_e4m3_e4m3_first, SINGLE, 4, MEMORY, E4M3, E4M3, F32, 0, "k32.f32.e4m3.e4m3", ", 1, 1") \
  X(f32_e5m2_e5m2_regs, SINGLE, 4, REGISTERS, E5M2, E5M2, F32, 1, "k32.f32.e5m2.e5m2", ", 1, 1") \
  X(s32_s8_s8, WORDS, 4, MEMORY, Whole, Whole, Whole, 1, "k32.s32.s8.s8", "") \
  X(s32_s8_u8, WORDS, 4, MEMORY, Whole, Whole, Whole, 1, "k32.s32.s8.u8", "") \
  X(s32_u8_s8, WORDS, 4, MEMORY, Whole, Whole, Whole, 1, "k32.s32.u8.s8", "") \
  X(s32_u8_u8, WORDS, 4, MEMORY, Whole, Whole, Whole, 1, "k32.s32.u8.u8", "") \
  X(s32_s8_s8_sat, WORDS, 4, MEMORY, Whole, Whole, Whole, 1, "k32.s32.s8.s8.satfinite", "") \
  X(s32_u8_s8_sat_regs, WORDS, 4, REGISTERS, Whole, Whole, Whole, 1, "k32.s32.u8.s8.satfinite", "") \
  X(s32_b1, WORDS, 4, MEMORY, Whole, Whole, Whole, 1, "k256.s32.b1.b1.and.popc", "")
FORMS(GROUP)

// A line of a or b is 8 words. Eight lines of 16 bytes follow each other, then the other halves of the same lines.
__device__ int word_place(int line, int word) { return line / 8 * 64 + word / 4 * 32 + line % 8 * 4 + word % 4; }

template <class F>
__global__ void one_group(const uint32_t* a, const uint32_t* b, const typename F::C* c, typename F::C* d) {
  __shared__ __align__(128) uint32_t in_a[64 * 8];
  __shared__ __align__(128) uint32_t in_b[8 * 8];
  const int t = threadIdx.x, row = t / 32 * 16 + t % 32 / 4, word = t % 4;
  a += blockIdx.x * 512, b += blockIdx.x * 64, c += blockIdx.x * 128 * F::nc, d += blockIdx.x * 128 * F::nc;
  for (int i = t; i < 512; i += 128) in_a[word_place(i / 8, i % 8)] = a[i];
  if (t < 64) in_b[word_place(t / 8, t % 8)] = b[t];
  fence_async();
  __syncthreads();
  typename F::C sums[F::nc];
  for (int i = 0; i < F::nc; ++i) sums[i] = c[t * F::nc + i];
  const uint32_t registers[4] = {a[row * 8 + word], a[(row + 8) * 8 + word], a[row * 8 + word + 4],
                                 a[(row + 8) * 8 + word + 4]};
  const uint64_t at_b = matrix_descriptor(shared_address(in_b), 128, 256, 0);
  group_fence();
  if constexpr (F::in_registers)
    F::run(sums, registers, at_b, F::adds);
  else
    F::run(sums, matrix_descriptor(shared_address(in_a), 128, 256, 0), at_b, F::adds);
  group_commit();
  group_wait<0>();
  for (int i = 0; i < F::nc; ++i) d[t * F::nc + i] = sums[i];
}

template <class F>
void show() {
  constexpr int kCases = 6;
  std::vector<uint32_t> a, b;
  std::vector<typename F::C> c;
  for (int kind = 0; kind < kKinds; ++kind)
    for (int n = 0; n < kCases; ++n) {
      Stream s{seed_of(F::name) + uint64_t(kind * 1000 + n)};
      for (int i = 0; i < 512; ++i) a.push_back(uint32_t(register_bits(s, kind, Role::A, F::fa)));
      for (int i = 0; i < 64; ++i) b.push_back(uint32_t(register_bits(s, kind, Role::B, F::fb)));
      for (int i = 0; i < 128 * F::nc; ++i)
        c.push_back(of_bits<typename F::C>(register_bits(s, kind, Role::C, F::fc)));
    }
  auto *da = upload(a), *db = upload(b);
  auto *dc = upload(c), *dd = upload(c);
  one_group<F><<<kKinds * kCases, 128>>>(da, db, dc, dd);
  CK(cudaDeviceSynchronize());
  std::vector<uint32_t> words(c.size());
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
