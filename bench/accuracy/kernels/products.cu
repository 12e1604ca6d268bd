// Matrix products, each step of the usual ladder of optimizations: c = a * b of n x n floats.
#include "cases.h"

// Adjacent threads take adjacent rows: neither load of a nor the store is coalesced.
__global__ void product_naive(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void product_coalesced(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.x * 32 + threadIdx.x / 32, column = blockIdx.y * 32 + threadIdx.x % 32;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void product_shared(const float* a, const float* b, float* c, int n) {
  __shared__ float as[32 * 32], bs[32 * 32];
  const int tx = threadIdx.x % 32, ty = threadIdx.x / 32;
  a += blockIdx.y * 32 * n, b += blockIdx.x * 32, c += blockIdx.y * 32 * n + blockIdx.x * 32;
  float sum = 0;
  for (int p = 0; p < n; p += 32) {
    as[ty * 32 + tx] = a[ty * n + tx];
    bs[ty * 32 + tx] = b[ty * n + tx];
    __syncthreads();
    a += 32, b += 32 * n;
    for (int k = 0; k < 32; ++k) sum += as[ty * 32 + k] * bs[k * 32 + tx];
    __syncthreads();
  }
  c[ty * n + tx] = sum;
}

// A column of TM results a thread.
template <int BM, int BN, int BK, int TM>
__global__ void product_column(const float* a, const float* b, float* c, int n) {
  __shared__ float as[BM * BK], bs[BK * BN];
  const int column = threadIdx.x % BN, row = threadIdx.x / BN;
  a += blockIdx.y * BM * n, b += blockIdx.x * BN, c += blockIdx.y * BM * n + blockIdx.x * BN;
  const int a_row = threadIdx.x / BK, a_column = threadIdx.x % BK, b_row = threadIdx.x / BN, b_column = threadIdx.x % BN;
  float sum[TM] = {};
  for (int p = 0; p < n; p += BK) {
    as[a_row * BK + a_column] = a[a_row * n + a_column];
    bs[b_row * BN + b_column] = b[b_row * n + b_column];
    __syncthreads();
    a += BK, b += BK * n;
    for (int k = 0; k < BK; ++k) {
      const float y = bs[k * BN + column];
      for (int i = 0; i < TM; ++i) sum[i] += as[(row * TM + i) * BK + k] * y;
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i) c[(row * TM + i) * n + column] = sum[i];
}

// TM x TN results a thread, 32-bit accesses throughout.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(BM* BN / (TM * TN)) product_square(const float* a, const float* b, float* c, int n) {
  constexpr int kThreads = BM * BN / (TM * TN);
  __shared__ float as[BM * BK], bs[BK * BN];
  const int column = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
  a += blockIdx.y * BM * n, b += blockIdx.x * BN, c += blockIdx.y * BM * n + blockIdx.x * BN;
  const int a_row = threadIdx.x / BK, a_column = threadIdx.x % BK, b_row = threadIdx.x / BN, b_column = threadIdx.x % BN;
  float sum[TM * TN] = {}, x[TM], y[TN];
  for (int p = 0; p < n; p += BK) {
    for (int i = 0; i < BM; i += kThreads / BK) as[(a_row + i) * BK + a_column] = a[(a_row + i) * n + a_column];
    for (int i = 0; i < BK; i += kThreads / BN) bs[(b_row + i) * BN + b_column] = b[(b_row + i) * n + b_column];
    __syncthreads();
    a += BK, b += BK * n;
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) x[i] = as[(row * TM + i) * BK + k];
      for (int j = 0; j < TN; ++j) y[j] = bs[k * BN + column * TN + j];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sum[i * TN + j] += x[i] * y[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) c[(row * TM + i) * n + column * TN + j] = sum[i * TN + j];
}

// The same with 128-bit accesses; a's tile is transposed as it is stored. PAD: floats behind each row of a's tile.
template <int BM, int BN, int BK, int TM, int TN, int PAD>
__global__ void __launch_bounds__(BM* BN / (TM * TN)) product_vector(float* a, float* b, float* c, int n) {
  constexpr int kThreads = BM * BN / (TM * TN), kA = BM + PAD;
  __shared__ __align__(16) float as[BK * kA], bs[BK * BN];
  const int column = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
  a += blockIdx.y * BM * n, b += blockIdx.x * BN, c += blockIdx.y * BM * n + blockIdx.x * BN;
  const int a_row = threadIdx.x / (BK / 4), a_column = threadIdx.x % (BK / 4) * 4;
  const int b_row = threadIdx.x / (BN / 4), b_column = threadIdx.x % (BN / 4) * 4;
  float sum[TM * TN] = {}, x[TM], y[TN];
  for (int p = 0; p < n; p += BK) {
    for (int i = 0; i < BM; i += kThreads / (BK / 4)) {
      const float4 t = *reinterpret_cast<float4*>(&a[(a_row + i) * n + a_column]);
      as[(a_column + 0) * kA + a_row + i] = t.x;
      as[(a_column + 1) * kA + a_row + i] = t.y;
      as[(a_column + 2) * kA + a_row + i] = t.z;
      as[(a_column + 3) * kA + a_row + i] = t.w;
    }
    for (int i = 0; i < BK; i += kThreads / (BN / 4))
      *reinterpret_cast<float4*>(&bs[(b_row + i) * BN + b_column]) = *reinterpret_cast<float4*>(&b[(b_row + i) * n + b_column]);
    __syncthreads();
    a += BK, b += BK * n;
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) x[i] = as[k * kA + row * TM + i];
      for (int j = 0; j < TN; ++j) y[j] = bs[k * BN + column * TN + j];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sum[i * TN + j] += x[i] * y[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; j += 4)
      *reinterpret_cast<float4*>(&c[(row * TM + i) * n + column * TN + j]) =
          make_float4(sum[i * TN + j], sum[i * TN + j + 1], sum[i * TN + j + 2], sum[i * TN + j + 3]);
}

// Tiles of a warp inside the block's, and two buffers: the next tile is loaded while this one is used.
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, bool kTwoBuffers>
__global__ void __launch_bounds__(BM* BN / (WM * WN) * 32) product_warps(float* a, float* b, float* c, int n) {
  constexpr int kThreads = BM * BN / (WM * WN) * 32, kBuffers = kTwoBuffers ? 2 : 1;
  constexpr int kRows = WM / (TM * 4), kColumns = WN / (TN * 8);  // 4 x 8 lanes
  __shared__ __align__(16) float as[kBuffers][BK * BM], bs[kBuffers][BK * BN];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_row = warp / (BN / WN) * WM, warp_column = warp % (BN / WN) * WN, lane_row = lane / 8 * TM, lane_column = lane % 8 * TN;
  a += blockIdx.y * BM * n, b += blockIdx.x * BN, c += (blockIdx.y * BM + warp_row) * n + blockIdx.x * BN + warp_column;
  const int a_row = threadIdx.x / (BK / 4), a_column = threadIdx.x % (BK / 4) * 4;
  const int b_row = threadIdx.x / (BN / 4), b_column = threadIdx.x % (BN / 4) * 4;
  float sum[kRows * TM * kColumns * TN] = {}, x[kRows * TM], y[kColumns * TN];
  const auto load = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < BM; i += kThreads / (BK / 4)) {
      const float4 t = *reinterpret_cast<float4*>(&a[(a_row + i) * n + a_column]);
      as[buffer][(a_column + 0) * BM + a_row + i] = t.x;
      as[buffer][(a_column + 1) * BM + a_row + i] = t.y;
      as[buffer][(a_column + 2) * BM + a_row + i] = t.z;
      as[buffer][(a_column + 3) * BM + a_row + i] = t.w;
    }
#pragma unroll
    for (int i = 0; i < BK; i += kThreads / (BN / 4))
      *reinterpret_cast<float4*>(&bs[buffer][(b_row + i) * BN + b_column]) = *reinterpret_cast<float4*>(&b[(b_row + i) * n + b_column]);
    a += BK, b += BK * n;
  };
  const auto use = [&](int buffer) {
#pragma unroll
    for (int k = 0; k < BK; ++k) {
#pragma unroll
      for (int w = 0; w < kRows; ++w)
#pragma unroll
        for (int i = 0; i < TM; ++i) x[w * TM + i] = as[buffer][k * BM + warp_row + w * TM * 4 + lane_row + i];
#pragma unroll
      for (int w = 0; w < kColumns; ++w)
#pragma unroll
        for (int j = 0; j < TN; ++j) y[w * TN + j] = bs[buffer][k * BN + warp_column + w * TN * 8 + lane_column + j];
#pragma unroll
      for (int i = 0; i < kRows * TM; ++i)
#pragma unroll
        for (int j = 0; j < kColumns * TN; ++j) sum[i * kColumns * TN + j] += x[i] * y[j];
    }
  };
  if (kTwoBuffers) {
    load(0);
    __syncthreads();
    for (int p = 0; p < n; p += BK) {
      const int buffer = p / BK % 2;
      if (p + BK < n) load(1 - buffer);
      use(buffer);
      __syncthreads();
    }
  } else {
    for (int p = 0; p < n; p += BK) {
      load(0);
      __syncthreads();
      use(0);
      __syncthreads();
    }
  }
#pragma unroll
  for (int w = 0; w < kRows; ++w)
#pragma unroll
    for (int v = 0; v < kColumns; ++v)
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
          const float* s = &sum[(w * TM + i) * kColumns * TN + v * TN + j];
          *reinterpret_cast<float4*>(&c[(w * TM * 4 + lane_row + i) * n + v * TN * 8 + lane_column + j]) = make_float4(s[0], s[1], s[2], s[3]);
        }
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const int most = 2048;
  float* a = on_device<float>(size_t(most) * most, fraction);
  float* b = on_device<float>(size_t(most) * most, fraction);
  float* c = zeros<float>(size_t(most) * most);
  for (int n : {256, 512, 1024, 2048}) {
    const dim3 g32(n / 32, n / 32), g64(n / 64, n / 64), g128(n / 128, n / 128);
    run(sized("product_naive", n), [&] { product_naive<<<g32, dim3(32, 32)>>>(a, b, c, n); });
    run(sized("product_coalesced", n), [&] { product_coalesced<<<g32, 1024>>>(a, b, c, n); });
    run(sized("product_shared", n), [&] { product_shared<<<g32, 1024>>>(a, b, c, n); });
    run(sized("product_column", n), [&] { product_column<64, 64, 8, 8><<<g64, 512>>>(a, b, c, n); });
    run(sized("product_square4", n), [&] { product_square<64, 64, 16, 4, 4><<<g64, 256>>>(a, b, c, n); });
    run(sized("product_square8", n), [&] { product_square<128, 128, 8, 8, 8><<<g128, 256>>>(a, b, c, n); });
    run(sized("product_vector", n), [&] { product_vector<128, 128, 8, 8, 8, 0><<<g128, 256>>>(a, b, c, n); });
    run(sized("product_padded", n), [&] { product_vector<128, 128, 8, 8, 8, 4><<<g128, 256>>>(a, b, c, n); });
    run(sized("product_tuned", n), [&] { product_vector<64, 64, 16, 4, 4, 4><<<g64, 256>>>(a, b, c, n); });
    run(sized("product_warps", n), [&] { product_warps<128, 128, 16, 64, 64, 4, 4, false><<<g128, 128>>>(a, b, c, n); });
    run(sized("product_warps64", n), [&] { product_warps<64, 64, 16, 32, 32, 4, 4, false><<<g64, 128>>>(a, b, c, n); });
    run(sized("product_buffers", n), [&] { product_warps<128, 128, 16, 64, 64, 4, 4, true><<<g128, 128>>>(a, b, c, n); });
    run(sized("product_buffers64", n), [&] { product_warps<64, 64, 16, 32, 64, 8, 4, true><<<g64, 64>>>(a, b, c, n); });
  }
  return 0;
}
