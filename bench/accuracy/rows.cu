// Threads that each walk a row of 768 floats, rows a `stride` apart, one or two warps a block (data/h200-rows.csv): which
// lines of rows the L1 keeps beside those of others. For ncu; prints "CASE,name". Build with -I kernels.
#include "cases.h"

__global__ void most(const float* x, float* y, int rows, int width, int stride) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + size_t(row) * stride;
  float most = -1e30f;
  for (int i = 0; i < width; ++i) most = fmaxf(most, in[i]);
  y[row] = most;
}
__global__ void twice(const float* x, float* y, int rows, int width, int stride) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + size_t(row) * stride;
  float most = -1e30f, sum = 0;
  for (int i = 0; i < width; ++i) most = fmaxf(most, in[i]);
  for (int i = 0; i < width; ++i) sum += expf(in[i] - most);
  y[row] = sum;
}
__global__ void stores(const float* x, float* y, int rows, int width, int stride) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int i = 0; i < width; ++i) y[size_t(row) * stride + i] = i;
}
__global__ void copies(const float* x, float* y, int rows, int width, int stride) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + size_t(row) * stride;
  for (int i = 0; i < width; ++i) y[size_t(row) * stride + i] = in[i];
}
__global__ void scaled(const float* x, float* y, int rows, int width, int stride) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* in = x + size_t(row) * stride;
  const float sum = in[0] + 1;
  for (int i = 0; i < width; ++i) y[size_t(row) * stride + i] = expf(in[i] - sum) / sum;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  float* x = on_device<float>(1 << 22, fraction);
  float* y = zeros<float>(1 << 22);
  for (int b : {32, 64})
    for (int stride : {768, 1024, 2048, 4096, 4100, 4128, 4608, 8192}) {
      const int rows = std::min(512, (1 << 22) / stride), width = 768;
      const std::string s = "_" + std::to_string(stride) + "_b" + std::to_string(b);
      run("most" + s, [&] { most<<<rows / b, b>>>(x, y, rows, width, stride); });
      run("twice" + s, [&] { twice<<<rows / b, b>>>(x, y, rows, width, stride); });
      run("stores" + s, [&] { stores<<<rows / b, b>>>(x, y, rows, width, stride); });
      run("copies" + s, [&] { copies<<<rows / b, b>>>(x, y, rows, width, stride); });
      run("scaled" + s, [&] { scaled<<<rows / b, b>>>(x, y, rows, width, stride); });
    }
  return 0;
}
