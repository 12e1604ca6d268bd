// nvcuda::wmma as on an H200: which element each x[i] of each lane has after a load, which element a store takes from it, and
// the bits of mma_sync's results. Prints digests, which EXPECT-STDOUT has as an H200 (driver 580, CUDA 13) computed them.
// RUN: --device h200
// EXPECT-STDOUT: load m16n16k16_f16_a row: a335d78c4f805373
// EXPECT-STDOUT: load m16n16k16_f16_a col: a335d78c4f805373
// EXPECT-STDOUT: load m16n16k16_f16_b row: 16524807a1cab8eb
// EXPECT-STDOUT: load m16n16k16_f16_b col: 16524807a1cab8eb
// EXPECT-STDOUT: load m32n8k16_f16_a row: bba02b1026ab82c3
// EXPECT-STDOUT: load m32n8k16_f16_a col: bba02b1026ab82c3
// EXPECT-STDOUT: load m32n8k16_f16_b row: c2db267dc79c52b3
// EXPECT-STDOUT: load m32n8k16_f16_b col: c2db267dc79c52b3
// EXPECT-STDOUT: load m8n32k16_f16_a row: 5e1929ee3954d733
// EXPECT-STDOUT: load m8n32k16_f16_a col: 5e1929ee3954d733
// EXPECT-STDOUT: load m8n32k16_f16_b row: 3908968d0962b777
// EXPECT-STDOUT: load m8n32k16_f16_b col: 3908968d0962b777
// EXPECT-STDOUT: load m16n16k16_bf16_a row: c41c1f358f54a27b
// EXPECT-STDOUT: load m16n16k16_bf16_a col: c41c1f358f54a27b
// EXPECT-STDOUT: load m16n16k16_bf16_b row: 61cf7996c4f9a06f
// EXPECT-STDOUT: load m16n16k16_bf16_b col: 61cf7996c4f9a06f
// EXPECT-STDOUT: load m32n8k16_bf16_a row: 607246650405be67
// EXPECT-STDOUT: load m32n8k16_bf16_a col: 033d16add38be5e8
// EXPECT-STDOUT: load m32n8k16_bf16_b row: d14dad73c014ab93
// EXPECT-STDOUT: load m32n8k16_bf16_b col: d14dad73c014ab93
// EXPECT-STDOUT: load m8n32k16_bf16_a row: 155c481e18250403
// EXPECT-STDOUT: load m8n32k16_bf16_a col: 155c481e18250403
// EXPECT-STDOUT: load m8n32k16_bf16_b row: fcafcd91227835d0
// EXPECT-STDOUT: load m8n32k16_bf16_b col: 7173cb69d9ab7033
// EXPECT-STDOUT: load m16n16k16_s8_a row: 8b159435a9033313
// EXPECT-STDOUT: load m16n16k16_s8_a col: 8b159435a9033313
// EXPECT-STDOUT: load m16n16k16_s8_b row: f76ad1c0a891bf2f
// EXPECT-STDOUT: load m16n16k16_s8_b col: f76ad1c0a891bf2f
// EXPECT-STDOUT: load m32n8k16_s8_a row: bb6f2ddb314391fb
// EXPECT-STDOUT: load m32n8k16_s8_a col: bb6f2ddb314391fb
// EXPECT-STDOUT: load m32n8k16_s8_b row: 74bd6f1db9a1e823
// EXPECT-STDOUT: load m32n8k16_s8_b col: 74bd6f1db9a1e823
// EXPECT-STDOUT: load m8n32k16_s8_a row: f7349e7acf694b9b
// EXPECT-STDOUT: load m8n32k16_s8_a col: f7349e7acf694b9b
// EXPECT-STDOUT: load m8n32k16_s8_b row: be7df33bd56aaa97
// EXPECT-STDOUT: load m8n32k16_s8_b col: be7df33bd56aaa97
// EXPECT-STDOUT: load m16n16k16_u8_a row: 8b159435a9033313
// EXPECT-STDOUT: load m16n16k16_u8_a col: 8b159435a9033313
// EXPECT-STDOUT: load m16n16k16_u8_b row: f76ad1c0a891bf2f
// EXPECT-STDOUT: load m16n16k16_u8_b col: f76ad1c0a891bf2f
// EXPECT-STDOUT: load m16n16k8_tf32_a row: d0ccf4fc8e41c0f3
// EXPECT-STDOUT: load m16n16k8_tf32_a col: d0ccf4fc8e41c0f3
// EXPECT-STDOUT: load m16n16k8_tf32_b row: eaa10f483b61a567
// EXPECT-STDOUT: load m16n16k8_tf32_b col: eaa10f483b61a567
// EXPECT-STDOUT: load m8n8k4_f64_a row: 7a4ff9b893ecf8af
// EXPECT-STDOUT: load m8n8k4_f64_a col: 7a4ff9b893ecf8af
// EXPECT-STDOUT: load m8n8k4_f64_b row: 1d1fb8e644ccbe27
// EXPECT-STDOUT: load m8n8k4_f64_b col: 1d1fb8e644ccbe27
// EXPECT-STDOUT: load m16n16k16_c_f16 row: c41c1f358f54a27b
// EXPECT-STDOUT: load m16n16k16_c_f16 col: c41c1f358f54a27b
// EXPECT-STDOUT: store m16n16k16_c_f16 row: 3f6508377ffb86ab
// EXPECT-STDOUT: store m16n16k16_c_f16 col: 3f6508377ffb86ab
// EXPECT-STDOUT: load m32n8k16_c_f16 row: 60f6701492bba4c3
// EXPECT-STDOUT: load m32n8k16_c_f16 col: 60f6701492bba4c3
// EXPECT-STDOUT: store m32n8k16_c_f16 row: 06d87e85da574ddb
// EXPECT-STDOUT: store m32n8k16_c_f16 col: 06d87e85da574ddb
// EXPECT-STDOUT: load m8n32k16_c_f16 row: 3ab8130c53b07393
// EXPECT-STDOUT: load m8n32k16_c_f16 col: 3ab8130c53b07393
// EXPECT-STDOUT: store m8n32k16_c_f16 row: d9654442f8bc4003
// EXPECT-STDOUT: store m8n32k16_c_f16 col: d9654442f8bc4003
// EXPECT-STDOUT: load m16n16k16_c_f32 row: c41c1f358f54a27b
// EXPECT-STDOUT: load m16n16k16_c_f32 col: c41c1f358f54a27b
// EXPECT-STDOUT: store m16n16k16_c_f32 row: 3f6508377ffb86ab
// EXPECT-STDOUT: store m16n16k16_c_f32 col: 3f6508377ffb86ab
// EXPECT-STDOUT: load m32n8k16_c_f32 row: 60f6701492bba4c3
// EXPECT-STDOUT: load m32n8k16_c_f32 col: 60f6701492bba4c3
// EXPECT-STDOUT: store m32n8k16_c_f32 row: 06d87e85da574ddb
// EXPECT-STDOUT: store m32n8k16_c_f32 col: 06d87e85da574ddb
// EXPECT-STDOUT: load m8n32k16_c_f32 row: 3ab8130c53b07393
// EXPECT-STDOUT: load m8n32k16_c_f32 col: 3ab8130c53b07393
// EXPECT-STDOUT: store m8n32k16_c_f32 row: d9654442f8bc4003
// EXPECT-STDOUT: store m8n32k16_c_f32 col: d9654442f8bc4003
// EXPECT-STDOUT: load m16n16k8_c_f32 row: c41c1f358f54a27b
// EXPECT-STDOUT: load m16n16k8_c_f32 col: c41c1f358f54a27b
// EXPECT-STDOUT: store m16n16k8_c_f32 row: 3f6508377ffb86ab
// EXPECT-STDOUT: store m16n16k8_c_f32 col: 3f6508377ffb86ab
// EXPECT-STDOUT: load m16n16k16_c_s32 row: c41c1f358f54a27b
// EXPECT-STDOUT: load m16n16k16_c_s32 col: c41c1f358f54a27b
// EXPECT-STDOUT: store m16n16k16_c_s32 row: 3f6508377ffb86ab
// EXPECT-STDOUT: store m16n16k16_c_s32 col: 3f6508377ffb86ab
// EXPECT-STDOUT: load m32n8k16_c_s32 row: 60f6701492bba4c3
// EXPECT-STDOUT: load m32n8k16_c_s32 col: 60f6701492bba4c3
// EXPECT-STDOUT: store m32n8k16_c_s32 row: 06d87e85da574ddb
// EXPECT-STDOUT: store m32n8k16_c_s32 col: 06d87e85da574ddb
// EXPECT-STDOUT: load m8n32k16_c_s32 row: 3ab8130c53b07393
// EXPECT-STDOUT: load m8n32k16_c_s32 col: 3ab8130c53b07393
// EXPECT-STDOUT: store m8n32k16_c_s32 row: d9654442f8bc4003
// EXPECT-STDOUT: store m8n32k16_c_s32 col: d9654442f8bc4003
// EXPECT-STDOUT: load m8n8k4_c_f64 row: 00e4e29f2493d493
// EXPECT-STDOUT: load m8n8k4_c_f64 col: 00e4e29f2493d493
// EXPECT-STDOUT: store m8n8k4_c_f64 row: 5913e4230c588115
// EXPECT-STDOUT: store m8n8k4_c_f64 col: 5913e4230c588115
// EXPECT-STDOUT: mma m16n16k16_f32_f16_row_col: f5f8ed3a00fbf1cb
// EXPECT-STDOUT: mma m16n16k16_f32_f16_col_row: b290ce8a6df9a312
// EXPECT-STDOUT: mma m16n16k16_f16_f16_row_col: 0ee77924c2e4f773
// EXPECT-STDOUT: mma m16n16k16_f32_f16c_row_row: ecbfa1c36337417f
// EXPECT-STDOUT: mma m16n16k16_f16_f32c_row_row: 4dad0fdbdf1e81da
// EXPECT-STDOUT: mma m16n16k16_f32_bf16_row_col: 13480ed86d54974e
// EXPECT-STDOUT: mma m16n16k16_s8_row_col: 9a0c4024ccaca01f
// EXPECT-STDOUT: mma m16n16k16_u8_col_row: 5866873f4f800c5a
// EXPECT-STDOUT: mma m32n8k16_f32_f16_row_col: 7581128a8d94c1f1
// EXPECT-STDOUT: mma m32n8k16_f32_f16_col_row: eda63ec36c26e224
// EXPECT-STDOUT: mma m32n8k16_f16_f16_row_col: 2ee8785fe0ca3d64
// EXPECT-STDOUT: mma m32n8k16_f32_f16c_row_row: fbb43f8325bf0aee
// EXPECT-STDOUT: mma m32n8k16_f16_f32c_row_row: b1e4d855c0d55bcc
// EXPECT-STDOUT: mma m32n8k16_f32_bf16_row_col: 484884bcc060f82e
// EXPECT-STDOUT: mma m32n8k16_s8_row_col: 7c95ac30304d1eb1
// EXPECT-STDOUT: mma m32n8k16_u8_col_row: ef68ebd0f0ec8b72
// EXPECT-STDOUT: mma m8n32k16_f32_f16_row_col: 9c204b757521bf98
// EXPECT-STDOUT: mma m8n32k16_f32_f16_col_row: 2dd63e115bb56342
// EXPECT-STDOUT: mma m8n32k16_f16_f16_row_col: f3e264681c56dd25
// EXPECT-STDOUT: mma m8n32k16_f32_f16c_row_row: a6460c7e94c1756d
// EXPECT-STDOUT: mma m8n32k16_f16_f32c_row_row: ee72638f4c1d7c58
// EXPECT-STDOUT: mma m8n32k16_f32_bf16_row_col: 97bfe6bb293ddf0f
// EXPECT-STDOUT: mma m8n32k16_s8_row_col: 1cb48b404610ac9f
// EXPECT-STDOUT: mma m8n32k16_u8_col_row: 8d2abb07ae797320
// EXPECT-STDOUT: mma m16n16k8_f32_tf32_row_col: d0f18b32d328660c
// EXPECT-STDOUT: mma m16n16k8_f32_tf32_col_row: 30798d33fcf47f01
// EXPECT-STDOUT: mma m8n8k4_f64_row_col: a00fc4285120beca
// EXPECT-STDOUT: mma m8n8k4_f64_col_row: de5eaf46e3424741
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "check.h"
#include "matrix_inputs.h"
using namespace nvcuda;

