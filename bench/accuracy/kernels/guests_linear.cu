// Products and solvers in the forms of public repositories: tiles by registers, dp4a, half2, warp tiles, PolyBench, Rodinia.
#include <cuda_fp16.h>

#include "cases.h"

// 64 x 64 results a block, a column of eight a thread.
template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm_1d_blocktiling(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  const uint32_t cRow = blockIdx.y, cCol = blockIdx.x;
  const int threadCol = threadIdx.x % BN, threadRow = threadIdx.x / BN;
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;
  const uint32_t innerColA = threadIdx.x % BK, innerRowA = threadIdx.x / BK;
  const uint32_t innerColB = threadIdx.x % BN, innerRowB = threadIdx.x / BN;
  float threadResults[TM] = {0.0};
  for (uint32_t bkIdx = 0; bkIdx < K; bkIdx += BK) {
    As[innerRowA * BK + innerColA] = A[innerRowA * K + innerColA];
    Bs[innerRowB * BN + innerColB] = B[innerRowB * N + innerColB];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (uint32_t dotIdx = 0; dotIdx < BK; ++dotIdx) {
      float tmpB = Bs[dotIdx * BN + threadCol];
      for (uint32_t resIdx = 0; resIdx < TM; ++resIdx) threadResults[resIdx] += As[(threadRow * TM + resIdx) * BK + dotIdx] * tmpB;
    }
    __syncthreads();
  }
  for (uint32_t resIdx = 0; resIdx < TM; ++resIdx)
    C[(threadRow * TM + resIdx) * N + threadCol] = alpha * threadResults[resIdx] + beta * C[(threadRow * TM + resIdx) * N + threadCol];
}

