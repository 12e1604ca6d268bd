// Dense and sparse linear algebra.
#include "cases.h"

template <class T>
__global__ void axpy(int n, T alpha, const T* x, T* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = alpha * x[i] + y[i];
}

template <class T>
__global__ void axpy_strided(int n, T alpha, const T* x, T* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = alpha * x[i] + y[i];
}

// One row a thread: adjacent lanes read a row apart.
__global__ void gemv_row(const float* a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += a[i * n + j] * x[j];
  y[i] = sum;
}

// The transposed matrix: coalesced.
__global__ void gemv_column(const float* a, const float* x, float* y, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i * n + j] * x[i];
  y[j] = sum;
}

__global__ void gemv_warp(const float* a, const float* x, float* y, int n) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= n) return;
  float sum = 0;
  for (int j = lane; j < n; j += 32) sum += a[row * n + j] * x[j];
  for (int s = 16; s > 0; s >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, s);
  if (lane == 0) y[row] = sum;
}

template <class T, int kTile>
__global__ void gemm_tiled(const T* a, const T* b, T* c, int n) {
  __shared__ T as[kTile][kTile], bs[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  T sum = 0;
  for (int p = 0; p < n; p += kTile) {
    as[ty][tx] = a[row * n + p + tx];
    bs[ty][tx] = b[(p + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// 64 x 64 results a block, 4 x 4 a thread.
__global__ void gemm_registers(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][64 + 1], bs[16][64];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int p = 0; p < n; p += 16) {
    for (int i = threadIdx.x; i < 64 * 16; i += 256) {
      as[i % 16][i / 16] = a[(row0 + i / 16) * n + p + i % 16];
      bs[i / 64][i % 64] = b[(p + i / 64) * n + column0 + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float x[4], y[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) x[i] = as[k][ty * 4 + i], y[i] = bs[k][tx + 16 * i];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[(row0 + ty * 4 + i) * n + column0 + tx + 16 * j] = sum[i][j];
}

// c = a * a^T: both operands along rows.
__global__ void rank_update(const float* a, float* c, int n, int m) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float sum = 0;
  for (int k = 0; k < m; ++k) sum += a[i * m + k] * a[j * m + k];
  c[i * n + j] = sum;
}

__global__ void eliminate_column(float* m, const float* a, int n, int t) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1 - t) m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}
__global__ void eliminate_rest(const float* m, float* a, int n, int t) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n - 1 - t || y >= n - t) return;
  a[n * (x + 1 + t) + y + t] -= m[n * (x + 1 + t) + t] * a[n * t + y + t];
}

__global__ void spmv_scalar(int rows, const int* start, const int* column, const float* value, const float* x, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = start[row]; i < start[row + 1]; ++i) sum += value[i] * x[column[i]];
  y[row] = sum;
}
__global__ void spmv_vector(int rows, const int* start, const int* column, const float* value, const float* x, float* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = start[row] + lane; i < start[row + 1]; i += 32) sum += value[i] * x[column[i]];
  for (int s = 16; s > 0; s >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, s);
  if (lane == 0) y[row] = sum;
}

struct Sparse {
  int rows;
  int *start, *column;
  float* value;
};
// `spread`: variation of the row lengths; columns are scattered.
Sparse sparse(int rows, int each, int spread) {
  std::vector<int> start(rows + 1, 0), column;
  for (int r = 0; r < rows; ++r) {
    const int length = each + (spread ? int(hashed(r) % uint32_t(2 * spread + 1)) - spread : 0);
    for (int i = 0; i < length; ++i) column.push_back(int(hashed(uint32_t(r) * 131u + uint32_t(i)) % uint32_t(rows)));
    start[r + 1] = int(column.size());
  }
  std::vector<float> value(column.size(), 0.5f);
  return {rows, on_device(start), on_device(column), on_device(value)};
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const int most = 2048;
  float* a = on_device<float>(size_t(most) * most, fraction);
  float* b = on_device<float>(size_t(most) * most, fraction);
  float* c = zeros<float>(size_t(most) * most);
  double* da = reinterpret_cast<double*>(a);
  double* db = reinterpret_cast<double*>(b);
  double* dc = reinterpret_cast<double*>(c);
  for (int block : {64, 128, 256, 512, 1024})
    run(sized("saxpy", 1 << 20, block), [&] { axpy<float><<<(1 << 20) / block, block>>>(1 << 20, 2.0f, a, c); });
  for (int n : {10000, 100000, 4000000})
    run(sized("saxpy", n), [&] { axpy<float><<<(n + 255) / 256, 256>>>(n, 2.0f, a, c); });
  run("saxpy_strided_4000000", [&] { axpy_strided<float><<<264, 256>>>(4000000, 2.0f, a, c); });
  run("daxpy_1000000", [&] { axpy<double><<<(1000000 + 255) / 256, 256>>>(1000000, 2.0, da, dc); });
  run("daxpy_strided_2000000", [&] { axpy_strided<double><<<528, 256>>>(2000000, 2.0, da, dc); });
  for (int n : {1024, 2048}) {
    run(sized("gemv_row", n), [&] { gemv_row<<<n / 128, 128>>>(a, b, c, n); });
    run(sized("gemv_column", n), [&] { gemv_column<<<n / 128, 128>>>(a, b, c, n); });
    run(sized("gemv_warp", n), [&] { gemv_warp<<<n / 8, 256>>>(a, b, c, n); });
  }
  for (int n : {256, 512}) {
    const dim3 g16(n / 16, n / 16), g32(n / 32, n / 32), b16(16, 16), b32(32, 32);
    run(sized("gemm_f32_tile16", n), [&] { gemm_tiled<float, 16><<<g16, b16>>>(a, b, c, n); });
    run(sized("gemm_f64_tile16", n), [&] { gemm_tiled<double, 16><<<g16, b16>>>(da, db, dc, n); });
    run(sized("gemm_f64_tile32", n), [&] { gemm_tiled<double, 32><<<g32, b32>>>(da, db, dc, n); });
    run(sized("rank_update", n), [&] { rank_update<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, c, n, 256); });
  }
  for (int n : {512, 1024})
    run(sized("gemm_registers", n), [&] { gemm_registers<<<dim3(n / 64, n / 64), 256>>>(a, b, c, n); });
  run("eliminate_column_1024", [&] { eliminate_column<<<4, 256>>>(c, a, 1024, 0); });
  run("eliminate_rest_1024", [&] { eliminate_rest<<<dim3(64, 64), dim3(16, 16)>>>(c, b, 1024, 0); });
  run("eliminate_rest_1024_late", [&] { eliminate_rest<<<dim3(64, 64), dim3(16, 16)>>>(c, b, 1024, 700); });
  const Sparse even = sparse(65536, 16, 0), uneven = sparse(65536, 24, 20), wide = sparse(8192, 300, 100);
  run("spmv_scalar_even", [&] { spmv_scalar<<<256, 256>>>(even.rows, even.start, even.column, even.value, a, c); });
  run("spmv_scalar_uneven", [&] { spmv_scalar<<<512, 128>>>(uneven.rows, uneven.start, uneven.column, uneven.value, a, c); });
  run("spmv_vector_uneven", [&] { spmv_vector<<<8192, 256>>>(uneven.rows, uneven.start, uneven.column, uneven.value, a, c); });
  run("spmv_vector_wide", [&] { spmv_vector<<<1024, 256>>>(wide.rows, wide.start, wide.column, wide.value, a, c); });
  run("spmv_scalar_wide", [&] { spmv_scalar<<<64, 128>>>(wide.rows, wide.start, wide.column, wide.value, a, c); });
  return 0;
}
