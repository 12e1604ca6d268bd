// Linear algebra and inference: products of odd shapes, batches of small factorizations, transposes, sums, tensor cores,
// quantized weights, one token's attention, choices among many, convolutions and what stands around them.
#include <cuda_fp16.h>
#include <mma.h>

#include "cases.h"

using namespace nvcuda;

#define OFFSET(row, col, ld) ((row) * (ld) + (col))
#define FLOAT4(pointer) (reinterpret_cast<float4*>(&(pointer))[0])
#define CFLOAT4(pointer) (reinterpret_cast<const float4*>(&(pointer))[0])

template <typename T>
__device__ __forceinline__ T warp_reduce_sum(T v) {
#pragma unroll
  for (int mask = 16; mask >= 1; mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, mask);
  return v;
}
__device__ __forceinline__ float warp_reduce_max(float v) {
#pragma unroll
  for (int mask = 16; mask >= 1; mask >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, mask));
  return v;
}

// ---- products ----

// Tiles with checks of every border: any M, N and K, alpha and beta, TM by TN a thread.
template <int BM, int BN, int BK, int TM, int TN, typename T>
__global__ void gemm_any_shape(int M, int N, int K, T alpha, const T* __restrict__ A, const T* __restrict__ B, T beta, T* __restrict__ C) {
  __shared__ T As[BK][BM + 1];
  __shared__ T Bs[BK][BN];
  constexpr int THREADS = (BM / TM) * (BN / TN);
  const int tid = threadIdx.x, tr = tid / (BN / TN), tc = tid % (BN / TN);
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  T acc[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = tid; i < BM * BK; i += THREADS) {
      const int r = i / BK, c = i % BK;
      As[c][r] = row0 + r < M && k0 + c < K ? A[OFFSET(row0 + r, k0 + c, K)] : T(0);
    }
    for (int i = tid; i < BK * BN; i += THREADS) {
      const int r = i / BN, c = i % BN;
      Bs[r][c] = k0 + r < K && col0 + c < N ? B[OFFSET(k0 + r, col0 + c, N)] : T(0);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      T a[TM], b[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = As[k][tr + i * (BM / TM)];
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = Bs[k][tc + j * (BN / TN)];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) {
      const int r = row0 + tr + i * (BM / TM), c = col0 + tc + j * (BN / TN);
      if (r < M && c < N) C[OFFSET(r, c, N)] = alpha * acc[i][j] + beta * C[OFFSET(r, c, N)];
    }
}

// Many products of 24 by 24: a block a batch entry, pointers in arrays.
__global__ void batched_gemm_24(const double* const* __restrict__ A, const double* const* __restrict__ B, double* const* __restrict__ C) {
  __shared__ double a[24][25], b[24][25];
  const double *pa = A[blockIdx.x], *pb = B[blockIdx.x];
  double* pc = C[blockIdx.x];
  for (int i = threadIdx.x; i < 576; i += blockDim.x) a[i / 24][i % 24] = pa[i], b[i / 24][i % 24] = pb[i];
  __syncthreads();
  const int r = threadIdx.x / 12 * 2, c = threadIdx.x % 12 * 2;
  double s00 = 0, s01 = 0, s10 = 0, s11 = 0;
#pragma unroll 8
  for (int k = 0; k < 24; ++k) {
    s00 += a[r][k] * b[k][c], s01 += a[r][k] * b[k][c + 1];
    s10 += a[r + 1][k] * b[k][c], s11 += a[r + 1][k] * b[k][c + 1];
  }
  pc[r * 24 + c] = s00, pc[r * 24 + c + 1] = s01, pc[(r + 1) * 24 + c] = s10, pc[(r + 1) * 24 + c + 1] = s11;
}

// A transposed matrix by a vector: columns over threads, rows over blocks, partial sums by atomics.
template <int ROWS>
__global__ void gemv_transposed_split(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y, int m, int n) {
  __shared__ float xs[ROWS];
  const int col = blockIdx.x * blockDim.x + threadIdx.x, r0 = blockIdx.y * ROWS, rows = min(ROWS, m - r0);
  for (int i = threadIdx.x; i < rows; i += blockDim.x) xs[i] = x[r0 + i];
  __syncthreads();
  if (col >= n) return;
  float sum = 0;
  for (int i = 0; i < rows; ++i) sum += A[(size_t)(r0 + i) * n + col] * xs[i];
  atomicAdd(&y[col], sum);
}

// Fragments from shared memory, sums in half precision: four warps of 32 by 16 of a block's 64 by 32.
__global__ __launch_bounds__(128) void wmma_half_sums_64x32(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ C, int M, int N, int K) {
  __shared__ __align__(32) half sa[64][40];
  __shared__ __align__(32) half sb[32][40];
  const int t = threadIdx.x, warp = t / 32, wr = warp / 2 * 32, wc = warp % 2 * 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> acc[2];
  wmma::fill_fragment(acc[0], __float2half(0.f));
  wmma::fill_fragment(acc[1], __float2half(0.f));
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int i = t; i < 64 * 4; i += 128) FLOAT4(sa[i / 4][i % 4 * 8]) = CFLOAT4(A[OFFSET(row0 + i / 4, k0 + i % 4 * 8, K)]);
    for (int i = t; i < 32 * 4; i += 128) FLOAT4(sb[i / 4][i % 4 * 8]) = CFLOAT4(B[OFFSET(k0 + i / 4, col0 + i % 4 * 8, N)]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
      wmma::load_matrix_sync(fb, &sb[k][wc], 40);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(fa[i], &sa[wr + 16 * i][k], 40);
        wmma::mma_sync(acc[i], fa[i], fb, acc[i]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) wmma::store_matrix_sync(&C[OFFSET(row0 + wr + 16 * i, col0 + wc, N)], acc[i], N, wmma::mem_row_major);
}

#define LDMATRIX_X4(R0, R1, R2, R3, addr) asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n" \
                                                       : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3)                             \
                                                       : "r"(addr))
