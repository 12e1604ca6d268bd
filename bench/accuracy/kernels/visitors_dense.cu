// Dense algebra and transforms as course repositories and tutorials write them: products by warp tiles, two buffers, cp.async and tensor cores, small factorizations,
// tridiagonal systems in registers, transforms by radix 8 and by primes, filters.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <mma.h>

#include "cases.h"

namespace cg = cooperative_groups;

#define OFFSET(row, col, ld) ((row) * (ld) + (col))
#define FLOAT4(pointer) (reinterpret_cast<float4*>(&(pointer))[0])

const int WARPSIZE = 32;
// Warp tiles of WM x WN, a thread's results in WNITER pieces of TM x TN.
template <const int BM, const int BN, const int BK, const int WM, const int WN, const int WNITER, const int TM, const int TN, const int NUM_THREADS>
__global__ void __launch_bounds__(NUM_THREADS) sgemm_warptiling(int M, int N, int K, float alpha, float* A, float* B, float beta, float* C) {
  const int warpIdx = threadIdx.x / WARPSIZE, warpCol = warpIdx % (BN / WN), warpRow = warpIdx / (BN / WN);
  constexpr int WMITER = (WM * WN) / (WARPSIZE * TM * TN * WNITER), WSUBM = WM / WMITER, WSUBN = WN / WNITER;
  const int lane = threadIdx.x % WARPSIZE, threadColInWarp = lane % (WSUBN / TN), threadRowInWarp = lane / (WSUBN / TN);
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += (blockIdx.y * BM + warpRow * WM) * N + blockIdx.x * BN + warpCol * WN;
  const int innerRowA = threadIdx.x / (BK / 4), innerColA = threadIdx.x % (BK / 4), innerRowB = threadIdx.x / (BN / 4), innerColB = threadIdx.x % (BN / 4);
  constexpr int rowStrideA = (NUM_THREADS * 4) / BK, rowStrideB = NUM_THREADS / (BN / 4);
  float threadResults[WMITER * TM * WNITER * TN] = {0.0};
  float regM[WMITER * TM] = {0.0}, regN[WNITER * TN] = {0.0};
  for (int bkIdx = 0; bkIdx < K; bkIdx += BK) {
    for (int offset = 0; offset + rowStrideA <= BM; offset += rowStrideA) {
      const float4 tmp = reinterpret_cast<const float4*>(&A[(innerRowA + offset) * K + innerColA * 4])[0];
      As[(innerColA * 4 + 0) * BM + innerRowA + offset] = tmp.x;
      As[(innerColA * 4 + 1) * BM + innerRowA + offset] = tmp.y;
      As[(innerColA * 4 + 2) * BM + innerRowA + offset] = tmp.z;
      As[(innerColA * 4 + 3) * BM + innerRowA + offset] = tmp.w;
    }
    for (int offset = 0; offset + rowStrideB <= BK; offset += rowStrideB)
      FLOAT4(Bs[(innerRowB + offset) * BN + innerColB * 4]) = reinterpret_cast<const float4*>(&B[(innerRowB + offset) * N + innerColB * 4])[0];
    __syncthreads();
    for (int dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (int wm = 0; wm < WMITER; ++wm)
        for (int i = 0; i < TM; ++i) regM[wm * TM + i] = As[dotIdx * BM + warpRow * WM + wm * WSUBM + threadRowInWarp * TM + i];
      for (int wn = 0; wn < WNITER; ++wn)
        for (int i = 0; i < TN; ++i) regN[wn * TN + i] = Bs[dotIdx * BN + warpCol * WN + wn * WSUBN + threadColInWarp * TN + i];
      for (int wm = 0; wm < WMITER; ++wm)
        for (int wn = 0; wn < WNITER; ++wn)
          for (int m = 0; m < TM; ++m)
            for (int n = 0; n < TN; ++n) threadResults[(wm * TM + m) * (WNITER * TN) + wn * TN + n] += regM[wm * TM + m] * regN[wn * TN + n];
    }
    A += BK;
    B += BK * N;
    __syncthreads();
  }
  for (int wm = 0; wm < WMITER; ++wm)
    for (int wn = 0; wn < WNITER; ++wn) {
      float* sub = C + (wm * WSUBM) * N + wn * WSUBN;
      for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; n += 4) {
          float4 tmp = FLOAT4(sub[(threadRowInWarp * TM + m) * N + threadColInWarp * TN + n]);
          const int i = (wm * TM + m) * (WNITER * TN) + wn * TN + n;
          tmp.x = alpha * threadResults[i + 0] + beta * tmp.x;
          tmp.y = alpha * threadResults[i + 1] + beta * tmp.y;
          tmp.z = alpha * threadResults[i + 2] + beta * tmp.z;
          tmp.w = alpha * threadResults[i + 3] + beta * tmp.w;
          FLOAT4(sub[(threadRowInWarp * TM + m) * N + threadColInWarp * TN + n]) = tmp;
        }
    }
}

