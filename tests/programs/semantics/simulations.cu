// Regular programs: n-body, 2D and 3D stencils, Game of Life, Mandelbrot, convolution with constant weights.
#include <cmath>

#include "check.h"

constexpr int kTile = 16;

__global__ void nbody(const float4* body, float3* force, int n) {
  __shared__ float4 tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = i < n ? body[i] : make_float4(0, 0, 0, 0);
  float3 f = make_float3(0, 0, 0);
  for (int base = 0; base < n; base += blockDim.x) {
    tile[threadIdx.x] = base + threadIdx.x < n ? body[base + threadIdx.x] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < blockDim.x; ++k) {
      float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float s = tile[k].w * inverse * inverse * inverse;
      f.x += s * dx, f.y += s * dy, f.z += s * dz;
    }
    __syncthreads();
  }
  if (i < n) force[i] = f;
}

__global__ void heat(float* out, const float* in, int w, int h) {
  __shared__ float s[kTile + 2][kTile + 2];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  auto at = [&](int px, int py) { return px >= 0 && py >= 0 && px < w && py < h ? in[py * w + px] : 0.f; };
  s[ty + 1][tx + 1] = at(x, y);
  if (ty == 0) s[0][tx + 1] = at(x, y - 1), s[kTile + 1][tx + 1] = at(x, y + kTile);
  if (tx == 0) s[ty + 1][0] = at(x - 1, y), s[ty + 1][kTile + 1] = at(x + kTile, y);
  __syncthreads();
  if (x < w && y < h)
    out[y * w + x] = (s[ty][tx + 1] + s[ty + 2][tx + 1] + s[ty + 1][tx] + s[ty + 1][tx + 2]) * 0.25f;
}

__global__ void stencil_3d(float* out, const float* in, int n) {
  int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) return;
  float below = in[y * n + x], here = in[n * n + y * n + x];
  for (int z = 1; z < n - 1; ++z) {  // a column in registers
    const float* p = in + (z * n + y) * n + x;
    float above = p[n * n];
    out[(z * n + y) * n + x] = 2 * here + below + above + p[-1] + p[1] + p[-n] + p[n];
    below = here;
    here = above;
  }
}

__global__ void life(unsigned char* out, const unsigned char* in, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy) alive += in[(y + dy + h) % h * w + (x + dx + w) % w];
  out[y * w + x] = alive == 3 || (alive == 2 && in[y * w + x]);
}

__host__ __device__ int escape(double cx, double cy, int limit) {
  double x = 0, y = 0;
  int k = 0;
  while (k < limit && x * x + y * y <= 4) {
    const double t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++k;
  }
  return k;
}
// Powers of two and no fused operations, so that host and device compute the same.
__device__ int escape_unfused(double cx, double cy, int limit) {
  double x = 0, y = 0;
  int k = 0;
  while (k < limit && __dadd_rn(__dmul_rn(x, x), __dmul_rn(y, y)) <= 4) {
    const double t = __dadd_rn(__dsub_rn(__dmul_rn(x, x), __dmul_rn(y, y)), cx);
    y = __dadd_rn(__dmul_rn(2 * x, y), cy);
    x = t;
    ++k;
  }
  return k;
}
__global__ void mandelbrot(int* out, int w, int h, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = escape_unfused(-2 + x * (3.0 / 128), -1.125 + y * (2.25 / 128), limit);
}

__constant__ float weights[7];
__global__ void convolve(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = -3; k <= 3; ++k)
    if (i + k >= 0 && i + k < n) sum += weights[k + 3] * in[i + k];
  out[i] = sum;
}