#define LDMATRIX_X2_T(R0, R1, addr) asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];\n" \
                                                 : "=r"(R0), "=r"(R1)                                               \
                                                 : "r"(addr))
#define HMMA16816(RD, RA, RB) asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n" \
                                           : "+f"(RD[0]), "+f"(RD[1]), "+f"(RD[2]), "+f"(RD[3])                                                                  \
                                           : "r"(RA[0]), "r"(RA[1]), "r"(RA[2]), "r"(RA[3]), "r"(RB[0]), "r"(RB[1]))
// The tensor cores' own instruction: 128 by 128 a block, eight warps of 64 by 32.
__global__ void __launch_bounds__(256) hgemm_mma_m16n8k16(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ C, int M, int N, int K) {
  __shared__ __align__(16) half s_a[128][24];
  __shared__ __align__(16) half s_b[16][136];
  const int tid = threadIdx.x, warp_id = tid / 32, lane_id = tid % 32, warp_m = warp_id % 2, warp_n = warp_id / 2;
  const int by = blockIdx.y, bx = blockIdx.x;
  float RC[4][4][4] = {};
  for (int k = 0; k < K; k += 16) {
    FLOAT4(s_a[tid / 2][tid % 2 * 8]) = CFLOAT4(A[OFFSET(by * 128 + tid / 2, k + tid % 2 * 8, K)]);
    FLOAT4(s_b[tid / 16][tid % 16 * 8]) = CFLOAT4(B[OFFSET(k + tid / 16, bx * 128 + tid % 16 * 8, N)]);
    __syncthreads();
    uint32_t RA[4][4], RB[4][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint32_t at = __cvta_generic_to_shared(&s_a[warp_m * 64 + i * 16 + lane_id % 16][lane_id / 16 * 8]);
      LDMATRIX_X4(RA[i][0], RA[i][1], RA[i][2], RA[i][3], at);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const uint32_t at = __cvta_generic_to_shared(&s_b[lane_id % 16][warp_n * 32 + j * 8]);
      LDMATRIX_X2_T(RB[j][0], RB[j][1], at);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) HMMA16816(RC[i][j], RA[i], RB[j]);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int r = by * 128 + warp_m * 64 + i * 16 + lane_id / 4, c = bx * 128 + warp_n * 32 + j * 8 + lane_id % 4 * 2;
      *reinterpret_cast<half2*>(&C[OFFSET(r, c, N)]) = __floats2half2_rn(RC[i][j][0], RC[i][j][1]);
      *reinterpret_cast<half2*>(&C[OFFSET(r + 8, c, N)]) = __floats2half2_rn(RC[i][j][2], RC[i][j][3]);
    }
}

// ---- small systems in batches ----

// Triangular systems of 64: a warp a system, two unknowns a lane, the solved one handed round by shuffles.
__global__ void trsv_warp_64(const float* __restrict__ L, float* __restrict__ x, int batch) {
  const int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (s >= batch) return;
  const float* l = L + (size_t)s * 4096;
  float x0 = x[s * 64 + lane], x1 = x[s * 64 + 32 + lane];
  for (int j = 0; j < 64; ++j) {
    const float d = l[j * 64 + j] + 4.f;
    const float v = __shfl_sync(0xffffffff, j < 32 ? x0 : x1, j & 31) / d;
    if (lane == (j & 31)) (j < 32 ? x0 : x1) = v;
    if (lane > j) x0 -= l[j * 64 + lane] * v;
    if (lane + 32 > j) x1 -= l[j * 64 + 32 + lane] * v;
  }
  x[s * 64 + lane] = x0, x[s * 64 + 32 + lane] = x1;
}