// Two buffers: the next tile is on its way in registers while this one is multiplied.
__global__ void sgemm_double_buffer(float* __restrict__ a, float* __restrict__ b, float* __restrict__ c, const int M, const int N, const int K) {
  const int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
  const int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y, tid = ty * blockDim.x + tx;
  __shared__ float s_a[2][BK][BM];
  __shared__ float s_b[2][BK][BN];
  float r_load_a[4], r_load_b[4], r_comp_a[TM], r_comp_b[TN], r_c[TM][TN] = {0.0};
  int load_a_smem_m = tid >> 1, load_a_smem_k = (tid & 1) << 2, load_b_smem_k = tid >> 5, load_b_smem_n = (tid & 31) << 2;
  int load_a_gmem_m = by * BM + load_a_smem_m, load_b_gmem_n = bx * BN + load_b_smem_n;
  FLOAT4(r_load_a[0]) = FLOAT4(a[OFFSET(load_a_gmem_m, load_a_smem_k, K)]);
  FLOAT4(r_load_b[0]) = FLOAT4(b[OFFSET(load_b_smem_k, load_b_gmem_n, N)]);
  for (int i = 0; i < 4; i++) s_a[0][load_a_smem_k + i][load_a_smem_m] = r_load_a[i];
  FLOAT4(s_b[0][load_b_smem_k][load_b_smem_n]) = FLOAT4(r_load_b[0]);
  __syncthreads();
  for (int bk = 1; bk <= K / BK; bk++) {
    int sel = (bk - 1) & 1, next = bk & 1;
    if (bk < K / BK) {
      FLOAT4(r_load_a[0]) = FLOAT4(a[OFFSET(load_a_gmem_m, bk * BK + load_a_smem_k, K)]);
      FLOAT4(r_load_b[0]) = FLOAT4(b[OFFSET(bk * BK + load_b_smem_k, load_b_gmem_n, N)]);
    }
#pragma unroll
    for (int tk = 0; tk < BK; tk++) {
      FLOAT4(r_comp_a[0]) = FLOAT4(s_a[sel][tk][ty * TM / 2]);
      FLOAT4(r_comp_a[4]) = FLOAT4(s_a[sel][tk][ty * TM / 2 + BM / 2]);
      FLOAT4(r_comp_b[0]) = FLOAT4(s_b[sel][tk][tx * TN / 2]);
      FLOAT4(r_comp_b[4]) = FLOAT4(s_b[sel][tk][tx * TN / 2 + BN / 2]);
#pragma unroll
      for (int tm = 0; tm < TM; tm++)
#pragma unroll
        for (int tn = 0; tn < TN; tn++) r_c[tm][tn] += r_comp_a[tm] * r_comp_b[tn];
    }
    if (bk < K / BK) {
      for (int i = 0; i < 4; i++) s_a[next][load_a_smem_k + i][load_a_smem_m] = r_load_a[i];
      FLOAT4(s_b[next][load_b_smem_k][load_b_smem_n]) = FLOAT4(r_load_b[0]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; i++) {
    int row = by * BM + ty * TM / 2 + (i < 4 ? i : i - 4 + BM / 2), col = bx * BN + tx * TN / 2;
    FLOAT4(c[OFFSET(row, col, N)]) = FLOAT4(r_c[i][0]);
    FLOAT4(c[OFFSET(row, col + BN / 2, N)]) = FLOAT4(r_c[i][4]);
  }
}

__device__ __forceinline__ void cp_async16(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"((unsigned)__cvta_generic_to_shared(shared)), "l"(global));
}
// bf16 with mma.sync, ldmatrix, padded tiles, and a bias with ReLU.
__global__ __launch_bounds__(128) void bf16_mma_bias_relu(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B, const float* __restrict__ bias, __nv_bfloat16* __restrict__ C, int M, int N, int K) {
  __shared__ __align__(16) __nv_bfloat16 sA[2][64][40];
  __shared__ __align__(16) __nv_bfloat16 sB[2][32][72];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, wm = warp / 2 * 32, wn = warp % 2 * 32, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  float acc[2][4][4] = {};
  auto load = [&](int stage, int k0) {
    for (int i = tid; i < 256; i += 128) {
      cp_async16(&sA[stage][i / 4][i % 4 * 8], &A[(size_t)(m0 + i / 4) * K + k0 + i % 4 * 8]);
      cp_async16(&sB[stage][i / 8][i % 8 * 8], &B[(size_t)(k0 + i / 8) * N + n0 + i % 8 * 8]);
    }
    asm volatile("cp.async.commit_group;\n" ::);
  };
  load(0, 0);
  for (int k0 = 0, stage = 0; k0 < K; k0 += 32, stage ^= 1) {
    if (k0 + 32 < K) {
      load(stage ^ 1, k0 + 32);
      asm volatile("cp.async.wait_group 1;\n" ::);
    } else {
      asm volatile("cp.async.wait_group 0;\n" ::);
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      unsigned a[2][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const unsigned at = (unsigned)__cvta_generic_to_shared(&sA[stage][wm + i * 16 + lane % 16][kk + lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a[i][0]), "=r"(a[i][1]), "=r"(a[i][2]), "=r"(a[i][3]) : "r"(at));
      }
#pragma unroll
      for (int j = 0; j < 4; j += 2) {
        const unsigned at = (unsigned)__cvta_generic_to_shared(&sB[stage][kk + lane % 16][wn + j * 8 + lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(b[j][0]), "=r"(b[j][1]), "=r"(b[j + 1][0]), "=r"(b[j + 1][1]) : "r"(at));
      }
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                       : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = m0 + wm + i * 16 + lane / 4, col = n0 + wn + j * 8 + lane % 4 * 2;
      const float2 bb = *reinterpret_cast<const float2*>(&bias[col]);
      *reinterpret_cast<__nv_bfloat162*>(&C[(size_t)row * N + col]) = __floats2bfloat162_rn(fmaxf(acc[i][j][0] + bb.x, 0.f), fmaxf(acc[i][j][1] + bb.y, 0.f));
      *reinterpret_cast<__nv_bfloat162*>(&C[(size_t)(row + 8) * N + col]) = __floats2bfloat162_rn(fmaxf(acc[i][j][2] + bb.x, 0.f), fmaxf(acc[i][j][3] + bb.y, 0.f));
    }
}

// TF32 on tensor cores, straight from global memory.
__global__ void wmma_tf32(const float* a, const float* b, float* c, int M, int N, int K) {
  using namespace nvcuda;
  const int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, warpN = blockIdx.y * blockDim.y + threadIdx.y;
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> acc;
  wmma::fill_fragment(acc, 0.0f);
  for (int k = 0; k < K; k += 8) {
    wmma::load_matrix_sync(fa, a + warpM * 16 * K + k, K);
    wmma::load_matrix_sync(fb, b + warpN * 16 * K + k, K);
    for (int t = 0; t < fa.num_elements; t++) fa.x[t] = wmma::__float_to_tf32(fa.x[t]);
    for (int t = 0; t < fb.num_elements; t++) fb.x[t] = wmma::__float_to_tf32(fb.x[t]);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::store_matrix_sync(c + warpM * 16 * N + warpN * 16, acc, N, wmma::mem_row_major);
}

// C = A * A^T; the blocks above the diagonal leave at once.
__global__ void syrk_lower(const double* A, double* C, int n, int k) {
  if (blockIdx.x > blockIdx.y) return;
  __shared__ double a[16][17], b[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.y;
  double sum = 0;
  for (int t = 0; t < k; t += 16) {
    a[threadIdx.y][threadIdx.x] = row < n && t + threadIdx.x < k ? A[row * k + t + threadIdx.x] : 0.0;
    b[threadIdx.y][threadIdx.x] = col < n && t + threadIdx.x < k ? A[col * k + t + threadIdx.x] : 0.0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += a[threadIdx.y][i] * b[threadIdx.x][i];
    __syncthreads();
  }
  const int j = blockIdx.x * 16 + threadIdx.x;
  if (row < n && j <= row) C[row * n + j] -= sum;
}

// QR of 32x32 by Householder reflections, a warp a matrix, a column a lane.
__global__ void qr_householder(float* mats, float* taus) {
  __shared__ float A[32][33];
  float* m = mats + blockIdx.x * 1024;
  const int lane = threadIdx.x;
  for (int i = 0; i < 32; ++i) A[i][lane] = m[i * 32 + lane];
  __syncwarp();
  for (int k = 0; k < 31; ++k) {
    float x = lane >= k ? A[lane][k] : 0.0f, norm = x * x;
    for (int o = 16; o > 0; o >>= 1) norm += __shfl_xor_sync(0xffffffff, norm, o);
    norm = sqrtf(norm);
    const float x0 = __shfl_sync(0xffffffff, x, k), alpha = x0 > 0 ? -norm : norm, v0 = x0 - alpha;
    const float tau = norm == 0 ? 0 : -v0 / alpha;
    if (lane > k) A[lane][k] = x / v0;
    if (lane == k) taus[blockIdx.x * 32 + k] = tau;
    __syncwarp();
    if (lane > k) {
      float w = A[k][lane];
      for (int i = k + 1; i < 32; ++i) w += A[i][k] * A[i][lane];
      w *= tau;
      A[k][lane] -= w;
      for (int i = k + 1; i < 32; ++i) A[i][lane] -= A[i][k] * w;
    }
    __syncwarp();
    if (lane == k) A[k][k] = alpha;
    __syncwarp();
  }
  for (int i = 0; i < 32; ++i) m[i * 32 + lane] = A[i][lane];
}

// Tridiagonal systems of 32 by parallel cyclic reduction over the lanes of a warp.
__global__ void tridiagonal_pcr_warp(const float* __restrict__ a, const float* __restrict__ b, const float* __restrict__ c, const float* __restrict__ d, float* __restrict__ x, int systems) {
  const int lane = threadIdx.x & 31;
  for (int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32; s < systems; s += gridDim.x * blockDim.x / 32) {
    float la = lane ? a[s * 32 + lane] : 0, lb = b[s * 32 + lane] + 3.f, lc = lane < 31 ? c[s * 32 + lane] : 0, ld = d[s * 32 + lane];
#pragma unroll
    for (int step = 1; step < 32; step <<= 1) {
      const float inv = 1.0f / lb;
      const float ua = la * inv, uc = lc * inv, ud = ld * inv;
      float pa = __shfl_up_sync(~0u, ua, step), pc = __shfl_up_sync(~0u, uc, step), pd = __shfl_up_sync(~0u, ud, step);
      float na = __shfl_down_sync(~0u, ua, step), nc = __shfl_down_sync(~0u, uc, step), nd = __shfl_down_sync(~0u, ud, step);
      if (lane < step) pa = pc = pd = 0;
      if (lane + step > 31) na = nc = nd = 0;
      lb -= la * pc + lc * na;
      ld -= la * pd + lc * nd;
      la = -la * pa, lc = -lc * nc;
    }
    x[s * 32 + lane] = ld / lb;
  }
}

// Inverse by Gauss and Jordan with pivots, a block a matrix.
__global__ void gauss_jordan_inverse(const double* __restrict__ in, double* __restrict__ out) {
  __shared__ double m[32][65];
  __shared__ int pivot;
  const int r = threadIdx.y, c = threadIdx.x;
  m[r][c] = in[blockIdx.x * 1024 + r * 32 + c];
  m[r][c + 32] = r == c ? 1.0 : 0.0;
  __syncthreads();
  for (int k = 0; k < 32; ++k) {
    if (r == 0) {
      double v = c >= k ? fabs(m[c][k]) : -1.0;
      int at = c;
      for (int o = 16; o > 0; o /= 2) {
        const double ov = __shfl_down_sync(0xffffffff, v, o);
        const int oa = __shfl_down_sync(0xffffffff, at, o);
        if (ov > v) v = ov, at = oa;
      }
      if (c == 0) pivot = at;
    }
    __syncthreads();
    const int p = pivot;
    if (r < 2 && p != k) {
      const double t = m[k][c + 32 * r];
      m[k][c + 32 * r] = m[p][c + 32 * r], m[p][c + 32 * r] = t;
    }
    __syncthreads();
    const double factor = r == k ? 1.0 - 1.0 / m[k][k] : m[r][k] / m[k][k], x = m[k][c], y = m[k][c + 32];
    __syncthreads();
    m[r][c] -= factor * x, m[r][c + 32] -= factor * y;
    __syncthreads();
  }
  out[blockIdx.x * 1024 + r * 32 + c] = m[r][c + 32];
}

// y = A^H x of complex doubles, a warp a column.
__global__ void zgemv_conjugate(const double2* A, const double2* x, double2* y, int m, int n) {
  const int col = blockIdx.x * blockDim.y + threadIdx.y;
  if (col >= n) return;
  double re = 0, im = 0;
  for (int i = threadIdx.x; i < m; i += 32) {
    const double2 a = A[(size_t)col * m + i], b = x[i];
    re += a.x * b.x + a.y * b.y;
    im += a.x * b.y - a.y * b.x;
  }
  for (int o = 16; o > 0; o >>= 1) re += __shfl_down_sync(0xffffffff, re, o), im += __shfl_down_sync(0xffffffff, im, o);
  if (threadIdx.x == 0) y[col] = make_double2(re, im);
}

#define TW(i) make_float2(__cosf(i), __sinf(i))
__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ inline void fft2(float2& a, float2& b) {
  const float2 t = a;
  a = t + b, b = t - b;
}
__device__ inline void fft4(float2& a0, float2& a1, float2& a2, float2& a3) {
  fft2(a0, a2), fft2(a1, a3), fft2(a0, a1);
  a3 = make_float2(a3.y, -a3.x);
  fft2(a2, a3);
}
__device__ inline void fft8(float2* a) {
  for (int i = 0; i < 4; ++i) fft2(a[i], a[i + 4]);
  const float r = 0.70710678f;
  a[5] = make_float2((a[5].x + a[5].y) * r, (a[5].y - a[5].x) * r);
  a[6] = make_float2(a[6].y, -a[6].x);
  a[7] = make_float2((a[7].y - a[7].x) * r, (-a[7].x - a[7].y) * r);
  fft4(a[0], a[1], a[2], a[3]), fft4(a[4], a[5], a[6], a[7]);
}
// 512 complex numbers by radix 8, eight a thread, exchanged by their parts.
__global__ void fft512_radix8(float2* work) {
  __shared__ float smem[8 * 72];
  const int tid = threadIdx.x, hi = tid >> 3, lo = tid & 7;
  const int rev[8] = {0, 4, 2, 6, 1, 5, 3, 7};
  work += blockIdx.x * 512 + tid;
  float2 data[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) data[i] = work[i * 64];
#pragma unroll
  for (int round = 0; round < 2; ++round) {
    fft8(data);
#pragma unroll
    for (int j = 1; j < 8; ++j) data[j] = data[j] * TW(-6.2831853f * rev[j] * (round ? lo : tid) / (round ? 64 : 512));
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      __syncthreads();
#pragma unroll
      for (int i = 0; i < 8; ++i) smem[round ? hi * 72 + lo * 9 + i : i * 72 + hi * 8 + lo] = part ? data[rev[i]].y : data[rev[i]].x;
      __syncthreads();
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const float v = smem[round ? hi * 72 + i * 9 + lo : hi * 72 + i * 8 + lo];
        if (part) data[i].y = v; else data[i].x = v;
      }
    }
  }
  fft8(data);
#pragma unroll
  for (int i = 0; i < 8; ++i) work[i * 64] = data[rev[i]];
}

// A number-theoretic transform of 1024 in shared memory, Montgomery products of 32 bits.
__device__ __forceinline__ unsigned mont_mul(unsigned a, unsigned b) {
  const unsigned P = 998244353u, PINV = 998244351u;
  const unsigned long long t = (unsigned long long)a * b;
  const unsigned m = (unsigned)t * PINV, u = (unsigned)((t + (unsigned long long)m * P) >> 32);
  return u >= P ? u - P : u;
}
__global__ void ntt1024_shared(unsigned* data, const unsigned* __restrict__ roots) {
  __shared__ unsigned s[1024];
  const unsigned P = 998244353u;
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = data[blockIdx.x * 1024 + (__brev(i) >> 22)];
  for (int half = 1; half < 1024; half *= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
      const int j = i & (half - 1), at = 2 * (i - j) + j;
      const unsigned u = s[at], v = mont_mul(s[at + half], __ldg(&roots[half + j]));
      s[at] = u + v >= P ? u + v - P : u + v;
      s[at + half] = u >= v ? u - v : u + P - v;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) data[blockIdx.x * 1024 + i] = s[i];
}

// All levels of the Haar transform of a row.
__global__ void haar_rows(const float* in, float* out, int n) {
  extern __shared__ float row[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = in[(size_t)blockIdx.x * n + i];
  __syncthreads();
  for (int len = n / 2; len > 0; len /= 2) {
    float a = 0;
    if (threadIdx.x < len) {
      const float p = row[2 * threadIdx.x], q = row[2 * threadIdx.x + 1];
      a = (p + q) * 0.70710678f;
      out[(size_t)blockIdx.x * n + len + threadIdx.x] = (p - q) * 0.70710678f;
    }
    __syncthreads();
    if (threadIdx.x < len) row[threadIdx.x] = a;
    __syncthreads();
  }
  if (threadIdx.x == 0) out[(size_t)blockIdx.x * n] = row[0];
}

template <int S>
struct Mat {
  float v[S][S];
  __device__ float* operator[](int i) { return v[i]; }
  __device__ const float* operator[](int i) const { return v[i]; }
};
template <int S>
__device__ Mat<S> mul(const Mat<S>& a, const Mat<S>& b, bool transposed) {
  Mat<S> r;
#pragma unroll
  for (int i = 0; i < S; ++i)
#pragma unroll
    for (int j = 0; j < S; ++j) {
      float s = 0;
#pragma unroll
      for (int k = 0; k < S; ++k) s += a[i][k] * (transposed ? b[j][k] : b[k][j]);
      r[i][j] = s;
    }
  return r;
}
// Many trackers with four states and two measurements, a thread each.
__global__ void kalman_tracks(const float2* __restrict__ z, float4* state, int tracks, int steps, float dt, float q, float r) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= tracks) return;
  Mat<4> F = {{{1, 0, dt, 0}, {0, 1, 0, dt}, {0, 0, 1, 0}, {0, 0, 0, 1}}}, P = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
  float x[4] = {0, 0, 0, 0};
  for (int t = 0; t < steps; ++t) {
    x[0] += dt * x[2], x[1] += dt * x[3];
    P = mul(mul(F, P, false), F, true);
    for (int i = 0; i < 4; ++i) P[i][i] += q;
    const float2 m = z[t * tracks + id];
    const float s00 = P[0][0] + r, s01 = P[0][1], s11 = P[1][1] + r, det = 1.0f / (s00 * s11 - s01 * s01);
    const float y0 = m.x - x[0], y1 = m.y - x[1];
    float k[4][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      k[i][0] = (P[i][0] * s11 - P[i][1] * s01) * det, k[i][1] = (P[i][1] * s00 - P[i][0] * s01) * det;
      x[i] += k[i][0] * y0 + k[i][1] * y1;
    }
    const Mat<4> old = P;
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) P[i][j] -= k[i][0] * old[0][j] + k[i][1] * old[1][j];
  }
  state[id] = make_float4(x[0], x[1], x[2], x[3]);
}

// Sums with cooperative groups, tiles of 32 and vectors.
template <typename T, typename Vec>
__global__ void reduce_cg(const Vec* in, T* out, size_t n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  __shared__ T scratch[32];
  T sum = 0;
  for (size_t i = blockIdx.x * (size_t)block.size() + block.thread_rank(); i < n; i += (size_t)gridDim.x * block.size()) {
    const Vec v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  scratch[tile.meta_group_rank()] = cg::reduce(tile, sum, cg::plus<T>());
  cg::sync(block);
  if (tile.meta_group_rank() == 0) {
    sum = tile.thread_rank() < tile.meta_group_size() ? scratch[tile.thread_rank()] : T(0);
    sum = cg::reduce(tile, sum, cg::plus<T>());
    if (tile.thread_rank() == 0) atomicAdd(out, sum);
  }
}

// Means and variances of the columns of a matrix with 1001 columns, in doubles.
__global__ void column_moments(const float* x, double* sums, double* squares, int rows, int cols, int rows_a_block) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  double s = 0, q = 0;
  const int last = min(rows, (int)(blockIdx.y + 1) * rows_a_block);
  for (int r = blockIdx.y * rows_a_block; r < last; ++r) {
    const double v = x[(size_t)r * cols + c];
    s += v, q += v * v;
  }
  atomicAdd(sums + c, s), atomicAdd(squares + c, q);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  float* a = on_device<float>(1 << 22, fraction);
  float* b = on_device<float>(1 << 22, [](uint32_t i) { return fraction(i + 3) - 0.5f; });
  float* c = zeros<float>(1 << 22);
  const double* da = on_device<double>(1 << 20, [](uint32_t i) { return double(hashed(i) & 0xffff) / 65536.0; });
  double* dc = zeros<double>(1 << 20);
  float2* signals = on_device<float2>(1 << 20, [](uint32_t i) { return make_float2(fraction(i) - 0.5f, fraction(i + 1) - 0.5f); });
  const __nv_bfloat16* bf = on_device<__nv_bfloat16>(1 << 22, [](uint32_t i) { return __float2bfloat16(fraction(i) - 0.5f); });
  float* squares = on_device<float>(528 * 1024, [](uint32_t i) { return fraction(i + 9) - 0.5f; });
  unsigned* words = on_device<unsigned>(1 << 20, [](uint32_t i) { return hashed(i) % 998244353u; });

  run("sgemm_warptiling_1024", [&] { sgemm_warptiling<128, 128, 16, 64, 64, 4, 8, 4, 128><<<dim3(8, 8), 128>>>(1024, 1024, 192, 0.5f, a, b, 0.1f, c); });
  run("sgemm_warptiling_64", [&] { sgemm_warptiling<64, 64, 16, 32, 32, 2, 4, 4, 128><<<dim3(16, 12), 128>>>(768, 1024, 256, 1.0f, a, b, 0.0f, c); });
  run("sgemm_double_buffer_132", [&] { sgemm_double_buffer<<<dim3(12, 11), dim3(16, 16)>>>(a, b, c, 1408, 1536, 64); });
  run("sgemm_double_buffer_16", [&] { sgemm_double_buffer<<<dim3(4, 4), dim3(16, 16)>>>(a, b, c, 512, 512, 512); });
  run("bf16_mma_bias_relu_1024", [&] { bf16_mma_bias_relu<<<dim3(16, 16), 128>>>(bf, bf + (1 << 20), a, (__nv_bfloat16*)c, 1024, 1024, 1024); });
  run("bf16_mma_bias_relu_2048", [&] { bf16_mma_bias_relu<<<dim3(32, 32), 128>>>(bf, bf + (1 << 20), a, (__nv_bfloat16*)c, 2048, 2048, 320); });
  run("wmma_tf32_512", [&] { wmma_tf32<<<dim3(8, 8), dim3(128, 4)>>>(a, b, c, 512, 512, 512); });
  run("syrk_lower_600", [&] { syrk_lower<<<dim3(38, 38), dim3(16, 16)>>>(da, dc, 600, 200); });
  run("qr_householder", [&] { qr_householder<<<528, 32>>>(squares, c); });
  run("tridiagonal_pcr_warp", [&] { tridiagonal_pcr_warp<<<264, 256>>>(a, a + 5, a + 77, b, c, 65536); });
  run("gauss_jordan_inverse", [&] { gauss_jordan_inverse<<<132, dim3(32, 32)>>>(da, dc); });
  run("zgemv_conjugate", [&] { zgemv_conjugate<<<128, dim3(32, 4)>>>((const double2*)da, (const double2*)da + 5, (double2*)dc, 1000, 510); });
  run("fft512_radix8", [&] { fft512_radix8<<<2048, 64>>>(signals); });
  std::vector<unsigned> roots(1024);
  for (uint32_t i = 0; i < 1024; ++i) roots[i] = hashed(i + 11) % 998244353u;
  const unsigned* roots_d = on_device(roots);
  run("ntt1024_shared_512", [&] { ntt1024_shared<<<528, 512>>>(words, roots_d); });
  run("ntt1024_shared_128", [&] { ntt1024_shared<<<96, 128>>>(words, roots_d); });
  run("haar_rows_2048", [&] { haar_rows<<<512, 1024, 8192>>>(a, c, 2048); });
  run("kalman_tracks", [&] { kalman_tracks<<<264, 128>>>((const float2*)b, (float4*)c, 33792, 32, 0.1f, 0.01f, 0.5f); });
  run("reduce_cg_float", [&] { reduce_cg<<<264, 512>>>((const float4*)a, c, (size_t)1 << 20); });
  run("reduce_cg_int", [&] { reduce_cg<<<64, 256>>>((const int4*)words, (int*)c, (size_t)100000); });
  run("column_moments_1001", [&] { column_moments<<<dim3(8, 64), 128>>>(b, dc, dc + 1001, 4001, 1001, 63); });
  return 0;
}
