// Matrix products and their kin, from the first lesson to tensor cores.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cmath>

#include "cases.h"

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
using namespace nvcuda;
typedef __nv_bfloat16 bf16;

// ---- floats, from naive to tuned ----

// The first lesson with B transposed: neighbours in a warp read different rows of A
__global__ void sgemm_nt_naive(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  const uint x = blockIdx.x * blockDim.x + threadIdx.x;
  const uint y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < M && y < N) {
    float tmp = 0.0;
    for (int i = 0; i < K; ++i) tmp += A[x * K + i] * B[y * K + i];
    C[x * N + y] = alpha * tmp + beta * C[x * N + y];
  }
}

// Square tiles in shared memory, a flat block of 1024
template <const int BLOCKSIZE>
__global__ void sgemm_shared_mem_block(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  const uint cRow = blockIdx.x, cCol = blockIdx.y;
  __shared__ float As[BLOCKSIZE * BLOCKSIZE];
  __shared__ float Bs[BLOCKSIZE * BLOCKSIZE];
  const uint threadCol = threadIdx.x % BLOCKSIZE, threadRow = threadIdx.x / BLOCKSIZE;
  A += cRow * BLOCKSIZE * K;
  B += cCol * BLOCKSIZE;
  C += cRow * BLOCKSIZE * N + cCol * BLOCKSIZE;
  float tmp = 0.0;
  for (int bkIdx = 0; bkIdx < K; bkIdx += BLOCKSIZE) {
    As[threadRow * BLOCKSIZE + threadCol] = A[threadRow * K + threadCol];
    Bs[threadRow * BLOCKSIZE + threadCol] = B[threadRow * N + threadCol];
    __syncthreads();
    A += BLOCKSIZE;
    B += BLOCKSIZE * N;
    for (int dotIdx = 0; dotIdx < BLOCKSIZE; ++dotIdx) tmp += As[threadRow * BLOCKSIZE + dotIdx] * Bs[dotIdx * BLOCKSIZE + threadCol];
    __syncthreads();
  }
  C[threadRow * N + threadCol] = alpha * tmp + beta * C[threadRow * N + threadCol];
}

#define TILE_WIDTH 16
// Tiles of 16 with every edge checked
__global__ void gemm_tile16_edges(float* P, const float* M, const float* N, int rows, int inner, int cols) {
  __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
  __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
  int bx = blockIdx.x, by = blockIdx.y;
  int tx = threadIdx.x, ty = threadIdx.y;
  int Row = by * TILE_WIDTH + ty;
  int Col = bx * TILE_WIDTH + tx;
  float Pvalue = 0;
  for (int ph = 0; ph < (inner - 1) / TILE_WIDTH + 1; ++ph) {
    if (Row < rows && ph * TILE_WIDTH + tx < inner)
      Mds[ty][tx] = M[Row * inner + ph * TILE_WIDTH + tx];
    else
      Mds[ty][tx] = 0.0f;
    if (ph * TILE_WIDTH + ty < inner && Col < cols)
      Nds[ty][tx] = N[(ph * TILE_WIDTH + ty) * cols + Col];
    else
      Nds[ty][tx] = 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE_WIDTH; ++k) Pvalue += Mds[ty][k] * Nds[k][tx];
    __syncthreads();
  }
  if (Row < rows && Col < cols) P[Row * cols + Col] = Pvalue;
}

// Tiles of 128 by 128, eight by eight results a thread, scalar loads
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1) sgemm_2d_blocktile(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  constexpr uint numThreads = BM * BN / (TM * TN);
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const int threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  const uint innerRowA = threadIdx.x / BK, innerColA = threadIdx.x % BK, strideA = numThreads / BK;
  const uint innerRowB = threadIdx.x / BN, innerColB = threadIdx.x % BN, strideB = numThreads / BN;
  float threadResults[TM * TN] = {0.0};
  float regM[TM] = {0.0};
  float regN[TN] = {0.0};
  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    for (uint loadOffset = 0; loadOffset < BM; loadOffset += strideA) As[(innerRowA + loadOffset) * BK + innerColA] = A[(innerRowA + loadOffset) * K + innerColA];
    for (uint loadOffset = 0; loadOffset < BK; loadOffset += strideB) Bs[(innerRowB + loadOffset) * BN + innerColB] = B[(innerRowB + loadOffset) * N + innerColB];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (uint i = 0; i < TM; ++i) regM[i] = As[(threadRow * TM + i) * BK + dotIdx];
      for (uint i = 0; i < TN; ++i) regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
      for (uint m = 0; m < TM; ++m)
        for (uint n = 0; n < TN; ++n) threadResults[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
  for (uint m = 0; m < TM; ++m)
    for (uint n = 0; n < TN; ++n) {
      float& c = C[(threadRow * TM + m) * N + threadCol * TN + n];
      c = alpha * threadResults[m * TN + n] + beta * c;
    }
}

// Two tiles in shared memory, the next one on its way through registers
__global__ void __launch_bounds__(256) sgemm_register_prefetch(int M, int N, int K, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  constexpr int BM = 128, BN = 64, BK = 16, TM = 8, TN = 4;
  __shared__ __align__(16) float As[2][BK][BM + 4];
  __shared__ __align__(16) float Bs[2][BK][BN];
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
  const int a_row = tid / 4, a_col = tid % 4 * 4, b_row = tid / 16, b_col = tid % 16 * 4;
  const float* a_from = A + (blockIdx.y * BM + a_row) * K + a_col;
  const float* b_from = B + b_row * N + blockIdx.x * BN + b_col;
  float4 a_next[2], b_next;
  float acc[TM][TN] = {};
  auto fetch = [&](int k) {
    a_next[0] = *reinterpret_cast<const float4*>(a_from + k);
    a_next[1] = *reinterpret_cast<const float4*>(a_from + 64 * K + k);
    b_next = *reinterpret_cast<const float4*>(b_from + k * N);
  };
  auto put = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      As[buffer][a_col + 0][a_row + 64 * i] = a_next[i].x;
      As[buffer][a_col + 1][a_row + 64 * i] = a_next[i].y;
      As[buffer][a_col + 2][a_row + 64 * i] = a_next[i].z;
      As[buffer][a_col + 3][a_row + 64 * i] = a_next[i].w;
    }
    *reinterpret_cast<float4*>(&Bs[buffer][b_row][b_col]) = b_next;
  };
  fetch(0);
  put(0);
  __syncthreads();
  int now = 0;
  for (int k = BK; k <= K; k += BK) {
    if (k < K) fetch(k);
#pragma unroll
    for (int kk = 0; kk < BK; kk++) {
      float a[TM], b[TN];
      *reinterpret_cast<float4*>(a) = *reinterpret_cast<const float4*>(&As[now][kk][ty * TM]);
      *reinterpret_cast<float4*>(a + 4) = *reinterpret_cast<const float4*>(&As[now][kk][ty * TM + 4]);
      *reinterpret_cast<float4*>(b) = *reinterpret_cast<const float4*>(&Bs[now][kk][tx * TN]);
#pragma unroll
      for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
    }
    if (k < K) put(now ^ 1);
    __syncthreads();
    now ^= 1;
  }
