// Matrix products on tensor cores: c = a * b of n x n, b column-major unless said otherwise.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "cases.h"

using namespace nvcuda;

// ---- nvcuda::wmma

// A tile a warp, fragments from global memory.
template <class A, class T, class C, int M, int N, int K>
__global__ void wmma_naive(const T* a, const T* b, C* c, int n) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, tiles = n / N;
  const int row = warp / tiles * M, column = warp % tiles * N;
  wmma::fragment<wmma::matrix_a, M, N, K, A, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, M, N, K, A, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, M, N, K, C> sum;
  wmma::fill_fragment(sum, C(0));
  for (int k = 0; k < n; k += K) {
    wmma::load_matrix_sync(x, a + row * n + k, n);
    wmma::load_matrix_sync(y, b + column * n + k, n);
    wmma::mma_sync(sum, x, y, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// 64 x 64 results a block of 4 warps, 32 x 32 a warp, tiles of 64 x 32 in shared memory with rows of `LD` halves; b row-major.
template <int LD>
__global__ void wmma_shared(const half* a, const half* b, float* c, int n) {
  __shared__ __align__(16) half as[64 * LD], bs[32 * (LD + 32)];
  constexpr int kLdB = LD + 32;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64, warp = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
  for (auto& line : sum)
    for (auto& s : line) wmma::fill_fragment(s, 0.0f);
  for (int k = 0; k < n; k += 32) {
    for (int i = threadIdx.x; i < 64 * 4; i += 128)
      *(uint4*)&as[i / 4 * LD + i % 4 * 8] = *(const uint4*)&a[(row + i / 4) * n + k + i % 4 * 8];
    for (int i = threadIdx.x; i < 32 * 8; i += 128)
      *(uint4*)&bs[i / 8 * kLdB + i % 8 * 8] = *(const uint4*)&b[(k + i / 8) * n + column + i % 8 * 8];
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y[2];
      for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(x[i], &as[(warp / 2 * 32 + i * 16) * LD + kk], LD);
      for (int j = 0; j < 2; ++j) wmma::load_matrix_sync(y[j], &bs[kk * kLdB + warp % 2 * 32 + j * 16], kLdB);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], x[i], y[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(&c[(row + warp / 2 * 32 + i * 16) * n + column + warp % 2 * 32 + j * 16], sum[i][j], n,
                              wmma::mem_row_major);
}

// ---- mma.sync and ldmatrix

__device__ __forceinline__ void ldmatrix4(uint32_t (&r)[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(uint32_t(__cvta_generic_to_shared(p))));
}
__device__ __forceinline__ void ldmatrix4_transposed(uint32_t (&r)[4], const void* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(uint32_t(__cvta_generic_to_shared(p))));
}
__device__ __forceinline__ void multiply(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void copy16(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(uint32_t(__cvta_generic_to_shared(to))), "l"(from));
}

// 128 x 128 results a block of 8 warps, 64 x 32 a warp, two stages of cp.async; b row-major, transposed by ldmatrix.
// A row of a's tile has 32 halves, of b's 128. kPad: halves behind a row. kSwizzle: chunks of 16 bytes are permuted.
template <int kPad, bool kSwizzle>
__global__ void __launch_bounds__(256) mma_staged(const half* a, const half* b, float* c, int n) {
  constexpr int kLdA = 32 + kPad, kLdB = 128 + kPad;
  __shared__ __align__(128) half as[2][128 * kLdA], bs[2][32 * kLdB];
  const int row = blockIdx.y * 128, column = blockIdx.x * 128, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
  const auto at_a = [&](int r, int chunk) { return r * kLdA + (kSwizzle ? chunk ^ (r / 2 % 4) : chunk) * 8; };
  const auto at_b = [&](int r, int chunk) { return r * kLdB + (kSwizzle ? chunk ^ (r % 8) : chunk) * 8; };
  const auto fetch = [&](int stage, int k) {
    for (int i = threadIdx.x; i < 128 * 4; i += 256)
      copy16(&as[stage][at_a(i / 4, i % 4)], &a[(row + i / 4) * n + k + i % 4 * 8]);
    for (int i = threadIdx.x; i < 32 * 16; i += 256)
      copy16(&bs[stage][at_b(i / 16, i % 16)], &b[(k + i / 16) * n + column + i % 16 * 8]);
    asm volatile("cp.async.commit_group;");
  };
  float sum[4][4][4] = {};
  fetch(0, 0);
  for (int k = 0, stage = 0; k < n; k += 32, stage ^= 1) {
    if (k + 32 < n) {
      fetch(stage ^ 1, k + 32);
      asm volatile("cp.async.wait_group 1;");
    } else {
      asm volatile("cp.async.wait_group 0;");
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t x[4][4], y[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        ldmatrix4(x[i], &as[stage][at_a(warp_row + i * 16 + lane % 16, kk / 8 + lane / 16)]);
#pragma unroll
      for (int j = 0; j < 2; ++j)
        ldmatrix4_transposed(y[j], &bs[stage][at_b(kk + lane % 16, warp_column / 8 + j * 2 + lane / 16)]);
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) multiply(sum[i][j], x[i], y[j / 2][j % 2 * 2], y[j / 2][j % 2 * 2 + 1]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float* to = &c[(row + warp_row + i * 16 + lane / 4) * n + column + warp_column + j * 8 + lane % 4 * 2];
      *(float2*)to = make_float2(sum[i][j][0], sum[i][j][1]);
      *(float2*)(to + 8 * n) = make_float2(sum[i][j][2], sum[i][j][3]);
    }
}

// Products of whole numbers from global memory, fragments loaded by words: a thread's part of a row is contiguous.
__global__ void mma_bytes(const int8_t* a, const int8_t* b, int* c, int n) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, tiles = n / 32;
  const int row = warp / tiles * 16, column = warp % tiles * 32;
  int sum[4][4] = {};
  const auto word = [](const int8_t* p) { return *(const uint32_t*)p; };
  for (int k = 0; k < n; k += 32) {
    const int8_t* x = a + (row + lane / 4) * n + k + lane % 4 * 4;
    const uint32_t a0 = word(x), a1 = word(x + 8 * n), a2 = word(x + 16), a3 = word(x + 8 * n + 16);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int8_t* y = b + (column + j * 8 + lane / 4) * n + k + lane % 4 * 4;
      asm volatile(
          "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
          : "+r"(sum[j][0]), "+r"(sum[j][1]), "+r"(sum[j][2]), "+r"(sum[j][3])
          : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(word(y)), "r"(word(y + 16)));
    }
  }
  for (int j = 0; j < 4; ++j) {
    int* to = &c[(row + lane / 4) * n + column + j * 8 + lane % 4 * 2];
    *(int2*)to = make_int2(sum[j][0], sum[j][1]);
    *(int2*)(to + 8 * n) = make_int2(sum[j][2], sum[j][3]);
  }
}

// The pipe alone: `kChains` independent sums a warp.
template <int kChains>
__global__ void mma_pipe(float* out, int rounds) {
  const uint32_t a[4] = {threadIdx.x, threadIdx.x, 0, 0};
  float sum[kChains][4] = {};
  for (int r = 0; r < rounds; ++r)
#pragma unroll
    for (int i = 0; i < kChains; ++i) multiply(sum[i], a, threadIdx.x, 0);
  float total = 0;
  for (int i = 0; i < kChains; ++i) total += sum[i][0] + sum[i][1] + sum[i][2] + sum[i][3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

namespace {
half as_half(uint32_t i) { return half(fraction(i) - 0.5f); }
__nv_bfloat16 as_bfloat(uint32_t i) { return __nv_bfloat16(fraction(i) - 0.5f); }
float as_float(uint32_t i) { return fraction(i) - 0.5f; }
double as_double(uint32_t i) { return fraction(i) - 0.5; }
signed char as_byte(uint32_t i) { return (signed char)(hashed(i)); }
}  // namespace

int main(int argc, char** argv) {
  Cases cases(argc, argv);
  using tf32 = wmma::precision::tf32;
  for (int n : {256, 1024}) {
    const size_t count = size_t(n) * n;
    half *a = on_device<half>(count, as_half), *b = on_device<half>(count, as_half);
    auto *a_bf = on_device<__nv_bfloat16>(count, as_bfloat), *b_bf = on_device<__nv_bfloat16>(count, as_bfloat);
    float *a_f = on_device<float>(count, as_float), *b_f = on_device<float>(count, as_float);
    double *a_d = on_device<double>(count, as_double), *b_d = on_device<double>(count, as_double);
    auto *a_s = on_device<signed char>(count, as_byte), *b_s = on_device<signed char>(count, as_byte);
    float* c = zeros<float>(count);
    half* c_h = zeros<half>(count);
    double* c_d = zeros<double>(count);
    int* c_i = zeros<int>(count);
    const int tiles = n / 16 * (n / 16), eights = n / 8 * (n / 8);
    cases(sized("wmma_naive", n), [&] { wmma_naive<half, half, float, 16, 16, 16><<<tiles / 4, 128>>>(a, b, c, n); });
    cases(sized("wmma_half_sums", n), [&] { wmma_naive<half, half, half, 16, 16, 16><<<tiles / 4, 128>>>(a, b, c_h, n); });
    cases(sized("wmma_bfloat", n),
          [&] { wmma_naive<__nv_bfloat16, __nv_bfloat16, float, 16, 16, 16><<<tiles / 4, 128>>>(a_bf, b_bf, c, n); });
    cases(sized("wmma_tf32", n), [&] { wmma_naive<tf32, float, float, 16, 16, 8><<<tiles / 4, 128>>>(a_f, b_f, c, n); });
    cases(sized("wmma_bytes", n),
          [&] { wmma_naive<signed char, signed char, int, 16, 16, 16><<<tiles / 4, 128>>>(a_s, b_s, c_i, n); });
    cases(sized("wmma_double", n), [&] { wmma_naive<double, double, double, 8, 8, 4><<<eights / 4, 128>>>(a_d, b_d, c_d, n); });
    cases(sized("wmma_shared", n), [&] { wmma_shared<32><<<dim3(n / 64, n / 64), 128>>>(a, b, c, n); });
    cases(sized("wmma_shared_padded", n), [&] { wmma_shared<40><<<dim3(n / 64, n / 64), 128>>>(a, b, c, n); });
    cases(sized("mma_staged", n), [&] { mma_staged<0, false><<<dim3(n / 128, n / 128), 256>>>(a, b, c, n); });
    cases(sized("mma_staged_padded", n), [&] { mma_staged<8, false><<<dim3(n / 128, n / 128), 256>>>(a, b, c, n); });
    cases(sized("mma_staged_swizzled", n), [&] { mma_staged<0, true><<<dim3(n / 128, n / 128), 256>>>(a, b, c, n); });
    cases(sized("mma_bytes", n),
          [&] { mma_bytes<<<n / 16 * (n / 32) / 4, 128>>>((const int8_t*)a_s, (const int8_t*)b_s, c_i, n); });
  }
  float* out = zeros<float>(132 * 1024);
  cases("mma_pipe_1", [&] { mma_pipe<1><<<132, 128>>>(out, 4096); });
  cases("mma_pipe_4", [&] { mma_pipe<4><<<132, 128>>>(out, 1024); });
  cases("mma_pipe_8_warps", [&] { mma_pipe<4><<<132, 256>>>(out, 1024); });
}