// 128 x 128 results a block, 8 x 8 a thread; A is transposed on its way to shared memory.
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void sgemm_vectorized(int M, int N, int K, float alpha, float* A, float* B, float beta, float* C) {
  const uint32_t cRow = blockIdx.y, cCol = blockIdx.x;
  const int threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;
  const uint32_t innerRowA = threadIdx.x / (BK / 4), innerColA = threadIdx.x % (BK / 4);
  const uint32_t innerRowB = threadIdx.x / (BN / 4), innerColB = threadIdx.x % (BN / 4);
  float threadResults[TM * TN] = {0.0};
  float regM[TM] = {0.0};
  float regN[TN] = {0.0};
  for (uint32_t bkIdx = 0; bkIdx < K; bkIdx += BK) {
    float4 tmp = reinterpret_cast<float4*>(&A[innerRowA * K + innerColA * 4])[0];
    As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
    As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
    As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
    As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;
    reinterpret_cast<float4*>(&Bs[innerRowB * BN + innerColB * 4])[0] = reinterpret_cast<float4*>(&B[innerRowB * N + innerColB * 4])[0];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (uint32_t dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (uint32_t i = 0; i < TM; ++i) regM[i] = As[dotIdx * BM + threadRow * TM + i];
      for (uint32_t i = 0; i < TN; ++i) regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
      for (uint32_t m = 0; m < TM; ++m)
        for (uint32_t n = 0; n < TN; ++n) threadResults[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
  for (uint32_t m = 0; m < TM; m += 1)
    for (uint32_t n = 0; n < TN; n += 4) {
      float4 tmp = reinterpret_cast<float4*>(&C[(threadRow * TM + m) * N + threadCol * TN + n])[0];
      tmp.x = alpha * threadResults[m * TN + n] + beta * tmp.x;
      tmp.y = alpha * threadResults[m * TN + n + 1] + beta * tmp.y;
      tmp.z = alpha * threadResults[m * TN + n + 2] + beta * tmp.z;
      tmp.w = alpha * threadResults[m * TN + n + 3] + beta * tmp.w;
      reinterpret_cast<float4*>(&C[(threadRow * TM + m) * N + threadCol * TN + n])[0] = tmp;
    }
}

// B is given by its columns; edges are guarded; bias and GELU at the end. A matrix of a batch a blockIdx.z.
#define TS 16
__global__ void gemm_nt_bias_gelu(const float* __restrict__ A, const float* __restrict__ B, const float* __restrict__ bias,
                                  float* __restrict__ C, int M, int N, int K) {
  __shared__ float sA[TS][TS];
  __shared__ float sB[TS][TS + 1];
  A += (size_t)blockIdx.z * M * K;
  C += (size_t)blockIdx.z * M * N;
  int row = blockIdx.y * TS + threadIdx.y, col = blockIdx.x * TS + threadIdx.x;
  float acc = 0.f;
  for (int t = 0; t < (K + TS - 1) / TS; t++) {
    int ka = t * TS + threadIdx.x, nb = blockIdx.x * TS + threadIdx.y;
    sA[threadIdx.y][threadIdx.x] = (row < M && ka < K) ? A[row * K + ka] : 0.f;
    sB[threadIdx.y][threadIdx.x] = (nb < N && ka < K) ? B[nb * K + ka] : 0.f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TS; k++) acc += sA[threadIdx.y][k] * sB[threadIdx.x][k];
    __syncthreads();
  }
  if (row < M && col < N) {
    float x = acc + bias[col];
    C[row * N + col] = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
  }
}

__global__ void gemm_dp4a(const int* __restrict__ A, const int* __restrict__ B, int* __restrict__ C, int M, int N, int K4) {
  __shared__ int sA[32][33], sB[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y;
  int acc[4] = {0, 0, 0, 0};
  for (int k0 = 0; k0 < K4; k0 += 32) {
    for (int i = 0; i < 4; i++) {
      sA[ty + 8 * i][tx] = A[(blockIdx.y * 32 + ty + 8 * i) * K4 + k0 + tx];
      sB[ty + 8 * i][tx] = B[(blockIdx.x * 32 + ty + 8 * i) * K4 + k0 + tx];
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 32; k++) {
      int b = sB[tx][k];
#pragma unroll
      for (int i = 0; i < 4; i++) acc[i] = __dp4a(sA[ty + 8 * i][k], b, acc[i]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) C[(blockIdx.y * 32 + ty + 8 * i) * N + blockIdx.x * 32 + tx] = acc[i];
}

// Two columns a thread in half precision, 4 x 2 results.
__global__ void hgemm_half2(const half* __restrict__ A, const half2* __restrict__ B, half2* __restrict__ C, int M, int N, int K) {
  __shared__ half sA[64][16];
  __shared__ half2 sB[16][32];
  const int tx = threadIdx.x % 32, ty = threadIdx.x / 32, N2 = N / 2;
  half2 acc[8];
#pragma unroll
  for (int i = 0; i < 8; i++) acc[i] = __float2half2_rn(0.f);
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int i = threadIdx.x; i < 1024; i += 256) sA[i / 16][i % 16] = A[(blockIdx.y * 64 + i / 16) * K + k0 + i % 16];
    for (int i = threadIdx.x; i < 512; i += 256) sB[i / 32][i % 32] = B[(k0 + i / 32) * N2 + blockIdx.x * 32 + i % 32];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) {
      const half2 b = sB[k][tx];
#pragma unroll
      for (int i = 0; i < 8; i++) acc[i] = __hfma2(__half2half2(sA[ty * 8 + i][k]), b, acc[i]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; i++) C[(blockIdx.y * 64 + ty * 8 + i) * N2 + blockIdx.x * 32 + tx] = acc[i];
}

// PolyBench: x of A^T (A x) by columns; rows of two matrices at once; covariance of pairs of columns.
__global__ void atax_kernel2(int nx, int ny, float* A, float* y, float* tmp) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny) {
    y[j] = 0;
    for (int i = 0; i < nx; i++) y[j] += A[i * ny + j] * tmp[i];
  }
}
__global__ void gesummv_kernel(int n, double alpha, double beta, double* A, double* B, double* tmp, double* x, double* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    tmp[i] = 0;
    y[i] = 0;
    for (int j = 0; j < n; j++) {
      tmp[i] += A[i * n + j] * x[j];
      y[i] += B[i * n + j] * x[j];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}
__global__ void covar_kernel(int m, int n, float* symmat, float* data) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 < m) {
    for (int j2 = j1; j2 < m; j2++) {
      symmat[j1 * m + j2] = 0.0;
      for (int i = 0; i < n; i++) symmat[j1 * m + j2] += data[i * m + j1] * data[i * m + j2];
      symmat[j2 * m + j1] = symmat[j1 * m + j2];
    }
  }
}

// Rodinia's Gaussian elimination and its LU decomposition: what is below and right of the diagonal's tile; the rest.
__global__ void gaussian_fan2(float* m_cuda, float* a_cuda, float* b_cuda, int Size, int j1, int t) {
  if (threadIdx.x + blockIdx.x * blockDim.x >= Size - 1 - t) return;
  if (threadIdx.y + blockIdx.y * blockDim.y >= Size - t) return;
  int xidx = blockIdx.x * blockDim.x + threadIdx.x;
  int yidx = blockIdx.y * blockDim.y + threadIdx.y;
  a_cuda[Size * (xidx + 1 + t) + (yidx + t)] -= m_cuda[Size * (xidx + 1 + t) + t] * a_cuda[Size * t + (yidx + t)];
  if (yidx == 0) b_cuda[xidx + 1 + t] -= m_cuda[Size * (xidx + 1 + t) + (yidx + t)] * b_cuda[t];
}
__global__ void lud_diagonal(float* m, int matrix_dim, int offset) {
  __shared__ float shadow[16][16];
  int i, j, array_offset = offset * matrix_dim + offset;
  for (i = 0; i < 16; i++) {
    shadow[i][threadIdx.x] = m[array_offset + threadIdx.x];
    array_offset += matrix_dim;
  }
  __syncthreads();
  for (i = 0; i < 15; i++) {
    if (threadIdx.x > i) {
      for (j = 0; j < i; j++) shadow[threadIdx.x][i] -= shadow[threadIdx.x][j] * shadow[j][i];
      shadow[threadIdx.x][i] /= shadow[i][i];
    }
    __syncthreads();
    if (threadIdx.x > i)
      for (j = 0; j < i + 1; j++) shadow[i + 1][threadIdx.x] -= shadow[i + 1][j] * shadow[j][threadIdx.x];
    __syncthreads();
  }
  array_offset = (offset + 1) * matrix_dim + offset;
  for (i = 1; i < 16; i++) {
    m[array_offset + threadIdx.x] = shadow[i][threadIdx.x];
    array_offset += matrix_dim;
  }
}
__global__ void lud_internal(float* m, int matrix_dim, int offset) {
  __shared__ float peri_row[16][16];
  __shared__ float peri_col[16][16];
  int global_row_id = offset + (blockIdx.y + 1) * 16, global_col_id = offset + (blockIdx.x + 1) * 16;
  peri_row[threadIdx.y][threadIdx.x] = m[(offset + threadIdx.y) * matrix_dim + global_col_id + threadIdx.x];
  peri_col[threadIdx.y][threadIdx.x] = m[(global_row_id + threadIdx.y) * matrix_dim + offset + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 16; i++) sum += peri_col[threadIdx.y][i] * peri_row[i][threadIdx.x];
  m[(global_row_id + threadIdx.y) * matrix_dim + global_col_id + threadIdx.x] -= sum;
}

// A 6 x 6 system a thread, in local arrays: Cholesky, then both substitutions.
__global__ void solve_6x6(const float* __restrict__ mats, const float* __restrict__ rhs, float* __restrict__ x, int n) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid >= n) return;
  float L[6][6], y[6];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j <= i; j++) {
      float s = mats[(i * 6 + j) * n + tid] + (i == j ? 6.f : 0.f);
      for (int k = 0; k < j; k++) s -= L[i][k] * L[j][k];
      L[i][j] = i == j ? sqrtf(s) : s / L[j][j];
    }
  for (int i = 0; i < 6; i++) {
    float s = rhs[i * n + tid];
    for (int k = 0; k < i; k++) s -= L[i][k] * y[k];
    y[i] = s / L[i][i];
  }
  for (int i = 5; i >= 0; i--) {
    float s = y[i];
    for (int k = i + 1; k < 6; k++) s -= L[k][i] * y[k];
    y[i] = s / L[i][i];
    x[i * n + tid] = y[i];
  }
}