#pragma unroll
  for (int i = 0; i < TM; i++)
    *reinterpret_cast<float4*>(C + (blockIdx.y * BM + ty * TM + i) * N + blockIdx.x * BN + tx * TN) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// Three stages of asynchronous copies
__global__ void __launch_bounds__(256) sgemm_cp_async_3stage(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ __align__(16) float As[3][64][20];
  __shared__ __align__(16) float Bs[3][16][64];
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64, tiles = K / 16;
  auto issue = [&](int tile) {
    if (tile < tiles) {
      const int stage = tile % 3;
      __pipeline_memcpy_async(&As[stage][tid / 4][tid % 4 * 4], A + (m0 + tid / 4) * K + tile * 16 + tid % 4 * 4, 16);
      __pipeline_memcpy_async(&Bs[stage][tid / 16][tid % 16 * 4], B + (tile * 16 + tid / 16) * N + n0 + tid % 16 * 4, 16);
    }
    __pipeline_commit();
  };
  float acc[4][4] = {};
  issue(0);
  issue(1);
  for (int t = 0; t < tiles; ++t) {
    __pipeline_wait_prior(1);
    __syncthreads();
    issue(t + 2);
    const int s = t % 3;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 b = *reinterpret_cast<const float4*>(&Bs[s][k][tx * 4]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float a = As[s][ty * 4 + i][k];
        acc[i][0] += a * b.x, acc[i][1] += a * b.y, acc[i][2] += a * b.z, acc[i][3] += a * b.w;
      }
    }
  }
  for (int i = 0; i < 4; ++i) *reinterpret_cast<float4*>(C + (m0 + ty * 4 + i) * N + n0 + tx * 4) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// Four warps, each a tile of 32 by 64, each thread two by two blocks of four by four
__global__ void __launch_bounds__(128) sgemm_warp_tile_32x64(int M, int N, int K, const float* A, const float* B, float* C) {
  constexpr int BM = 64, BN = 128, BK = 8;
  __shared__ __align__(16) float As[BK * BM];
  __shared__ __align__(16) float Bs[BK * BN];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp / 2 * 32 + lane / 8 * 4, col = warp % 2 * 64 + lane % 8 * 4;
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  float acc[8][8] = {};
  for (int bk = 0; bk < K; bk += BK) {
    const float4 a4 = *reinterpret_cast<const float4*>(A + threadIdx.x / 2 * K + bk + threadIdx.x % 2 * 4);
    const int ka = threadIdx.x % 2 * 4, ma = threadIdx.x / 2;
    As[(ka + 0) * BM + ma] = a4.x;
    As[(ka + 1) * BM + ma] = a4.y;
    As[(ka + 2) * BM + ma] = a4.z;
    As[(ka + 3) * BM + ma] = a4.w;
    for (int r = threadIdx.x / 32; r < BK; r += 4) *reinterpret_cast<float4*>(&Bs[r * BN + lane * 4]) = *reinterpret_cast<const float4*>(B + (bk + r) * N + lane * 4);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float regM[8], regN[8];
#pragma unroll
      for (int sub = 0; sub < 2; ++sub)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          regM[sub * 4 + i] = As[k * BM + row + sub * 16 + i];
          regN[sub * 4 + i] = Bs[k * BN + col + sub * 32 + i];
        }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[i][j] += regM[i] * regN[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int sub = 0; sub < 2; ++sub)
      *reinterpret_cast<float4*>(C + (row + i / 4 * 16 + i % 4) * N + col + sub * 32) = make_float4(acc[i][sub * 4], acc[i][sub * 4 + 1], acc[i][sub * 4 + 2], acc[i][sub * 4 + 3]);
}

// B transposed, both tiles kept by rows in vectors of four with their places turned by the row
__global__ void __launch_bounds__(256) sgemm_swizzled_nt(const float4* __restrict__ A, const float4* __restrict__ B, float* __restrict__ C, int M, int N, int K4) {
  __shared__ float4 As[64][8], Bs[64][8];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int k = 0; k < K4; k += 8) {
#pragma unroll
    for (int i = threadIdx.x; i < 512; i += 256) {
      const int r = i / 8, c = i % 8;
      As[r][c ^ (r & 7)] = A[(m0 + r) * K4 + k + c];
      Bs[r][c ^ (r & 7)] = B[(n0 + r) * K4 + k + c];
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      float4 a[4], b[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[i] = As[ty + 16 * i][c ^ (ty & 7)];
        b[i] = Bs[tx + 16 * i][c ^ (tx & 7)];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] += a[i].x * b[j].x + a[i].y * b[j].y + a[i].z * b[j].z + a[i].w * b[j].w;
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) C[(m0 + ty + 16 * i) * N + n0 + tx + 16 * j] = acc[i][j];
}