// Cholesky of matrices of any small order in shared memory, right-looking, a block a matrix.
template <typename T>
__global__ void potrf_batched(T* __restrict__ matrices, int n, int* __restrict__ info) {
  extern __shared__ unsigned char raw[];
  T* a = reinterpret_cast<T*>(raw);
  const int ld = n | 1, t = threadIdx.x;
  T* m = matrices + (size_t)blockIdx.x * n * n;
  for (int i = t; i < n * n; i += blockDim.x) a[i / n * ld + i % n] = m[i] + (i / n == i % n ? T(n) : T(0));
  __syncthreads();
  int failed = 0;
  for (int k = 0; k < n; ++k) {
    const T pivot = a[k * ld + k];
    if (!(pivot > T(0))) failed = k + 1;
    const T r = T(1) / sqrt(fabs(pivot));
    __syncthreads();
    for (int i = k + t; i < n; i += blockDim.x) a[i * ld + k] *= r;
    __syncthreads();
    const int rest = n - k - 1;
    for (int e = t; e < rest * rest; e += blockDim.x) {
      const int i = k + 1 + e / rest, j = k + 1 + e % rest;
      if (j <= i) a[i * ld + j] -= a[i * ld + k] * a[j * ld + k];
    }
    __syncthreads();
  }
  for (int i = t; i < n * n; i += blockDim.x) m[i] = i % n <= i / n ? a[i / n * ld + i % n] : T(0);
  if (t == 0) info[blockIdx.x] = failed;
}

// QR of 8 by 8 by rotations, a matrix a thread, entries of a batch side by side.
__global__ __launch_bounds__(64) void qr_givens_8(const float* __restrict__ A, float* __restrict__ R, int batch) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= batch) return;
  float a[8][8];
#pragma unroll
  for (int i = 0; i < 64; ++i) a[i / 8][i % 8] = A[i * batch + b];
#pragma unroll
  for (int c = 0; c < 7; ++c)
#pragma unroll
    for (int r = c + 1; r < 8; ++r) {
      const float inv = rsqrtf(a[c][c] * a[c][c] + a[r][c] * a[r][c] + 1e-20f), cs = a[c][c] * inv, sn = a[r][c] * inv;
#pragma unroll
      for (int k = c; k < 8; ++k) {
        const float u = a[c][k], v = a[r][k];
        a[c][k] = cs * u + sn * v;
        a[r][k] = cs * v - sn * u;
      }
    }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = i; j < 8; ++j) R[(i * 8 + j) * batch + b] = a[i][j];
}

// Eigenvalues of a symmetric tridiagonal matrix by bisection on Sturm counts, a thread an eigenvalue.
__global__ void sturm_bisection(const double* __restrict__ d, const double* __restrict__ e2, double* __restrict__ eigenvalues, int n, double lo, double hi, int steps) {
  __shared__ double sd[256], se[256];
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  double left = lo, right = hi;
  for (int step = 0; step < steps; ++step) {
    const double mid = 0.5 * (left + right);
    double delta = 1.0;
    int count = 0;
    for (int base = 0; base < n; base += 256) {
      __syncthreads();
      for (int i = threadIdx.x; i < 256; i += blockDim.x) sd[i] = d[base + i], se[i] = e2[base + i];
      __syncthreads();
      for (int i = 0; i < 256; ++i) {
        delta = sd[i] - mid - se[i] / delta;
        count += delta < 0.0;
      }
    }
    if (count > k)
      right = mid;
    else
      left = mid;
  }
  eigenvalues[k] = 0.5 * (left + right);
}

// ---- moves and sums ----

#define TILE_DIM 32
#define BLOCK_ROWS 8
__global__ void transposeDiagonal(float* odata, const float* idata, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int blockIdx_x, blockIdx_y;
  if (width == height) {
    blockIdx_y = blockIdx.x;
    blockIdx_x = (blockIdx.x + blockIdx.y) % gridDim.x;
  } else {
    int bid = blockIdx.x + gridDim.x * blockIdx.y;
    blockIdx_y = bid % gridDim.y;
    blockIdx_x = ((bid / gridDim.y) + blockIdx_y) % gridDim.x;
  }
  int xIndex = blockIdx_x * TILE_DIM + threadIdx.x, yIndex = blockIdx_y * TILE_DIM + threadIdx.y;
  int index_in = xIndex + (yIndex)*width;
  xIndex = blockIdx_y * TILE_DIM + threadIdx.x, yIndex = blockIdx_x * TILE_DIM + threadIdx.y;
  int index_out = xIndex + (yIndex)*height;
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) tile[threadIdx.y + i][threadIdx.x] = idata[index_in + i * width];
  __syncthreads();
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) odata[index_out + i * height] = tile[threadIdx.x][threadIdx.y + i];
}

template <const int NUM_THREADS>
__global__ void dot_prod_f16x8_pack_f32(const half* a, const half* b, float* y, int N) {
  const int tid = threadIdx.x;
  float prod = 0.f;
  for (int idx = (blockIdx.x * NUM_THREADS + tid) * 8; idx + 7 < N; idx += gridDim.x * NUM_THREADS * 8) {
    __align__(16) half pack_a[8];
    __align__(16) half pack_b[8];
    FLOAT4(pack_a[0]) = CFLOAT4(a[idx]);
    FLOAT4(pack_b[0]) = CFLOAT4(b[idx]);
    half2 sum = __float2half2_rn(0.f);
#pragma unroll
    for (int i = 0; i < 8; i += 2) sum = __hfma2(*reinterpret_cast<half2*>(&pack_a[i]), *reinterpret_cast<half2*>(&pack_b[i]), sum);
    prod += __low2float(sum) + __high2float(sum);
  }
  __shared__ float reduce_smem[NUM_THREADS / 32];
  prod = warp_reduce_sum(prod);
  if (tid % 32 == 0) reduce_smem[tid / 32] = prod;
  __syncthreads();
  prod = tid < NUM_THREADS / 32 ? reduce_smem[tid] : 0.0f;
  if (tid / 32 == 0) prod = warp_reduce_sum(prod);
  if (tid == 0) atomicAdd(y, prod);
}