// The type in memory.
template <class T> struct InMemory { using type = T; };
template <> struct InMemory<wmma::precision::tf32> { using type = float; };

namespace {

std::string text;  // of a block that is digested
void say(const char* format, ...) {
  char line[64];
  va_list list;
  va_start(list, format);
  std::vsnprintf(line, sizeof line, format, list);
  va_end(list);
  text += line;
}
void show(const char* what, const char* name, bool row_major) {
  std::printf("%s %s %s: %016llx\n", what, name, row_major ? "row" : "col", digest_of(text));
  text.clear();
}

template <class Fragment, class T, class Layout>
__global__ void where_loaded(const T* m, float* out, int ld, Layout layout) {
  Fragment f;
  if constexpr (std::is_same_v<Layout, int>) wmma::load_matrix_sync(f, m, ld);
  else wmma::load_matrix_sync(f, m, ld, layout);
  for (int i = 0; i < f.num_elements; ++i) out[threadIdx.x * f.num_elements + i] = float(f.x[i]);
}
template <class Fragment, class T>
__global__ void where_stored(T* m, int ld, wmma::layout_t layout) {
  Fragment f;
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = T(float(threadIdx.x * f.num_elements + i));
  wmma::store_matrix_sync(m, f, ld, layout);
}

// Every element's number modulo 251 if it must fit in 8 bits, with a second load of the quotient.
template <class Fragment, class T, class Layout>
void loaded(const char* name, int rows, int columns, bool row_major, Layout layout) {
  const int count = rows * columns, ld = row_major ? columns : rows;
  const bool narrow = sizeof(T) == 1;
  std::vector<float> found;
  for (int part = 0; part < (narrow ? 2 : 1); ++part) {
    std::vector<T> host(count);
    for (int i = 0; i < count; ++i) host[i] = T(float(narrow ? (part ? i / 100 : i % 100) : i));
    T* m;
    float* out;
    CK(cudaMalloc(&m, count * sizeof(T)));
    CK(cudaMalloc(&out, 32 * Fragment::num_elements * 4));
    CK(cudaMemcpy(m, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    where_loaded<Fragment, T><<<1, 32>>>(m, out, ld, layout);
    std::vector<float> values(32 * Fragment::num_elements);
    CK(cudaMemcpy(values.data(), out, values.size() * 4, cudaMemcpyDeviceToHost));
    if (part == 0) found = values;
    else for (size_t i = 0; i < found.size(); ++i) found[i] += 100 * values[i];
    cudaFree(m), cudaFree(out);
  }
  for (int lane = 0; lane < 32; ++lane) {
    say("%2d:", lane);
    for (int i = 0; i < Fragment::num_elements; ++i) {
      const int e = int(found[lane * Fragment::num_elements + i]);
      say(" %d,%d", row_major ? e / columns : e % rows, row_major ? e % columns : e / rows);
    }
    say("\n");
  }
  show("load", name, row_major);
}
template <class Fragment, class T>
void stored(const char* name, int rows, int columns, wmma::layout_t layout) {
  const int count = rows * columns;
  const bool row_major = layout == wmma::mem_row_major;
  T* m;
  cudaMalloc(&m, count * sizeof(T));
  where_stored<Fragment, T><<<1, 32>>>(m, row_major ? columns : rows, layout);
  std::vector<T> host(count);
  cudaMemcpy(host.data(), m, count * sizeof(T), cudaMemcpyDeviceToHost);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const int v = int(float(host[row_major ? r * columns + c : c * rows + r]));
      say(" %d.%d", v / int(Fragment::num_elements), v % int(Fragment::num_elements));
    }
    say("\n");
  }
  show("store", name, row_major);
  cudaFree(m);
}

template <class A, class B, class C, class LA, class LB, int M, int N, int K, class TA, class TC, class TD>
__global__ void multiply(const TA* a, const TA* b, const TC* c, TD* d) {
  wmma::fragment<wmma::matrix_a, M, N, K, A, LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, B, LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, C> fc;
  wmma::fragment<wmma::accumulator, M, N, K, TD> fd;
  constexpr bool ra = std::is_same_v<LA, wmma::row_major>, rb = std::is_same_v<LB, wmma::row_major>;
  const int at = blockIdx.x;
  wmma::load_matrix_sync(fa, a + at * M * K, ra ? K : M);
  wmma::load_matrix_sync(fb, b + at * K * N, rb ? N : K);
  wmma::load_matrix_sync(fc, c + at * M * N, N, wmma::mem_row_major);
  wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(d + at * M * N, fd, N, wmma::mem_row_major);
}
template <class T>
std::vector<T> matrices(const char* name, Role role, Format format, int elements) {
  constexpr int kCases = 6;
  std::vector<T> all;
  for (int kind = 0; kind < kKinds; ++kind)
    for (int n = 0; n < kCases; ++n) {
      Stream s{seed_of(name) + uint64_t(kind * 1000 + n * 3 + int(role))};
      const int bytes = elements * int(sizeof(T)), step = format == Format::F64 ? 8 : 4;
      std::vector<char> raw(bytes);
      for (int i = 0; i < bytes; i += step) {
        const uint64_t v = register_bits(s, kind, role, format);
        std::memcpy(raw.data() + i, &v, step);
      }
      const size_t first = all.size();
      all.resize(first + elements);
      std::memcpy((void*)(all.data() + first), raw.data(), bytes);
    }
  return all;
}
template <class A, class B, class C, class D, class LA, class LB, int M, int N, int K>
void multiplied(const char* name, Format fa, Format fc) {
  using TA = typename InMemory<A>::type;
  const auto a = matrices<TA>(name, Role::A, fa, M * K), b = matrices<TA>(name, Role::B, fa, K * N);
  const auto c = matrices<C>(name, Role::C, fc, M * N);
  TA *da, *db;
  C* dc;
  D* dd;
  std::vector<D> d(c.size());
  cudaMalloc(&da, a.size() * sizeof(TA)), cudaMalloc(&db, b.size() * sizeof(TA));
  cudaMalloc(&dc, c.size() * sizeof(C)), cudaMalloc(&dd, d.size() * sizeof(D));
  cudaMemcpy(da, a.data(), a.size() * sizeof(TA), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * sizeof(TA), cudaMemcpyHostToDevice);
  cudaMemcpy(dc, c.data(), c.size() * sizeof(C), cudaMemcpyHostToDevice);
  multiply<A, B, C, LA, LB, M, N, K, TA, C, D><<<int(c.size() / (M * N)), 32>>>(da, db, dc, dd);
  CK_LAUNCH();
  cudaMemcpy(d.data(), dd, d.size() * sizeof(D), cudaMemcpyDeviceToHost);
  std::vector<uint32_t> words(d.size() * sizeof(D) / 4);
  std::memcpy(words.data(), (const void*)d.data(), words.size() * 4);
  std::printf("mma %s: %016llx\n", name, digest_of(words));
}

template <class A, int M, int N, int K>
void inputs(const char* name) {
  using T = typename InMemory<A>::type;
  const std::string a = std::string(name) + "_a", b = std::string(name) + "_b";
  loaded<wmma::fragment<wmma::matrix_a, M, N, K, A, wmma::row_major>, T>(a.c_str(), M, K, true, 0);
  loaded<wmma::fragment<wmma::matrix_a, M, N, K, A, wmma::col_major>, T>(a.c_str(), M, K, false, 0);
  loaded<wmma::fragment<wmma::matrix_b, M, N, K, A, wmma::row_major>, T>(b.c_str(), K, N, true, 0);
  loaded<wmma::fragment<wmma::matrix_b, M, N, K, A, wmma::col_major>, T>(b.c_str(), K, N, false, 0);
}
template <class C, int M, int N, int K>
void results(const char* name) {
  using F = wmma::fragment<wmma::accumulator, M, N, K, C>;
  loaded<F, C>(name, M, N, true, wmma::mem_row_major);
  loaded<F, C>(name, M, N, false, wmma::mem_col_major);
  stored<F, C>(name, M, N, wmma::mem_row_major);
  stored<F, C>(name, M, N, wmma::mem_col_major);
}

}  // namespace