// A block a row of a dense Jacobi step; a tree in shared memory.
__global__ void jacobi_row(const double* A, const double* b, const double* x, double* x_new, int n) {
  extern __shared__ double sdata[];
  int row = blockIdx.x, tid = threadIdx.x;
  double sigma = 0.0;
  for (int j = tid; j < n; j += blockDim.x)
    if (j != row) sigma += A[(size_t)row * n + j] * x[j];
  sdata[tid] = sigma;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) x_new[row] = (b[row] - sdata[0]) / (A[(size_t)row * n + row] + n);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const size_t most = 1 << 22;
  float* a = on_device<float>(most, fraction);
  float* b = on_device<float>(most, fraction);
  float* c = zeros<float>(most);
  double* da = on_device<double>(1 << 21, [](uint32_t i) { return double(fraction(i)); });
  double* dc = zeros<double>(1 << 16);
  double* dd = zeros<double>(1 << 16);
  half* h = on_device<half>(1 << 21, [](uint32_t i) { return __float2half(fraction(i) - 0.5f); });
  half* out = zeros<half>(1 << 20);
  int* bytes = (int*)on_device<uint32_t>(1 << 20, hashed);

  for (int n : {256, 768})
    run(sized("sgemm_1d_blocktiling", n),
        [&] { sgemm_1d_blocktiling<64, 64, 8, 8><<<dim3(n / 64, n / 64), 512>>>(n, n, n, 1.f, a, b, 0.5f, c); });
  for (int n : {512, 1024})
    run(sized("sgemm_vectorized", n),
        [&] { sgemm_vectorized<128, 128, 8, 8, 8><<<dim3(n / 128, n / 128), 256>>>(n, n, n, 1.f, a, b, 0.f, c); });
  run("sgemm_vectorized_k64", [&] { sgemm_vectorized<128, 128, 8, 8, 8><<<dim3(16, 16), 256>>>(2048, 2048, 64, 1.f, a, b, 0.f, c); });
  run("gemm_nt_bias_gelu", [&] { gemm_nt_bias_gelu<<<dim3(25, 13, 8), dim3(16, 16)>>>(a, b, a, c, 200, 390, 150); });
  run("gemm_nt_bias_gelu_few", [&] { gemm_nt_bias_gelu<<<dim3(4, 4, 1), dim3(16, 16)>>>(a, b, a, c, 64, 64, 512); });
  run("gemm_dp4a", [&] { gemm_dp4a<<<dim3(32, 16), dim3(32, 8)>>>(bytes, bytes + 77, (int*)c, 512, 1024, 256); });
  run("hgemm_half2", [&] { hgemm_half2<<<dim3(8, 8), 256>>>(h, (half2*)h, (half2*)out, 512, 512, 512); });
  run("atax_kernel2", [&] { atax_kernel2<<<8, 256>>>(1024, 2048, a, c, b); });
  run("gesummv_kernel", [&] { gesummv_kernel<<<4, 256>>>(1024, 1.5, 1.2, da, da + 512, dc, da, dd); });
  run("covar_kernel", [&] { covar_kernel<<<1, 256>>>(128, 32, c, a); });
  run("gaussian_fan2", [&] { gaussian_fan2<<<dim3(64, 64), dim3(16, 16)>>>(b, a, c, 1024, 0, 17); });
  run("gaussian_fan2_late", [&] { gaussian_fan2<<<dim3(256, 256), dim3(4, 4)>>>(b, a, c, 1024, 0, 600); });
  run("lud_diagonal", [&] { lud_diagonal<<<1, 16>>>(b, 1024, 32); });
  run("lud_internal", [&] { lud_internal<<<dim3(62, 62), dim3(16, 16)>>>(c, 1024, 16); });
  run("solve_6x6", [&] { solve_6x6<<<256, 128>>>(a, b, c, 32768); });
  run("jacobi_row", [&] { jacobi_row<<<1024, 256, 2048>>>(da, da, da + 77, dd, 1024); });
  return 0;
}