// A sum with compensation, several elements a thread, partials kept with their errors.
__global__ void sum_kahan(const double* __restrict__ x, double2* __restrict__ partial, int n) {
  __shared__ double2 s[256];
  double sum = 0, lost = 0;
  auto add = [&](double v) {
    const double y = v - lost, t = sum + y;
    lost = (t - sum) - y;
    sum = t;
  };
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) add(x[i]);
  s[threadIdx.x] = make_double2(sum, lost);
  for (int o = 128; o; o >>= 1) {
    __syncthreads();
    if (threadIdx.x < o) {
      const double2 other = s[threadIdx.x + o];
      add(other.x), add(-other.y);
      s[threadIdx.x] = make_double2(sum, lost);
    }
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = s[0];
}

// ---- inference ----

// Weights of six bits in blocks of 256: low bits, high bits, signed scales of sixteen, one factor; a warp a row.
struct block_q6 {
  uint8_t ql[128], qh[64];
  int8_t scales[16];
  half d;
};
__global__ void gemv_q6_blocks(const block_q6* __restrict__ w, const float* __restrict__ x, float* __restrict__ y, int rows, int blocks) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0.f;
  for (int b = 0; b < blocks; ++b) {
    const block_q6& q = w[(size_t)row * blocks + b];
    const float d = __half2float(q.d);
    const float* xb = x + b * 256;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const uint8_t l0 = q.ql[64 * n + lane], l1 = q.ql[64 * n + 32 + lane], h = q.qh[32 * n + lane];
      const int8_t* sc = q.scales + 8 * n + lane / 16;
      const int q1 = (int)((l0 & 0xF) | ((h >> 0 & 3) << 4)) - 32, q2 = (int)((l1 & 0xF) | ((h >> 2 & 3) << 4)) - 32;
      const int q3 = (int)((l0 >> 4) | ((h >> 4 & 3) << 4)) - 32, q4 = (int)((l1 >> 4) | ((h >> 6 & 3) << 4)) - 32;
      const float* xn = xb + 128 * n + lane;
      sum += d * (sc[0] * q1 * xn[0] + sc[2] * q2 * xn[32] + sc[4] * q3 * xn[64] + sc[6] * q4 * xn[96]);
    }
  }
  sum = warp_reduce_sum(sum);
  if (lane == 0) y[row] = sum;
}

// Rows of half precision normalized by their root mean square, eight elements a thread held in registers.
template <const int NUM_THREADS>
__global__ void rms_norm_f16x8_pack_f32(const half* x, const half* g, half* y, int K, float epsilon) {
  __shared__ float s_variance[NUM_THREADS / 32];
  const int tid = threadIdx.x, idx = blockIdx.x * K + tid * 8;
  __align__(16) half pack_x[8];
  __align__(16) half pack_g[8];
  __align__(16) half pack_y[8];
  FLOAT4(pack_x[0]) = CFLOAT4(x[idx]);
  FLOAT4(pack_g[0]) = CFLOAT4(g[tid * 8]);
  float variance = 0.0f;
#pragma unroll
  for (int i = 0; i < 8; ++i) variance += __half2float(pack_x[i]) * __half2float(pack_x[i]);
  variance = warp_reduce_sum(variance);
  if (tid % 32 == 0) s_variance[tid / 32] = variance;
  __syncthreads();
  variance = 0.f;
  for (int w = 0; w < NUM_THREADS / 32; ++w) variance += s_variance[w];
  const float s = rsqrtf(variance / (float)K + epsilon);
#pragma unroll
  for (int i = 0; i < 8; ++i) pack_y[i] = __float2half(__half2float(pack_x[i]) * s * __half2float(pack_g[i]));
  FLOAT4(y[idx]) = FLOAT4(pack_y[0]);
}

#define theta 10000.0f
__global__ void rope_f32x4_pack(const float* x, float* out, int seq_len, int N) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= seq_len * N) return;
  float4 x_v = CFLOAT4(x[idx * 4]);
  int token_pos = idx / N, token_idx = idx % N;
  float exp_f_v = 1.0f / powf(theta, token_idx * 2 / (N * 4.0f));
  float exp_s_v = 1.0f / powf(theta, ((token_idx * 2) + 1) / (N * 4.0f));
  float sin_f_v = sinf(token_pos * exp_f_v), cos_f_v = cosf(token_pos * exp_f_v);
  float sin_s_v = sinf(token_pos * exp_s_v), cos_s_v = cosf(token_pos * exp_s_v);
  float4 out_v;
  out_v.x = x_v.x * cos_f_v - x_v.y * sin_f_v;
  out_v.y = x_v.x * sin_f_v + x_v.y * cos_f_v;
  out_v.z = x_v.z * cos_s_v - x_v.w * sin_s_v;
  out_v.w = x_v.z * sin_s_v + x_v.w * cos_s_v;
  FLOAT4(out[idx * 4]) = out_v;
}