// ---- doubles and complex numbers ----

// Doubles in tiles of 64 by 64, four by four a thread
__global__ void dgemm_tile64_4x4(int M, int N, int K, double alpha, const double* __restrict__ A, const double* __restrict__ B, double beta, double* C) {
  __shared__ double sA[16][65];
  __shared__ double sB[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  double acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int i = 0; i < 4; i++) {
      sA[tid % 16][tid / 16 + 16 * i] = A[(m0 + tid / 16 + 16 * i) * K + k0 + tid % 16];
      sB[tid / 64 + 4 * i][tid % 64] = B[(k0 + tid / 64 + 4 * i) * N + n0 + tid % 64];
    }
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 16; k++) {
      double a[4], b[4];
#pragma unroll
      for (int i = 0; i < 4; i++) a[i] = sA[k][ty + 16 * i], b[i] = sB[k][tx + 16 * i];
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      double& c = C[(m0 + ty + 16 * i) * N + n0 + tx + 16 * j];
      c = alpha * acc[i][j] + beta * c;
    }
}

// Doubles on tensor cores: four warps, each four by four products of 8 by 8 by 4
__global__ void __launch_bounds__(128) dgemm_mma_m8n8k4(const double* __restrict__ A, const double* __restrict__ B, double* __restrict__ C, int M, int N, int K) {
  __shared__ double As[64][18];
  __shared__ double Bs[16][66];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, wm = warp / 2 * 32, wn = warp % 2 * 32, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  const int group = lane / 4, quad = lane % 4;
  double acc[4][4][2] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
    for (int i = threadIdx.x; i < 1024; i += 128) {
      As[i / 16][i % 16] = A[(m0 + i / 16) * K + k0 + i % 16];
      Bs[i / 64][i % 64] = B[(k0 + i / 64) * N + n0 + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k += 4) {
      double a[4], b[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[i] = As[wm + i * 8 + group][k + quad];
        b[i] = Bs[k + quad][wn + i * 8 + group];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(acc[i][j][0]), "+d"(acc[i][j][1]) : "d"(a[i]), "d"(b[j]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      *reinterpret_cast<double2*>(C + (m0 + wm + i * 8 + group) * N + n0 + wn + j * 8 + quad * 2) = make_double2(acc[i][j][0], acc[i][j][1]);
}

// Complex doubles, tiles of 16, the first operand transposed and conjugated
__global__ void zgemm_conj_tile16(int M, int N, int K, const double2* A, const double2* B, double2* C) {
  __shared__ double2 tile_a[16][17], tile_b[16][16];
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  double2 sum = make_double2(0.0, 0.0);
  for (int k0 = 0; k0 < K; k0 += 16) {
    tile_a[threadIdx.x][threadIdx.y] = A[(k0 + threadIdx.y) * M + blockIdx.y * 16 + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = B[(k0 + threadIdx.y) * N + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) {
      const double2 a = tile_a[threadIdx.y][k], b = tile_b[k][threadIdx.x];
      sum.x += a.x * b.x + a.y * b.y;
      sum.y += a.x * b.y - a.y * b.x;
    }
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// ---- halves, bf16 and bytes ----

// Packed halves without tensor cores: tiles of 64 by 64 for two warps, eight by eight a thread
__global__ void __launch_bounds__(64) hgemm_hfma2_packed(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ C, int M, int N, int K) {
  __shared__ __align__(16) half s_a[16][64 + 8];
  __shared__ __align__(16) half s_b[16][64];
  const int tx = threadIdx.x % 8, ty = threadIdx.x / 8, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  half2 acc[8][4];
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) acc[i][j] = __float2half2_rn(0.f);
  for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
    for (int part = 0; part < 2; part++) {
      const int4 a = *reinterpret_cast<const int4*>(A + (m0 + threadIdx.x) * K + k0 + part * 8);
      const half* ah = reinterpret_cast<const half*>(&a);
#pragma unroll
      for (int i = 0; i < 8; i++) s_a[part * 8 + i][threadIdx.x] = ah[i];
      const int r = threadIdx.x / 8 + part * 8;
      *reinterpret_cast<int4*>(&s_b[r][tx * 8]) = *reinterpret_cast<const int4*>(B + (k0 + r) * N + n0 + tx * 8);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) {
      const int4 a4 = *reinterpret_cast<const int4*>(&s_a[k][ty * 8]), b4 = *reinterpret_cast<const int4*>(&s_b[k][tx * 8]);
      const half* a = reinterpret_cast<const half*>(&a4);
      const half2* b = reinterpret_cast<const half2*>(&b4);
#pragma unroll
      for (int i = 0; i < 8; i++) {
        const half2 twice = __half2half2(a[i]);
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] = __hfma2(twice, b[j], acc[i][j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) *reinterpret_cast<half2*>(C + (m0 + ty * 8 + i) * N + n0 + tx * 8 + 2 * j) = acc[i][j];
}

// bf16 with the first operand by columns, blocks of 128 by 64, eight warps of two by two fragments
__global__ void __launch_bounds__(256) wmma_bf16_tn_128x64(const bf16* __restrict__ A, const bf16* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ __align__(128) bf16 As[32][128 + 8];
  __shared__ __align__(128) bf16 Bs[32][64 + 8];
  const int warp = threadIdx.x / 32, wm = warp % 4 * 32, wn = warp / 4 * 32, m0 = blockIdx.y * 128, n0 = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::fill_fragment(acc[i][j], 0.f);
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int i = threadIdx.x; i < 512; i += 256) *reinterpret_cast<int4*>(&As[i / 16][i % 16 * 8]) = *reinterpret_cast<const int4*>(A + size_t(k0 + i / 16) * M + m0 + i % 16 * 8);
    *reinterpret_cast<int4*>(&Bs[threadIdx.x / 8][threadIdx.x % 8 * 8]) = *reinterpret_cast<const int4*>(B + size_t(k0 + threadIdx.x / 8) * N + n0 + threadIdx.x % 8 * 8);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::col_major> a[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::row_major> b[2];
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(a[i], &As[k][wm + 16 * i], 128 + 8);
        wmma::load_matrix_sync(b[i], &Bs[k][wn + 16 * i], 64 + 8);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) wmma::store_matrix_sync(C + size_t(m0 + wm + 16 * i) * N + n0 + wn + 16 * j, acc[i][j], N, wmma::mem_row_major);
}

#define LDMATRIX_X4(R0, R1, R2, R3, addr) \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n" : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))
#define LDMATRIX_X4_T(R0, R1, R2, R3, addr) \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n" : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))
#define CP_ASYNC_CG(dst, src) asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\n" ::"r"(dst), "l"(src))
#define CP_ASYNC_COMMIT_GROUP() asm volatile("cp.async.commit_group;\n" ::)
#define CP_ASYNC_WAIT_GROUP(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))

// Halves: 128 by 128 by 32, two stages of cp.async into turned rows, ldmatrix, warps of 64 by 32
__global__ void __launch_bounds__(256) hgemm_ldmatrix_cp_async_128(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ C, int M, int N, int K) {
  __shared__ __align__(128) half s_a[2][128 * 32], s_b[2][128 * 32];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, wm = warp % 2 * 64, wn = warp / 2 * 32, m0 = blockIdx.y * 128, n0 = blockIdx.x * 128;
  const uint32_t a_base = uint32_t(__cvta_generic_to_shared(s_a)), b_base = uint32_t(__cvta_generic_to_shared(s_b));
  auto place = [](int row, int chunk) { return uint32_t(row * 64 + ((chunk ^ (row >> 1 & 3)) << 4)); };
  auto load = [&](int tile) {
    const uint32_t stage = tile % 2 * 8192;
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const int row = tid / 4 + 64 * i, chunk = tid % 4;
      CP_ASYNC_CG(a_base + stage + place(row, chunk), A + size_t(m0 + row) * K + tile * 32 + chunk * 8);
      CP_ASYNC_CG(b_base + stage + place(row, chunk), B + size_t(n0 + row) * K + tile * 32 + chunk * 8);
    }
    CP_ASYNC_COMMIT_GROUP();
  };
  float acc[4][4][4] = {};
  load(0);
  for (int tile = 0; tile < K / 32; ++tile) {
    if (tile + 1 < K / 32) {
      load(tile + 1);
      CP_ASYNC_WAIT_GROUP(1);
    } else {
      CP_ASYNC_WAIT_GROUP(0);
    }
    __syncthreads();
    const uint32_t stage = tile % 2 * 8192;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      uint32_t ra[4][4], rb[4][2];
#pragma unroll
      for (int i = 0; i < 4; ++i) LDMATRIX_X4(ra[i][0], ra[i][1], ra[i][2], ra[i][3], a_base + stage + place(wm + i * 16 + lane % 16, k * 2 + lane / 16));
#pragma unroll
      for (int j = 0; j < 4; j += 2) LDMATRIX_X4(rb[j][0], rb[j][1], rb[j + 1][0], rb[j + 1][1], b_base + stage + place(wn + j * 8 + lane % 8 + lane / 16 * 8, k * 2 + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                       : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                       : "r"(ra[i][0]), "r"(ra[i][1]), "r"(ra[i][2]), "r"(ra[i][3]), "r"(rb[j][0]), "r"(rb[j][1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      half* c = C + size_t(m0 + wm + i * 16 + lane / 4) * N + n0 + wn + j * 8 + lane % 4 * 2;
      *reinterpret_cast<half2*>(c) = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<half2*>(c + 8 * N) = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}

// bf16 by rows, padded tiles, the second operand through transposing ldmatrix
__global__ void __launch_bounds__(128) bf16_mma_ldmatrix_trans_64(const bf16* __restrict__ A, const bf16* __restrict__ B, bf16* __restrict__ C, int M, int N, int K) {
  __shared__ __align__(16) bf16 s_a[64][32 + 8];
  __shared__ __align__(16) bf16 s_b[32][64 + 8];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, wm = warp / 2 * 32, wn = warp % 2 * 32, m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
  float acc[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int at = tid + 128 * i;
      *reinterpret_cast<int4*>(&s_a[at / 4][at % 4 * 8]) = *reinterpret_cast<const int4*>(A + (m0 + at / 4) * K + k0 + at % 4 * 8);
      *reinterpret_cast<int4*>(&s_b[at / 8][at % 8 * 8]) = *reinterpret_cast<const int4*>(B + (k0 + at / 8) * N + n0 + at % 8 * 8);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
      uint32_t ra[2][4], rb[4][2];
      for (int i = 0; i < 2; ++i) {
        const uint32_t from = uint32_t(__cvta_generic_to_shared(&s_a[wm + i * 16 + lane % 16][k + lane / 16 * 8]));
        LDMATRIX_X4(ra[i][0], ra[i][1], ra[i][2], ra[i][3], from);
      }
      for (int j = 0; j < 4; j += 2) {
        const uint32_t from = uint32_t(__cvta_generic_to_shared(&s_b[k + lane % 16][wn + j * 8 + lane / 16 * 8]));
        LDMATRIX_X4_T(rb[j][0], rb[j][1], rb[j + 1][0], rb[j + 1][1], from);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                       : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                       : "r"(ra[i][0]), "r"(ra[i][1]), "r"(ra[i][2]), "r"(ra[i][3]), "r"(rb[j][0]), "r"(rb[j][1]));
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      bf16* c = C + (m0 + wm + i * 16 + lane / 4) * N + n0 + wn + j * 8 + lane % 4 * 2;
      *reinterpret_cast<__nv_bfloat162*>(c) = __floats2bfloat162_rn(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<__nv_bfloat162*>(c + 8 * N) = __floats2bfloat162_rn(acc[i][j][2], acc[i][j][3]);
    }
}

// Bytes on tensor cores, fragments by plain loads of words from padded rows
__global__ void __launch_bounds__(128) igemm_mma_m16n8k32(const int8_t* __restrict__ A, const int8_t* __restrict__ B, int* __restrict__ C, int M, int N, int K) {
  __shared__ __align__(16) int s_a[64][20], s_b[64][20];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, wm = warp / 2 * 32, wn = warp % 2 * 32, g = lane / 4, t = lane % 4;
  A += size_t(blockIdx.y) * 64 * K;
  B += size_t(blockIdx.x) * 64 * K;
  int acc[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 64) {
    for (int i = tid; i < 256; i += 128) {
      *reinterpret_cast<int4*>(&s_a[i / 4][i % 4 * 4]) = *reinterpret_cast<const int4*>(A + i / 4 * K + k0 + i % 4 * 16);
      *reinterpret_cast<int4*>(&s_b[i / 4][i % 4 * 4]) = *reinterpret_cast<const int4*>(B + i / 4 * K + k0 + i % 4 * 16);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k += 8) {
      int a[2][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        a[i][0] = s_a[wm + i * 16 + g][k + t];
        a[i][1] = s_a[wm + i * 16 + g + 8][k + t];
        a[i][2] = s_a[wm + i * 16 + g][k + t + 4];
        a[i][3] = s_a[wm + i * 16 + g + 8][k + t + 4];
      }
#pragma unroll
      for (int j = 0; j < 4; j++) {
        b[j][0] = s_b[wn + j * 8 + g][k + t];
        b[j][1] = s_b[wn + j * 8 + g][k + t + 4];
      }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
          asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                       : "+r"(acc[i][j][0]), "+r"(acc[i][j][1]), "+r"(acc[i][j][2]), "+r"(acc[i][j][3])
                       : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j][0]), "r"(b[j][1]));
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++) {
      int* c = C + (blockIdx.y * 64 + wm + i * 16 + g) * N + blockIdx.x * 64 + wn + j * 8 + t * 2;
      *reinterpret_cast<int2*>(c) = make_int2(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<int2*>(c + 8 * N) = make_int2(acc[i][j][2], acc[i][j][3]);
    }
}

// Bytes four at a time by dp4a, a thread an element
__global__ void igemm_dp4a_packed_naive(const int* A, const int* B, int* C, int M, int N, int K4) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  int sum = 0;
  for (int k = 0; k < K4; k++) sum = __dp4a(A[row * K4 + k], B[k * N + col], sum);
  C[row * N + col] = sum;
}

// ---- split K and batches ----

// A slice of the inner dimension a block of z, results to a workspace of slices
__global__ void sgemm_splitk_workspace(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ workspace, int M, int N, int K, int k_per_slice) {
  __shared__ float As[32][33], Bs[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y, m0 = blockIdx.y * 32, n0 = blockIdx.x * 32;
  const int begin = blockIdx.z * k_per_slice, end = min(K, begin + k_per_slice);
  float c00 = 0.f, c01 = 0.f, c10 = 0.f, c11 = 0.f;
  for (int k0 = begin; k0 < end; k0 += 32) {
    for (int y = ty; y < 32; y += 16)
      for (int x = tx; x < 32; x += 16) {
        As[y][x] = m0 + y < M && k0 + x < end ? A[(m0 + y) * K + k0 + x] : 0.f;
        Bs[y][x] = k0 + y < end && n0 + x < N ? B[(k0 + y) * N + n0 + x] : 0.f;
      }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k++) {
      const float a0 = As[ty][k], a1 = As[ty + 16][k], b0 = Bs[k][tx], b1 = Bs[k][tx + 16];
      c00 += a0 * b0, c01 += a0 * b1, c10 += a1 * b0, c11 += a1 * b1;
    }
    __syncthreads();
  }
  float* out = workspace + size_t(blockIdx.z) * M * N;
  const int r0 = m0 + ty, r1 = r0 + 16, q0 = n0 + tx, q1 = q0 + 16;
  if (r0 < M && q0 < N) out[r0 * N + q0] = c00;
  if (r0 < M && q1 < N) out[r0 * N + q1] = c01;
  if (r1 < M && q0 < N) out[r1 * N + q0] = c10;
  if (r1 < M && q1 < N) out[r1 * N + q1] = c11;
}

// The slices added up, bias and relu, to halves
__global__ void splitk_reduce_bias_relu(const float* __restrict__ workspace, const float* __restrict__ bias, half* __restrict__ out, int M, int N, int slices) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= M * N) return;
  float sum = bias[i % N];
  for (int s = 0; s < slices; s++) sum += workspace[size_t(s) * M * N + i];
  out[i] = __float2half(fmaxf(sum, 0.f));
}

// Many products of N by N, a thread an element, several matrices a block
template <int N>
__global__ void batched_gemm_small_square(const float* const* dA_array, const float* const* dB_array, float** dC_array, float alpha, float beta, int batchCount) {
  extern __shared__ float zdata[];
  const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  const int batchid = blockIdx.x * blockDim.z + tz;
  if (batchid >= batchCount) return;
  float* sA = zdata + tz * 2 * N * N;
  float* sB = sA + N * N;
  float* dC = dC_array[batchid];
  const float rC = beta * dC[ty * N + tx];
  sA[ty * N + tx] = dA_array[batchid][ty * N + tx];
  sB[ty * N + tx] = dB_array[batchid][ty * N + tx];
  __syncthreads();
  float rTmp = 0.f;
#pragma unroll
  for (int j = 0; j < N; j++) rTmp += sA[j * N + tx] * sB[ty * N + j];
  dC[ty * N + tx] = alpha * rTmp + rC;
}

// ---- matrix times vector ----

// Columns of doubles, a thread a row, the vector in shared memory piece by piece
__global__ void dgemv_n_columns(int m, int n, double alpha, const double* __restrict__ A, int lda, const double* __restrict__ x, double* __restrict__ y) {
  __shared__ double buff[64];
  const int ind = blockIdx.x * 64 + threadIdx.x;
  double res = 0.0;
  for (int i = 0; i < n; i += 64) {
    const int piece = min(64, n - i);
    __syncthreads();
    if (int(threadIdx.x) < piece) buff[threadIdx.x] = x[i + threadIdx.x];
    __syncthreads();
    if (ind < m) {
#pragma unroll 8
      for (int j = 0; j < piece; j++) res += A[ind + size_t(i + j) * lda] * buff[j];
    }
  }
  if (ind < m) y[ind] = alpha * res;
}

// The transposed matrix: a block a column, a tree in shared memory
__global__ void sgemv_t_block_column(int m, const float* __restrict__ A, int lda, const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float sdata[128];
  const float* column = A + size_t(blockIdx.x) * lda;
  float res = 0.f;
  for (int i = threadIdx.x; i < m; i += 128) res += column[i] * x[i];
  sdata[threadIdx.x] = res;
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (int(threadIdx.x) < s) sdata[threadIdx.x] += sdata[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = sdata[0];
}

// bf16: four rows a warp share each vector of eight
__global__ void gemv_bf16_four_rows_warp(const bf16* __restrict__ W, const bf16* __restrict__ x, bf16* __restrict__ y, int rows, int cols) {
  const int lane = threadIdx.x, row = (blockIdx.x * blockDim.y + threadIdx.y) * 4;
  if (row >= rows) return;
  float sum[4] = {0.f, 0.f, 0.f, 0.f};
  for (int c = lane * 8; c < cols; c += 256) {
    const uint4 xv = *reinterpret_cast<const uint4*>(x + c);
    const __nv_bfloat162* x2 = reinterpret_cast<const __nv_bfloat162*>(&xv);
#pragma unroll
    for (int r = 0; r < 4; r++) {
      const uint4 wv = __ldg(reinterpret_cast<const uint4*>(W + size_t(row + r) * cols + c));
      const __nv_bfloat162* w2 = reinterpret_cast<const __nv_bfloat162*>(&wv);
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const float2 a = __bfloat1622float2(w2[i]), b = __bfloat1622float2(x2[i]);
        sum[r] += a.x * b.x + a.y * b.y;
      }
    }
  }
#pragma unroll
  for (int r = 0; r < 4; r++)
    for (int mask = 16; mask > 0; mask >>= 1) sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], mask);
  if (lane < 4) y[row + lane] = __float2bfloat16(lane == 0 ? sum[0] : lane == 1 ? sum[1] : lane == 2 ? sum[2] : sum[3]);
}

// ---- symmetric, triangular, sparse, outer ----

// The upper triangle of A times its transpose: a flat grid of the blocks on and above the diagonal
__global__ void __launch_bounds__(256) ssyrk_upper_blocks(int n, int k, float alpha, const float* __restrict__ A, float beta, float* __restrict__ C) {
  __shared__ float left[16][64 + 1], right[16][64 + 1];
  int bj = int((sqrtf(8.f * blockIdx.x + 1.f) - 1.f) * 0.5f);
  while ((bj + 1) * (bj + 2) / 2 <= int(blockIdx.x)) bj++;
  while (bj * (bj + 1) / 2 > int(blockIdx.x)) bj--;
  const int bi = int(blockIdx.x) - bj * (bj + 1) / 2;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = 0; i < 64; i += 16) {
      left[tx][ty + i] = A[(bi * 64 + ty + i) * k + k0 + tx];
      right[tx][ty + i] = A[(bj * 64 + ty + i) * k + k0 + tx];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 16; kk++)
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] += left[kk][ty * 4 + i] * right[kk][tx + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      const int row = bi * 64 + ty * 4 + i, col = bj * 64 + tx + 16 * j;
      if (row <= col) C[row * n + col] = alpha * acc[i][j] + beta * C[row * n + col];
    }
}

// A lower triangle times a matrix in doubles, tiles above the diagonal skipped
__global__ void dtrmm_left_lower(int m, int n, double alpha, const double* __restrict__ L, const double* __restrict__ B, double* __restrict__ C) {
  __shared__ double l[32][33], b[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, row0 = (gridDim.y - 1 - blockIdx.y) * 32, col = blockIdx.x * 32 + tx;
  double acc[4] = {0, 0, 0, 0};
  for (int k0 = 0; k0 <= row0; k0 += 32) {
    for (int i = ty; i < 32; i += 8) {
      l[i][tx] = row0 + i < m && k0 + tx <= row0 + i ? L[(row0 + i) * m + k0 + tx] : 0.0;
      b[i][tx] = k0 + i < m && col < n ? B[(k0 + i) * n + col] : 0.0;
    }
    __syncthreads();
    for (int k = 0; k < 32; k++) {
      const double x = b[k][tx];
      for (int i = 0; i < 4; i++) acc[i] += l[ty + 8 * i][k] * x;
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    if (row0 + ty + 8 * i < m && col < n) C[(row0 + ty + 8 * i) * n + col] = alpha * acc[i];
}

// Sparse rows times a dense matrix: a warp takes 32 entries at a time and passes them round, a lane a column
__global__ void csrmm_rowsplit_shuffle(int A_nrows, int B_ncols, const int* __restrict__ A_csrRowPtr, const int* __restrict__ A_csrColInd, const float* __restrict__ A_csrVal,
                                       const float* __restrict__ B_denseVal, float* C_denseVal) {
  const int thread_id = blockDim.x * blockIdx.x + threadIdx.x, lane_id = thread_id & 31, row = thread_id >> 5;
  const float* B_offset = B_denseVal + lane_id + (blockIdx.y << 5);
  if (row >= A_nrows) return;
  const int row_start = __ldg(A_csrRowPtr + row), row_end = __ldg(A_csrRowPtr + row + 1);
  float sum = 0.f;
  for (int jj = row_start + lane_id; jj - lane_id < row_end; jj += 32) {
    int col = 0;
    float val = 0.f;
    if (jj < row_end) {
      col = A_csrColInd[jj] * B_ncols;
      val = A_csrVal[jj];
    }
    const int many = min(32, row_end - (jj - lane_id));
    for (int ii = 0; ii < many; ii++) {
      const int new_col = __shfl_sync(0xffffffffu, col, ii);
      const float new_val = __shfl_sync(0xffffffffu, val, ii);
      sum += new_val * __ldg(B_offset + new_col);
    }
  }
  C_denseVal[row * B_ncols + lane_id + (blockIdx.y << 5)] = sum;
}

// Rank one update, four columns a thread
__global__ void sger_rank_one(int m, int n, float alpha, const float* __restrict__ x, const float* __restrict__ y, float* A) {
  const int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  const float ax = alpha * x[row];
  const float4 y4 = *reinterpret_cast<const float4*>(y + col);
  float4* to = reinterpret_cast<float4*>(A + size_t(row) * n + col);
  float4 a = *to;
  a.x += ax * y4.x;
  a.y += ax * y4.y;
  a.z += ax * y4.z;
  a.w += ax * y4.w;
  *to = a;
}

// ---- convolution ----

// Three by three convolution of NCHW as a product whose second operand is gathered on the way to shared memory
__global__ void __launch_bounds__(256) conv3x3_implicit_gemm_nchw(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out, int N, int C, int H, int W, int OC) {
  __shared__ float s_w[16][64 + 1], s_in[16][64];
  const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16, K = C * 9, HW = H * W;
  const int pixel = blockIdx.x * 64 + tid % 64, image = pixel / HW, oh = pixel % HW / W, ow = pixel % W, oc0 = blockIdx.y * 64;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      s_w[tx][ty + 16 * i] = weight[(oc0 + ty + 16 * i) * K + k0 + tx];
      const int k = k0 + tid / 64 + 4 * i, c = k / 9, r = k % 9 / 3, s = k % 3;
      const int ih = oh + r - 1, iw = ow + s - 1;
      s_in[tid / 64 + 4 * i][tid % 64] = pixel < N * HW && ih >= 0 && ih < H && iw >= 0 && iw < W ? in[(image * C + c) * HW + ih * W + iw] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) {
      float a[4], b[4];
#pragma unroll
      for (int i = 0; i < 4; i++) a[i] = s_w[k][ty + 16 * i], b[i] = s_in[k][tx + 16 * i];
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; j++) {
    const int p = blockIdx.x * 64 + tx + 16 * j;
    if (p >= N * HW) continue;
    for (int i = 0; i < 4; i++) out[(p / HW * OC + oc0 + ty + 16 * i) * HW + p % HW] = acc[i][j];
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* f = on_device<float>(13 * M, [](uint32_t i) { return 2.f * fraction(i) - 1.f; });
  const double* d = on_device<double>(6 * M, [](uint32_t i) { return 2.0 * fraction(i) - 1.0; });
  const half* h = on_device<half>(8 * M, [](uint32_t i) { return __float2half(fraction(i) - 0.5f); });
  const bf16* b = on_device<bf16>(17 * M, [](uint32_t i) { return __float2bfloat16(fraction(i) - 0.5f); });
  const int* bytes = on_device<int>(M, [](uint32_t i) { return int(hashed(i)); });
  float* o = zeros<float>(8 * M);
  int* oi = zeros<int>(2 * M);
  double* od = zeros<double>(2 * M);

  run("sgemm_nt_naive", [&] { sgemm_nt_naive<<<dim3(12, 12), dim3(32, 32)>>>(384, 384, 384, 1.f, f, f + M, 0.f, o); });
  run("sgemm_shared_mem_block", [&] { sgemm_shared_mem_block<32><<<dim3(16, 16), 1024>>>(512, 512, 512, 1.f, f, f + M, 0.5f, o); });
  run("gemm_tile16_edges", [&] { gemm_tile16_edges<<<dim3(CEIL_DIV(333, 16), CEIL_DIV(500, 16)), dim3(16, 16)>>>(o, f, f + M, 500, 401, 333); });
  run("sgemm_2d_blocktile_1024", [&] { sgemm_2d_blocktile<128, 128, 8, 8, 8><<<dim3(8, 8), 256>>>(1024, 1024, 256, 1.f, f, f + M, 0.5f, o); });
  run("sgemm_2d_blocktile_640", [&] { sgemm_2d_blocktile<64, 64, 8, 8, 8><<<dim3(10, 12), 64>>>(768, 640, 384, 1.f, f, f + M, 0.5f, o); });
  run("sgemm_register_prefetch", [&] { sgemm_register_prefetch<<<dim3(768 / 64, 1024 / 128), 256>>>(1024, 768, 256, f, f + M, o); });
  run("sgemm_cp_async_3stage", [&] { sgemm_cp_async_3stage<<<dim3(8, 8), 256>>>(f, f + M, o, 512, 512, 512); });
  run("sgemm_warp_tile_32x64", [&] { sgemm_warp_tile_32x64<<<dim3(1024 / 128, 768 / 64), 128>>>(768, 1024, 256, f, f + M, o); });
  run("sgemm_swizzled_nt", [&] { sgemm_swizzled_nt<<<dim3(768 / 64, 512 / 64), 256>>>((const float4*)f, (const float4*)(f + M), o, 512, 768, 384 / 4); });

  run("dgemm_tile64_4x4", [&] { dgemm_tile64_4x4<<<dim3(8, 8), dim3(16, 16)>>>(512, 512, 256, 1.0, d, d + M, 0.5, od); });
  run("dgemm_mma_m8n8k4", [&] { dgemm_mma_m8n8k4<<<dim3(12, 8), 128>>>(d, d + M, od, 512, 768, 512); });
  run("zgemm_conj_tile16", [&] { zgemm_conj_tile16<<<dim3(16, 16), dim3(16, 16)>>>(256, 256, 256, (const double2*)d, (const double2*)(d + M), (double2*)od); });

  run("hgemm_hfma2_packed", [&] { hgemm_hfma2_packed<<<dim3(12, 12), 64>>>(h, h + M, (half*)oi, 768, 768, 512); });
  run("wmma_bf16_tn_128x64", [&] { wmma_bf16_tn_128x64<<<dim3(1024 / 64, 1536 / 128), 256>>>(b, b + 2 * M, o, 1536, 1024, 768); });
  run("hgemm_ldmatrix_cp_async_128", [&] { hgemm_ldmatrix_cp_async_128<<<dim3(12, 12), 256>>>(h, h + 4 * M, (half*)oi, 1536, 1536, 1536); });
  run("bf16_mma_ldmatrix_trans_64", [&] { bf16_mma_ldmatrix_trans_64<<<dim3(512 / 64, 1024 / 64), 128>>>(b, b + 2 * M, (bf16*)oi, 1024, 512, 1024); });
  run("igemm_mma_m16n8k32", [&] { igemm_mma_m16n8k32<<<dim3(16, 16), 128>>>((const int8_t*)bytes, (const int8_t*)(bytes + M / 2), oi, 1024, 1024, 512); });
  run("igemm_dp4a_packed_naive", [&] { igemm_dp4a_packed_naive<<<dim3(CEIL_DIV(600, 32), 64), dim3(32, 8)>>>(bytes, bytes + M / 2, oi, 512, 600, 128); });

  float* workspace = zeros<float>(16 * 250 * 190);
  run("sgemm_splitk_workspace", [&] { sgemm_splitk_workspace<<<dim3(CEIL_DIV(190, 32), CEIL_DIV(250, 32), 16), dim3(16, 16)>>>(f, f + M, workspace, 250, 190, 2000, 125); });
  run("splitk_reduce_bias_relu", [&] { splitk_reduce_bias_relu<<<CEIL_DIV(250 * 190, 256), 256>>>(workspace, f, (half*)oi, 250, 190, 16); });
  constexpr int batch = 20001;
  std::vector<const float*> pa(batch), pb(batch);
  std::vector<float*> pc(batch);
  for (int i = 0; i < batch; ++i) pa[i] = f + 100 * i, pb[i] = f + 4 * M + 100 * i, pc[i] = o + 100 * i;
  const float* const* pa_d = on_device(pa);
  const float* const* pb_d = on_device(pb);
  float** pc_d = on_device(pc);
  run("batched_gemm_small_square", [&] { batched_gemm_small_square<10><<<CEIL_DIV(batch, 3), dim3(10, 10, 3), 3 * 200 * sizeof(float)>>>(pa_d, pb_d, pc_d, 1.f, 0.5f, batch); });

  run("dgemv_n_columns", [&] { dgemv_n_columns<<<CEIL_DIV(6000, 64), 64>>>(6000, 1000, 1.0, d, 6016, d + 6 * M - 1024, od); });
  run("sgemv_t_block_column", [&] { sgemv_t_block_column<<<1536, 128>>>(8000, f, 8192, f + M + 3, o); });
  run("gemv_bf16_four_rows_warp", [&] { gemv_bf16_four_rows_warp<<<4096 / 16, dim3(32, 4)>>>(b, b + 16 * M, (bf16*)oi, 4096, 4096); });

  run("ssyrk_upper_blocks", [&] { ssyrk_upper_blocks<<<16 * 17 / 2, 256>>>(1024, 128, 1.f, f, 0.5f, o); });
  run("dtrmm_left_lower", [&] { dtrmm_left_lower<<<dim3(CEIL_DIV(390, 32), CEIL_DIV(500, 32)), dim3(32, 8)>>>(500, 390, 1.0, d, d + M, od); });
  constexpr int rows = 20000;
  std::vector<int> row_ptr(1, 0), col_ind;
  for (int r = 0; r < rows; ++r) {
    const int many = hashed(r) % 211 == 0 ? 500 : 1 + int(25.f * fraction(r * 5 + 2) * fraction(r * 5 + 3));
    for (int k = 0; k < many; ++k) col_ind.push_back(int(hashed(r * 512 + k) % rows));
    std::sort(col_ind.begin() + row_ptr.back(), col_ind.end());
    row_ptr.push_back(int(col_ind.size()));
  }
  const int *row_ptr_d = on_device(row_ptr), *col_ind_d = on_device(col_ind);
  run("csrmm_rowsplit_shuffle", [&] { csrmm_rowsplit_shuffle<<<dim3(rows / 4, 2), 128>>>(rows, 64, row_ptr_d, col_ind_d, f, f + M, o); });
  run("sger_rank_one", [&] { sger_rank_one<<<dim3(1536 / 4 / 32, 2048 / 8), dim3(32, 8)>>>(2048, 1536, 0.5f, f, f + M, o); });

  run("conv3x3_implicit_gemm_nchw", [&] { conv3x3_implicit_gemm_nchw<<<dim3(CEIL_DIV(9 * 27 * 27, 64), 1), 256>>>(f, f + M, o, 9, 32, 27, 27, 64); });
}
