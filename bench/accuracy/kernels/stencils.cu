// Stencils on two- and three-dimensional grids.
#include "cases.h"

__global__ void jacobi2d(const float* a, float* b, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  b[y * n + x] = 0.2f * (a[y * n + x] + a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
}

template <int kWidth, int kHeight>
__global__ void jacobi2d_shared(const float* a, float* b, int n) {
  __shared__ float tile[kHeight + 2][kWidth + 2];
  const int x = blockIdx.x * kWidth + threadIdx.x, y = blockIdx.y * kHeight + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  tile[ty][tx] = a[y * n + x];
  if (threadIdx.x == 0 && x > 0) tile[ty][0] = a[y * n + x - 1];
  if (threadIdx.x == kWidth - 1 && x < n - 1) tile[ty][kWidth + 1] = a[y * n + x + 1];
  if (threadIdx.y == 0 && y > 0) tile[0][tx] = a[(y - 1) * n + x];
  if (threadIdx.y == kHeight - 1 && y < n - 1) tile[kHeight + 1][tx] = a[(y + 1) * n + x];
  __syncthreads();
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  b[y * n + x] = 0.2f * (tile[ty][tx] + tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}

__global__ void stencil3d(const float* a, float* b, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const int plane = n * n;
  const float* at = a + y * n + x;
  float below = at[0], here = at[plane];
  for (int z = 1; z < n - 1; ++z) {
    const float above = at[(z + 1) * plane];
    b[z * plane + y * n + x] = 0.4f * here + 0.1f * (below + above + at[z * plane - 1] + at[z * plane + 1] +
                                                     at[z * plane - n] + at[z * plane + n]);
    below = here;
    here = above;
  }
}

__global__ void stencil3d_flat(const float* a, float* b, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  const int plane = n * n, i = z * plane + y * n + x;
  b[i] = 0.4f * a[i] + 0.1f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - plane] + a[i + plane]);
}

// Nine points and a division, with mirrored borders.
__global__ void diffuse(const float* image, float* out, float* coefficient, int rows, int columns, float q0) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  const int north = y == 0 ? y : y - 1, south = y == rows - 1 ? y : y + 1;
  const int west = x == 0 ? x : x - 1, east = x == columns - 1 ? x : x + 1;
  const float c = image[y * columns + x];
  const float dn = image[north * columns + x] - c, ds = image[south * columns + x] - c;
  const float dw = image[y * columns + west] - c, de = image[y * columns + east] - c;
  const float g = (dn * dn + ds * ds + dw * dw + de * de) / (c * c), l = (dn + ds + dw + de) / c;
  const float num = 0.5f * g - 0.0625f * l * l, den = 1 + 0.25f * l, q = num / (den * den);
  float k = 1.0f / (1.0f + (q - q0) / (q0 * (1 + q0)));
  k = k < 0 ? 0 : k > 1 ? 1 : k;
  coefficient[y * columns + x] = k;
  out[y * columns + x] = c + 0.125f * k * (dn + ds + dw + de);
}

__global__ void wave_fields(const float* ex, const float* ey, float* hz, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n - 1 || y >= n - 1) return;
  hz[y * n + x] -= 0.7f * (ex[y * n + x + 1] - ex[y * n + x] + ey[(y + 1) * n + x] - ey[y * n + x]);
}

__constant__ float weights[81];
template <int kRadius>
__global__ void convolve(const float* image, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < kRadius || y < kRadius || x >= n - kRadius || y >= n - kRadius) return;
  float sum = 0;
  for (int dy = -kRadius; dy <= kRadius; ++dy)
    for (int dx = -kRadius; dx <= kRadius; ++dx)
      sum += weights[(dy + kRadius) * (2 * kRadius + 1) + dx + kRadius] * image[(y + dy) * n + x + dx];
  out[y * n + x] = sum;
}

__global__ void sobel(const uint8_t* image, uint8_t* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const uint8_t* at = image + y * n + x;
  const int gx = at[-n + 1] + 2 * at[1] + at[n + 1] - at[-n - 1] - 2 * at[-1] - at[n - 1];
  const int gy = at[n - 1] + 2 * at[n] + at[n + 1] - at[-n - 1] - 2 * at[-n] - at[-n + 1];
  const int g = abs(gx) + abs(gy);
  out[y * n + x] = uint8_t(g > 255 ? 255 : g);
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const int most = 2048;
  float* a = on_device<float>(size_t(most) * most * 4, fraction);
  float* b = zeros<float>(size_t(most) * most * 4);
  float* c = zeros<float>(size_t(most) * most);
  CHECK(cudaMemcpyToSymbol(weights, std::vector<float>(81, 0.0123f).data(), 81 * sizeof(float)));
  const dim3 b32(32, 8), b16(16, 16), b64(64, 4);
  for (int n : {512, 1024, 2048}) {
    run(sized("jacobi2d", n, 256), [&] { jacobi2d<<<dim3(n / 32, n / 8), b32>>>(a, b, n); });
    run(sized("diffuse", n), [&] { diffuse<<<dim3(n / 16, n / 16), b16>>>(a, b, c, n, n, 0.05f); });
  }
  run("jacobi2d_2048_16x16", [&] { jacobi2d<<<dim3(128, 128), b16>>>(a, b, 2048); });
  run("jacobi2d_2048_64x4", [&] { jacobi2d<<<dim3(32, 512), b64>>>(a, b, 2048); });
  run("jacobi2d_shared_2048", [&] { jacobi2d_shared<32, 8><<<dim3(64, 256), b32>>>(a, b, 2048); });
  run("jacobi2d_shared_2048_32x32", [&] { jacobi2d_shared<32, 32><<<dim3(64, 64), dim3(32, 32)>>>(a, b, 2048); });
  for (int n : {64, 128, 192}) {
    run(sized("stencil3d", n), [&] { stencil3d<<<dim3(n / 32, n / 8), b32>>>(a, b, n); });
    run(sized("stencil3d_flat", n), [&] { stencil3d_flat<<<dim3(n / 32, n / 8, n), b32>>>(a, b, n); });
  }
  run("wave_fields_1024", [&] { wave_fields<<<dim3(32, 128), b32>>>(a, b, c, 1024); });
  run("wave_fields_2048", [&] { wave_fields<<<dim3(64, 256), b32>>>(a, b, c, 2048); });
  run("convolve3_2048", [&] { convolve<1><<<dim3(64, 256), b32>>>(a, b, 2048); });
  run("convolve5_1024", [&] { convolve<2><<<dim3(32, 128), b32>>>(a, b, 1024); });
  run("convolve9_1024", [&] { convolve<4><<<dim3(32, 128), b32>>>(a, b, 1024); });
  run("sobel_2048", [&] { sobel<<<dim3(64, 256), b32>>>(reinterpret_cast<uint8_t*>(a), reinterpret_cast<uint8_t*>(b), 2048); });
  return 0;
}