// One token's attention over a part of a cache: a block a head and a split, warps over positions, each with its own maximum.
__global__ __launch_bounds__(128) void decode_split_kv(const half* __restrict__ q, const half* __restrict__ k_cache, const half* __restrict__ v_cache, float* __restrict__ partial, float2* __restrict__ stats, int heads, int kv_heads, int length, int split) {
  __shared__ float so[4][128], sm[4], sl[4];
  const int head = blockIdx.x, kv = head / (heads / kv_heads), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int begin = blockIdx.y * split, end = min(begin + split, length);
  float query[4], acc[4] = {}, m = -1e30f, l = 0.f;
  for (int i = 0; i < 4; ++i) query[i] = __half2float(q[head * 128 + lane * 4 + i]) * 0.08838835f;
  for (int t = begin + warp; t < end; t += 4) {
    const size_t at = ((size_t)t * kv_heads + kv) * 128 + lane * 4;
    const uint2 kb = *reinterpret_cast<const uint2*>(k_cache + at), vb = *reinterpret_cast<const uint2*>(v_cache + at);
    const float2 k0 = __half22float2(*reinterpret_cast<const half2*>(&kb.x)), k1 = __half22float2(*reinterpret_cast<const half2*>(&kb.y));
    const float s = warp_reduce_sum(query[0] * k0.x + query[1] * k0.y + query[2] * k1.x + query[3] * k1.y);
    const float next = fmaxf(m, s), fade = __expf(m - next), p = __expf(s - next);
    const float2 v0 = __half22float2(*reinterpret_cast<const half2*>(&vb.x)), v1 = __half22float2(*reinterpret_cast<const half2*>(&vb.y));
    acc[0] = acc[0] * fade + p * v0.x, acc[1] = acc[1] * fade + p * v0.y, acc[2] = acc[2] * fade + p * v1.x, acc[3] = acc[3] * fade + p * v1.y;
    l = l * fade + p, m = next;
  }
  for (int i = 0; i < 4; ++i) so[warp][lane * 4 + i] = acc[i];
  if (lane == 0) sm[warp] = m, sl[warp] = l;
  __syncthreads();
  const float most = fmaxf(fmaxf(sm[0], sm[1]), fmaxf(sm[2], sm[3]));
  float sum = 0.f, out = 0.f;
  for (int w = 0; w < 4; ++w) sum += sl[w] * __expf(sm[w] - most), out += so[w][threadIdx.x] * __expf(sm[w] - most);
  partial[((size_t)blockIdx.y * heads + head) * 128 + threadIdx.x] = out;
  if (threadIdx.x == 0) stats[blockIdx.y * heads + head] = make_float2(most, sum);
}

// Places of a row's elements in order: indices exchanged in shared memory, padded to a power of two.
__global__ void argsort_f32_i32(const float* x, int* dst, const int ncols, int ncols_pad) {
  extern __shared__ int dst_row[];
  const float* x_row = x + blockIdx.x * ncols;
  for (int col = threadIdx.x; col < ncols_pad; col += blockDim.x) dst_row[col] = col;
  __syncthreads();
  for (int k = 2; k <= ncols_pad; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      for (int col = threadIdx.x; col < ncols_pad; col += blockDim.x) {
        int ixj = col ^ j;
        if (ixj > col) {
          const int a = dst_row[col], b = dst_row[ixj];
          const bool up = (col & k) == 0, swap = up ? (a >= ncols || (b < ncols && x_row[a] > x_row[b])) : (b >= ncols || (a < ncols && x_row[a] < x_row[b]));
          if (swap) dst_row[col] = b, dst_row[ixj] = a;
        }
      }
      __syncthreads();
    }
  }
  for (int col = threadIdx.x; col < ncols; col += blockDim.x) dst[blockIdx.x * ncols + col] = dst_row[col];
}

