// The inner loops of tiled products, without traffic to global memory: steps of loads from shared memory and FFMA.
#include "kernels/cases.h"
// Rows of a's tile as in product_square: 32-bit loads that ptxas merges.
template <int BM, int BN, int BK, int TM, int TN, bool kBarrier>
__global__ void __launch_bounds__(BM* BN / (TM * TN)) square(const float* a, float* c, int steps) {
  __shared__ float as[2][BM * BK], bs[2][BK * BN];
  const int column = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
  for (int i = threadIdx.x; i < 2 * BM * BK; i += blockDim.x) as[0][i] = a[i];
  for (int i = threadIdx.x; i < 2 * BK * BN; i += blockDim.x) bs[0][i] = a[i];
  __syncthreads();
  float sum[TM * TN] = {}, x[TM], y[TN];
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const float *at = as[s & 1], *bt = bs[s & 1];
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) x[i] = at[(row * TM + i) * BK + k];
      for (int j = 0; j < TN; ++j) y[j] = bt[k * BN + column * TN + j];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sum[i * TN + j] += x[i] * y[j];
    }
    if (kBarrier) __syncthreads();
  }
  float all = 0;
  for (int i = 0; i < TM * TN; ++i) all += sum[i];
  c[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
// a's tile transposed, as in product_vector.
template <int BM, int BN, int BK, int TM, int TN, bool kBarrier>
__global__ void __launch_bounds__(BM* BN / (TM * TN)) vector(const float* a, float* c, int steps) {
  __shared__ __align__(16) float as[2][BM * BK], bs[2][BK * BN];
  const int column = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
  for (int i = threadIdx.x; i < 2 * BM * BK; i += blockDim.x) as[0][i] = a[i];
  for (int i = threadIdx.x; i < 2 * BK * BN; i += blockDim.x) bs[0][i] = a[i];
  __syncthreads();
  float sum[TM * TN] = {}, x[TM], y[TN];
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const float *at = as[s & 1], *bt = bs[s & 1];
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) x[i] = at[k * BM + row * TM + i];
      for (int j = 0; j < TN; ++j) y[j] = bt[k * BN + column * TN + j];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sum[i * TN + j] += x[i] * y[j];
    }
    if (kBarrier) __syncthreads();
  }
  float all = 0;
  for (int i = 0; i < TM * TN; ++i) all += sum[i];
  c[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
// Tiles of a warp, as in product_warps.
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, bool kBarrier>
__global__ void __launch_bounds__(BM* BN / (WM * WN) * 32) warps(const float* a, float* c, int steps) {
  constexpr int kRows = WM / (TM * 4), kColumns = WN / (TN * 8);
  __shared__ __align__(16) float as[2][BK * BM], bs[2][BK * BN];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_row = warp / (BN / WN) * WM, warp_column = warp % (BN / WN) * WN, lane_row = lane / 8 * TM, lane_column = lane % 8 * TN;
  for (int i = threadIdx.x; i < 2 * BM * BK; i += blockDim.x) as[0][i] = a[i];
  for (int i = threadIdx.x; i < 2 * BK * BN; i += blockDim.x) bs[0][i] = a[i];
  __syncthreads();
  float sum[kRows * TM * kColumns * TN] = {}, x[kRows * TM], y[kColumns * TN];
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const int buffer = s & 1;
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
    if (kBarrier) __syncthreads();
  }
  float all = 0;
#pragma unroll
  for (int i = 0; i < kRows * TM * kColumns * TN; ++i) all += sum[i];
  c[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
// No loads: the outer products alone.
template <int TM, int TN>
__global__ void __launch_bounds__(128) registers(const float* a, float* c, int steps) {
  float sum[TM * TN] = {}, x[TM], y[TN];
  for (int i = 0; i < TM; ++i) x[i] = a[threadIdx.x + i];
  for (int j = 0; j < TN; ++j) y[j] = a[threadIdx.x + TM + j];
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sum[i * TN + j] += x[i] * y[j];
      x[k % TM] += 1, y[k % TN] += 1;
    }
  }
  float all = 0;
  for (int i = 0; i < TM * TN; ++i) all += sum[i];
  c[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
int main(int argc, char** argv) {
  Cases run(argc, argv);
  float* a = on_device<float>(1 << 16, fraction);
  float* c = zeros<float>(132 * 16 * 1024);
  const auto all = [&](const char* name, auto kernel, int threads, std::initializer_list<int> blocks, int steps) {
    for (int b : blocks) run(sized(name, b), [&] { kernel<<<132 * b, threads>>>(a, c, steps); });
  };
  all("square8", square<128, 128, 8, 8, 8, false>, 256, {1, 2}, 32);
  all("square8_barrier", square<128, 128, 8, 8, 8, true>, 256, {1, 2}, 32);
  all("vector8", vector<128, 128, 8, 8, 8, false>, 256, {1, 2}, 32);
  all("vector8_barrier", vector<128, 128, 8, 8, 8, true>, 256, {1, 2}, 32);
  all("square4", square<64, 64, 16, 4, 4, false>, 256, {1, 2, 4}, 32);
  all("square4_barrier", square<64, 64, 16, 4, 4, true>, 256, {1, 4}, 32);
  all("vector4", vector<64, 64, 16, 4, 4, false>, 256, {1, 2, 4}, 32);
  all("vector4_barrier", vector<64, 64, 16, 4, 4, true>, 256, {1, 4}, 32);
  all("vector8x4", vector<64, 64, 8, 8, 4, false>, 128, {1, 2, 4}, 32);
  all("warps64", warps<64, 64, 16, 32, 32, 4, 4, false>, 128, {1, 2, 4}, 32);
  all("warps64_barrier", warps<64, 64, 16, 32, 32, 4, 4, true>, 128, {1, 4}, 32);
  all("warps128", warps<128, 128, 16, 64, 64, 4, 4, false>, 128, {1, 2}, 32);
  all("warps64x32", warps<64, 64, 16, 32, 64, 8, 4, false>, 64, {1, 2, 4}, 32);
  all("registers8", registers<8, 8>, 128, {1, 2, 4}, 32);
  all("registers4", registers<4, 4>, 128, {1, 2, 4}, 32);
  return 0;
}