int main() {
  using R = wmma::row_major;
  using L = wmma::col_major;
  using bf16 = __nv_bfloat16;
  using tf32 = wmma::precision::tf32;
  using s8 = signed char;
  using u8 = unsigned char;
  inputs<half, 16, 16, 16>("m16n16k16_f16");
  inputs<half, 32, 8, 16>("m32n8k16_f16");
  inputs<half, 8, 32, 16>("m8n32k16_f16");
  inputs<bf16, 16, 16, 16>("m16n16k16_bf16");
  inputs<bf16, 32, 8, 16>("m32n8k16_bf16");
  inputs<bf16, 8, 32, 16>("m8n32k16_bf16");
  inputs<s8, 16, 16, 16>("m16n16k16_s8");
  inputs<s8, 32, 8, 16>("m32n8k16_s8");
  inputs<s8, 8, 32, 16>("m8n32k16_s8");
  inputs<u8, 16, 16, 16>("m16n16k16_u8");
  inputs<tf32, 16, 16, 8>("m16n16k8_tf32");
  inputs<double, 8, 8, 4>("m8n8k4_f64");
  results<half, 16, 16, 16>("m16n16k16_c_f16");
  results<half, 32, 8, 16>("m32n8k16_c_f16");
  results<half, 8, 32, 16>("m8n32k16_c_f16");
  results<float, 16, 16, 16>("m16n16k16_c_f32");
  results<float, 32, 8, 16>("m32n8k16_c_f32");
  results<float, 8, 32, 16>("m8n32k16_c_f32");
  results<float, 16, 16, 8>("m16n16k8_c_f32");
  results<int, 16, 16, 16>("m16n16k16_c_s32");
  results<int, 32, 8, 16>("m32n8k16_c_s32");
  results<int, 8, 32, 16>("m8n32k16_c_s32");
  results<double, 8, 8, 4>("m8n8k4_c_f64");
#define BOTH(M, N, K, text)                                                                                      \
  multiplied<half, half, float, float, R, L, M, N, K>(text "_f32_f16_row_col", Format::F16, Format::F32);        \
  multiplied<half, half, float, float, L, R, M, N, K>(text "_f32_f16_col_row", Format::F16, Format::F32);        \
  multiplied<half, half, half, half, R, L, M, N, K>(text "_f16_f16_row_col", Format::F16, Format::F16);          \
  multiplied<half, half, half, float, R, R, M, N, K>(text "_f32_f16c_row_row", Format::F16, Format::F16);        \
  multiplied<half, half, float, half, R, R, M, N, K>(text "_f16_f32c_row_row", Format::F16, Format::F32);        \
  multiplied<bf16, bf16, float, float, R, L, M, N, K>(text "_f32_bf16_row_col", Format::BF16, Format::F32);      \
  multiplied<s8, s8, int, int, R, L, M, N, K>(text "_s8_row_col", Format::Whole, Format::Whole);                 \
  multiplied<u8, u8, int, int, L, R, M, N, K>(text "_u8_col_row", Format::Whole, Format::Whole);
  BOTH(16, 16, 16, "m16n16k16")
  BOTH(32, 8, 16, "m32n8k16")
  BOTH(8, 32, 16, "m8n32k16")
  multiplied<tf32, tf32, float, float, R, L, 16, 16, 8>("m16n16k8_f32_tf32_row_col", Format::TF32, Format::F32);
  multiplied<tf32, tf32, float, float, L, R, 16, 16, 8>("m16n16k8_f32_tf32_col_row", Format::TF32, Format::F32);
  multiplied<double, double, double, double, R, L, 8, 8, 4>("m8n8k4_f64_row_col", Format::F64, Format::F64);
  multiplied<double, double, double, double, L, R, 8, 8, 4>("m8n8k4_f64_col_row", Format::F64, Format::F64);
}