// A token drawn from logits: softmax's sums by chunks of the row, then the chunk that holds the coin, scanned.
__global__ __launch_bounds__(256) void sample_by_coin(const float* __restrict__ logits, const float* __restrict__ coins, int* __restrict__ tokens, int n, float inv_temperature) {
  __shared__ float sums[256], shared_max[8];
  const int tid = threadIdx.x, chunk = (n + 255) / 256, begin = min(tid * chunk, n), end = min(begin + chunk, n);
  const float* row = logits + (size_t)blockIdx.x * n;
  float most = -1e30f;
  for (int i = tid; i < n; i += 256) most = fmaxf(most, row[i]);
  most = warp_reduce_max(most);
  if (tid % 32 == 0) shared_max[tid / 32] = most;
  __syncthreads();
  for (int w = 0; w < 8; ++w) most = fmaxf(most, shared_max[w]);
  float sum = 0.f;
  for (int i = begin; i < end; ++i) sum += __expf((row[i] - most) * inv_temperature);
  sums[tid] = sum;
  __syncthreads();
  for (int o = 1; o < 256; o *= 2) {
    const float v = tid >= o ? sums[tid - o] : 0.f;
    __syncthreads();
    sums[tid] += v;
    __syncthreads();
  }
  const float coin = coins[blockIdx.x] * sums[255], after = sums[tid], before = tid ? sums[tid - 1] : 0.f;
  if ((coin >= before && coin < after) || (tid == 255 && coin >= after)) {
    float cdf = before;
    int i = begin;
    for (; i < end - 1; ++i) {
      cdf += __expf((row[i] - most) * inv_temperature);
      if (coin < cdf) break;
    }
    tokens[blockIdx.x] = i;
  }
}

// Rows of a table in eight bits with a scale a row, gathered and widened.
__global__ void embedding_q8_rows(const char4* __restrict__ table, const float* __restrict__ scales, const int* __restrict__ ids, float4* __restrict__ out, int dim4) {
  const int id = ids[blockIdx.x];
  const float s = scales[id];
  for (int i = threadIdx.x; i < dim4; i += blockDim.x) {
    const char4 c = table[(size_t)id * dim4 + i];
    out[(size_t)blockIdx.x * dim4 + i] = make_float4(c.x * s, c.y * s, c.z * s, c.w * s);
  }
}

// ---- convolutions ----

// Direct, of five by five and stride two: filters of a block's output channel in shared memory.
__global__ void conv2d_5x5_s2(const float* __restrict__ in, const float* __restrict__ w, const float* __restrict__ bias, float* __restrict__ out, int C, int K, int H, int W) {
  extern __shared__ float filter[];
  const int k = blockIdx.z % K, n = blockIdx.z / K, OH = H / 2, OW = W / 2;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < C * 25; i += blockDim.x * blockDim.y) filter[i] = w[k * C * 25 + i];
  __syncthreads();
  const int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y;
  if (ox >= OW || oy >= OH) return;
  float sum = bias[k];
  for (int c = 0; c < C; ++c)
    for (int r = 0; r < 5; ++r) {
      const int y = oy * 2 + r - 2;
      if (y < 0 || y >= H) continue;
#pragma unroll
      for (int s = 0; s < 5; ++s) {
        const int x = ox * 2 + s - 2;
        if (x >= 0 && x < W) sum += in[((n * C + c) * H + y) * W + x] * filter[(c * 5 + r) * 5 + s];
      }
    }
  out[((n * K + k) * OH + oy) * OW + ox] = fmaxf(sum, 0.f);
}

__global__ void im2col_half_kernel(const half* __restrict__ data_im, half* __restrict__ data_col, int n, int height, int width, int ksize, int pad, int stride, int height_col, int width_col) {
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < n; index += blockDim.x * gridDim.x) {
    int w_out = index % width_col;
    int h_index = index / width_col;
    int h_out = h_index % height_col;
    int channel_in = h_index / height_col;
    int channel_out = channel_in * ksize * ksize;
    int h_in = h_out * stride - pad;
    int w_in = w_out * stride - pad;
    half* data_col_ptr = data_col + (channel_out * height_col + h_out) * width_col + w_out;
    const half* data_im_ptr = data_im + (channel_in * height + h_in) * width + w_in;
    for (int i = 0; i < ksize; ++i) {
      for (int j = 0; j < ksize; ++j) {
        int h = h_in + i;
        int w = w_in + j;
        *data_col_ptr = (h >= 0 && w >= 0 && h < height && w < width) ? data_im_ptr[i * width + j] : half(0.f);
        data_col_ptr += height_col * width_col;
      }
    }
  }
}

// Winograd's transform of inputs for outputs of four by four: six by six a thread.
__device__ __forceinline__ void winograd_b6(float* d, int s) {
  const float a = d[0], b = d[s], c = d[2 * s], e = d[3 * s], f = d[4 * s], g = d[5 * s];
  d[0] = 4 * a - 5 * c + f;
  d[s] = -4 * b - 4 * c + e + f;
  d[2 * s] = 4 * b - 4 * c - e + f;
  d[3 * s] = -2 * b - c + 2 * e + f;
  d[4 * s] = 2 * b - c - 2 * e + f;
  d[5 * s] = 4 * b - 5 * e + g;
}
__global__ void winograd_f43_input(const float* __restrict__ in, float* __restrict__ out, int H, int W, int tiles_x, int tiles_y, int channels) {
  const int tile = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y, tiles = tiles_x * tiles_y;
  if (tile >= tiles) return;
  const int y0 = tile / tiles_x * 4 - 1, x0 = tile % tiles_x * 4 - 1;
  float d[36];
#pragma unroll
  for (int i = 0; i < 36; ++i) {
    const int y = y0 + i / 6, x = x0 + i % 6;
    d[i] = y >= 0 && y < H && x >= 0 && x < W ? in[(c * H + y) * W + x] : 0.f;
  }
#pragma unroll
  for (int i = 0; i < 6; ++i) winograd_b6(d + i, 6);
#pragma unroll
  for (int i = 0; i < 6; ++i) winograd_b6(d + 6 * i, 1);
#pragma unroll
  for (int i = 0; i < 36; ++i) out[((size_t)i * channels + c) * tiles + tile] = d[i];
}

