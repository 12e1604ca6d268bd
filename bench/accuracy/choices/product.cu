// A product of matrices with a tile of values a thread: the block's tile, its depth, and the thread's tile.
#include "program.h"

#ifndef BM
#define BM 64
#endif
#ifndef BN
#define BN 64
#endif
#ifndef BK
#define BK 8
#endif
#ifndef TM
#define TM 4
#endif
#ifndef TN
#define TN 4
#endif
constexpr int kThreads = BM / TM * (BN / TN);

__global__ void __launch_bounds__(kThreads) product(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[BK][BM], b_tile[BK][BN];
  const int t = threadIdx.x, row = t / (BN / TN) * TM, column = t % (BN / TN) * TN;
  a += blockIdx.y * BM * n;
  b += blockIdx.x * BN;
  float sum[TM][TN] = {};
  for (int k = 0; k < n; k += BK) {
    for (int i = t; i < BM * BK; i += kThreads) a_tile[i % BK][i / BK] = a[i / BK * n + k + i % BK];
    for (int i = t; i < BN * BK; i += kThreads) b_tile[i / BN][i % BN] = b[(k + i / BN) * n + i % BN];
    __syncthreads();
#pragma unroll
    for (int d = 0; d < BK; ++d) {
      float x[TM], y[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) x[i] = a_tile[d][row + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) y[j] = b_tile[d][column + j];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j) c[(blockIdx.y * BM + row + i) * n + blockIdx.x * BN + column + j] = sum[i][j];
}

int main(int argc, char** argv) {
  const int n = argument(argc, argv, 1, 512);
  const std::vector<float> a = whole_numbers(size_t(n) * n, 1), b = whole_numbers(size_t(n) * n, 2);
  float *da = on_device(a), *db = on_device(b), *dc = on_device(a);
  product<<<dim3(n / BN, n / BM), kThreads>>>(da, db, dc, n);
  const std::vector<float> c = on_host(dc, size_t(n) * n);
  std::vector<float> some;
  for (size_t i = 0; i < c.size(); i += 977) some.push_back(c[i]);
  return report(some, [&](size_t i) {
    const size_t row = i * 977 / n, column = i * 977 % n;
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += double(a[row * n + k]) * b[size_t(k) * n + column];
    return sum;
  });
}