int main() {
  {
    const int n = 500;
    std::vector<float4> body(n);
    for (int i = 0; i < n; ++i) body[i] = make_float4(i % 17 * 0.3f, i % 23 * 0.2f, i % 7 * 0.5f, 1 + i % 3);
    Buffer<float4> device(body);
    Buffer<float3> force(n);
    nbody<<<(n + 127) / 128, 128>>>(device, force, n);
    CK_LAUNCH();
    const std::vector<float3> got = force.get();
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      double f[3] = {};
      for (int k = 0; k < n; ++k) {
        const double dx = body[k].x - body[i].x, dy = body[k].y - body[i].y, dz = body[k].z - body[i].z;
        const double s = body[k].w / std::pow(dx * dx + dy * dy + dz * dz + 0.01, 1.5);
        f[0] += s * dx, f[1] += s * dy, f[2] += s * dz;
      }
      const double size = std::sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) + 1;
      worst = std::fmax(worst, (std::fabs(got[i].x - f[0]) + std::fabs(got[i].y - f[1]) + std::fabs(got[i].z - f[2])) / size);
    }
    EXPECT(worst < 2e-4);
  }
  {
    const int w = 75, h = 50;
    std::vector<float> in(w * h), want(w * h);
    for (int i = 0; i < w * h; ++i) in[i] = i * 7 % 64;
    const auto at = [&](int x, int y) { return x >= 0 && y >= 0 && x < w && y < h ? in[y * w + x] : 0.f; };
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) want[y * w + x] = (at(x, y - 1) + at(x, y + 1) + at(x - 1, y) + at(x + 1, y)) * 0.25f;
    Buffer<float> device_in(in), out(w * h);
    heat<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(out, device_in, w, h);
    CK_LAUNCH();
    expect_same("heat", out.get(), want);
  }
  {
    const int n = 30;
    std::vector<float> in(n * n * n), want(n * n * n, 0.f);
    for (int i = 0; i < n * n * n; ++i) in[i] = i % 13;
    for (int z = 1; z < n - 1; ++z)
      for (int y = 1; y < n - 1; ++y)
        for (int x = 1; x < n - 1; ++x) {
          const float* p = &in[(z * n + y) * n + x];
          want[(z * n + y) * n + x] = 2 * p[0] + p[-n * n] + p[n * n] + p[-1] + p[1] + p[-n] + p[n];
        }
    Buffer<float> device_in(in), out(n * n * n);
    stencil_3d<<<8, dim3(32, 4)>>>(out, device_in, n);
    CK_LAUNCH();
    expect_same("stencil_3d", out.get(), want);
  }
  {
    const int w = 70, h = 45;
    std::vector<unsigned char> cells(w * h), next(w * h);
    for (int i = 0; i < w * h; ++i) cells[i] = i * 2654435761u >> 30 == 1;
    Buffer<unsigned char> a(cells), b(w * h);
    unsigned char *from = a, *to = b;
    for (int step = 0; step < 10; ++step) {
      life<<<dim3(3, 6), dim3(32, 8)>>>(to, from, w, h);
      std::swap(from, to);
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
          int alive = 0;
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
              if (dx || dy) alive += cells[(y + dy + h) % h * w + (x + dx + w) % w];
          next[y * w + x] = alive == 3 || (alive == 2 && cells[y * w + x]);
        }
      cells.swap(next);
    }
    CK_LAUNCH();
    expect_same("life", a.get(), cells);
  }
  {
    const int w = 128, h = 128, limit = 200;
    std::vector<int> want(w * h);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) want[y * w + x] = escape(-2 + x * (3.0 / 128), -1.125 + y * (2.25 / 128), limit);
    Buffer<int> out(w * h);
    mandelbrot<<<dim3(8, 16), dim3(16, 8)>>>(out, w, h, limit);
    CK_LAUNCH();
    expect_same("mandelbrot", out.get(), want);
  }
  {
    const int n = 1000;
    const float w[7] = {1, -2, 3, 4, 3, -2, 1};
    std::vector<float> in(n), want(n, 0.f);
    for (int i = 0; i < n; ++i) in[i] = i % 21 - 10;
    for (int i = 0; i < n; ++i)
      for (int k = -3; k <= 3; ++k)
        if (i + k >= 0 && i + k < n) want[i] += w[k + 3] * in[i + k];
    CK(cudaMemcpyToSymbol(weights, w, sizeof w));
    Buffer<float> device_in(in), out(n);
    convolve<<<8, 128>>>(out, device_in, n);
    CK_LAUNCH();
    std::vector<float> got = out.get();
    for (float& v : got) v += 0.f;
    for (float& v : want) v += 0.f;
    expect_same("convolve", got, want);
  }
  return finish();
}