// Depthwise, five by five, in tiles with a halo; normalization and a clamp at six at the end.
__global__ void depthwise5_bn_relu6(const float* __restrict__ in, const float* __restrict__ w, const float4* __restrict__ bn, float* __restrict__ out, int C, int H, int W) {
  __shared__ float tile[20][36];
  __shared__ float f[25];
  const int plane = blockIdx.z, c = plane % C, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16, t = threadIdx.y * 32 + threadIdx.x;
  if (t < 25) f[t] = w[c * 25 + t];
  for (int i = t; i < 20 * 36; i += 256) {
    const int y = y0 + i / 36 - 2, x = x0 + i % 36 - 2;
    tile[i / 36][i % 36] = y >= 0 && y < H && x >= 0 && x < W ? in[(plane * H + y) * W + x] : 0.f;
  }
  __syncthreads();
  const float4 p = bn[c];
  for (int dy = threadIdx.y; dy < 16; dy += 8) {
    float s = 0.f;
#pragma unroll
    for (int i = 0; i < 25; ++i) s += tile[dy + i / 5][threadIdx.x + i % 5] * f[i];
    s = (s - p.x) * rsqrtf(p.y + 1e-5f) * p.z + p.w;
    if (y0 + dy < H && x0 + threadIdx.x < W) out[(plane * H + y0 + dy) * W + x0 + threadIdx.x] = fminf(fmaxf(s, 0.f), 6.f);
  }
}

__global__ void MaxPoolForward_s2(const int nthreads, const float* bottom_data, const int channels, const int height, const int width, const int pooled_height, const int pooled_width, float* top_data, int* mask) {
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < nthreads; index += blockDim.x * gridDim.x) {
    const int pw = index % pooled_width, ph = (index / pooled_width) % pooled_height, c = (index / pooled_width / pooled_height) % channels, n = index / pooled_width / pooled_height / channels;
    int hstart = ph * 2 - 1, wstart = pw * 2 - 1;
    const int hend = min(hstart + 3, height), wend = min(wstart + 3, width);
    hstart = max(hstart, 0), wstart = max(wstart, 0);
    float maxval = -3.4e38f;
    int maxidx = -1;
    const float* bottom_slice = bottom_data + (n * channels + c) * height * width;
    for (int h = hstart; h < hend; ++h)
      for (int w = wstart; w < wend; ++w)
        if (bottom_slice[h * width + w] > maxval) {
          maxidx = h * width + w;
          maxval = bottom_slice[maxidx];
        }
    top_data[index] = maxval;
    mask[index] = maxidx;
  }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  constexpr int M = 1 << 20;
  const float* f = on_device<float>(16 * M, [](uint32_t i) { return fraction(i) * 2 - 1; });
  const half* h = on_device<half>(24 * M, [](uint32_t i) { return __float2half(fraction(i) * 2 - 1); });
  const double* d = on_device<double>(4 * M, [](uint32_t i) { return fraction(i) * 2. - 1; });
  float* o = zeros<float>(16 * M);
  half* oh = (half*)o;
  double* od = (double*)o;

  float* c = zeros<float>(M);
  run("gemm_any_777x515x333", [&] { gemm_any_shape<64, 64, 16, 4, 4, float><<<dim3((515 + 63) / 64, (777 + 63) / 64), 256>>>(777, 515, 333, 1.1f, f, f + M, 0.5f, c); });
  double* c64 = zeros<double>(M);
  run("gemm_any_double_300x700x451", [&] { gemm_any_shape<32, 64, 8, 2, 4, double><<<dim3(11, 10), 256>>>(300, 700, 451, 1., d, d + M, 0.5, c64); });
  std::vector<const double*> left(5000), right(5000);
  std::vector<double*> product(5000);
  for (int i = 0; i < 5000; ++i) left[i] = d + i * 576, right[i] = d + (4999 - i) * 600, product[i] = od + i * 576;
  const double **left_d = on_device(left), **right_d = on_device(right);
  double** product_d = on_device(product);
  run("batched_gemm_24", [&] { batched_gemm_24<<<5000, 144>>>(left_d, right_d, product_d); });
  run("gemv_transposed_split", [&] { gemv_transposed_split<128><<<dim3(3000 / 128 + 1, 4000 / 128 + 1), 128>>>(f, f + 15 * M, o, 4000, 3000); });
  run("wmma_half_sums_64x32", [&] { wmma_half_sums_64x32<<<dim3(1024 / 32, 768 / 64), 128>>>(h, h + 4 * M, oh, 768, 1024, 1024); });
  run("hgemm_mma_m16n8k16", [&] { hgemm_mma_m16n8k16<<<dim3(12, 12), 256>>>(h, h + 4 * M, oh, 1536, 1536, 2048); });

  float* unknowns = on_device<float>(3000 * 64, [](uint32_t i) { return fraction(i); });
  run("trsv_warp_64", [&] { trsv_warp_64<<<3000 / 4, 128>>>(f, unknowns, 3000); });
  float* matrices = on_device<float>(2000 * 1024, [](uint32_t i) { return fraction(i); });
  run("potrf_batched_32", [&] { potrf_batched<float><<<2000, 64, 32 * 33 * sizeof(float)>>>(matrices, 32, (int*)o); });
  double* matrices64 = on_device<double>(300 * 56 * 56, [](uint32_t i) { return double(fraction(i)); });
  run("potrf_batched_double_56", [&] { potrf_batched<double><<<300, 128, 56 * 57 * sizeof(double)>>>(matrices64, 56, (int*)o); });
  run("qr_givens_8", [&] { qr_givens_8<<<100000 / 64 + 1, 64>>>(f, o, 100000); });
  run("sturm_bisection", [&] { sturm_bisection<<<4, 64>>>(d, d + M, od, 256, -4., 4., 12); });
  run("transposeDiagonal", [&] { transposeDiagonal<<<dim3(64, 64), dim3(32, 8)>>>(o, f, 2048, 2048); });
  run("dot_prod_f16x8_pack_f32", [&] { dot_prod_f16x8_pack_f32<256><<<528, 256>>>(h, h + 12 * M, o, 12 * M); });
  run("sum_kahan", [&] { sum_kahan<<<264, 256>>>(d, (double2*)o, 4 * M); });

  const block_q6* q6 = on_device<block_q6>(4096 * 16, [](uint32_t i) {
    block_q6 b;
    for (int k = 0; k < 128; ++k) b.ql[k] = uint8_t(hashed(i * 7 + k));
    for (int k = 0; k < 64; ++k) b.qh[k] = uint8_t(hashed(i * 11 + k));
    for (int k = 0; k < 16; ++k) b.scales[k] = int8_t(hashed(i * 13 + k));
    b.d = __float2half(0.001f * fraction(i));
    return b;
  });
  run("gemv_q6_blocks", [&] { gemv_q6_blocks<<<4096 / 4, 128>>>(q6, f, o, 4096, 16); });
  run("rms_norm_f16x8_pack_f32", [&] { rms_norm_f16x8_pack_f32<256><<<8192, 256>>>(h, h + 20 * M, oh, 2048, 1e-5f); });
  run("rope_f32x4_pack", [&] { rope_f32x4_pack<<<4096 * 512 / 256, 256>>>(f, o, 4096, 512); });
  run("decode_split_kv", [&] { decode_split_kv<<<dim3(32, 16), 128>>>(h, h + M, h + 12 * M, o, (float2*)(o + 4 * M), 32, 8, 8000, 500); });
  run("argsort_f32_i32", [&] { argsort_f32_i32<<<400, 512, 1024 * sizeof(int)>>>(f, (int*)o, 900, 1024); });
  const float* coins = on_device<float>(256, fraction);
  run("sample_by_coin", [&] { sample_by_coin<<<160, 256>>>(f, coins, (int*)o, 50257, 1.4f); });
  const char4* table = (const char4*)on_device<uint32_t>(2 * M, hashed);
  const int* ids = on_device<int>(6000, [](uint32_t i) { return int(hashed(i) % 8000); });
  run("embedding_q8_rows", [&] { embedding_q8_rows<<<6000, 128>>>(table, f, ids, (float4*)o, 192); });

  run("conv2d_5x5_s2", [&] { conv2d_5x5_s2<<<dim3(4, 14, 4 * 24), dim3(16, 4), 16 * 25 * sizeof(float)>>>(f, f + 8 * M, f + 9 * M, o, 16, 24, 112, 112); });
  run("im2col_half_kernel", [&] { im2col_half_kernel<<<264, 512>>>(h, oh, 128 * 56 * 56, 56, 56, 3, 1, 1, 56, 56); });
  run("winograd_f43_input", [&] { winograd_f43_input<<<dim3(4, 128), 64>>>(f, o, 56, 56, 14, 14, 128); });
  const float4* statistics = on_device<float4>(96, [](uint32_t i) { return make_float4(fraction(i) - 0.5f, 0.5f + fraction(i), 1.f, 0.3f); });
  run("depthwise5_bn_relu6", [&] { depthwise5_bn_relu6<<<dim3(2, 4, 8 * 96), dim3(32, 8)>>>(f, f + 8 * M, statistics, o, 96, 56, 56); });
  run("MaxPoolForward_s2", [&] { MaxPoolForward_s2<<<528, 256>>>(8 * 64 * 56 * 56, f, 64, 112, 112, 56, 56, o, (int*)o + 4 * M); });
  return 0;
}
