// Kernels bound by arithmetic: each kind alone, and mixed in physics and finance.
#include <cuda_fp16.h>

#include "cases.h"

__global__ void nbody(const float4* body, float4* force, int n) {
  __shared__ float4 tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 own = body[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 256) {
    tile[threadIdx.x] = body[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; ++j) {
      const float4 b = tile[j];
      const float dx = b.x - own.x, dy = b.y - own.y, dz = b.z - own.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = b.w * r * r * r;
      ax += dx * s;
      ay += dy * s;
      az += dz * s;
    }
    __syncthreads();
  }
  force[i] = float4{ax, ay, az, 0};
}

__global__ void mandelbrot(int* out, int width, int height, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float cx = -2.0f + 3.0f * x / width, cy = -1.5f + 3.0f * y / height;
  float zx = 0, zy = 0;
  int i = 0;
  while (i < most && zx * zx + zy * zy < 4) {
    const float next = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = next;
    ++i;
  }
  out[y * width + x] = i;
}

__device__ float normal_distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float v = 0.3989422804f * expf(-0.5f * d * d) *
            (k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - v : v;
}
__global__ void black_scholes(const float* price, const float* strike, const float* years, float* call, float* put, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
  const float d1 = (logf(s / x) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * root), d2 = d1 - 0.3f * root;
  const float n1 = normal_distribution(d1), n2 = normal_distribution(d2), e = expf(-0.02f * t);
  call[i] = s * n1 - x * e * n2;
  put[i] = x * e * (1.0f - n2) - s * (1.0f - n1);
}

__global__ void hash_mix(const uint32_t* in, uint32_t* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t h = in[i] + 0x9e3779b9u, k = i;
  for (int r = 0; r < rounds; ++r) {
    k *= 0xcc9e2d51u;
    k = k << 15 | k >> 17;
    k *= 0x1b873593u;
    h ^= k;
    h = h << 13 | h >> 19;
    h = h * 5 + 0xe6546b64u;
    k += h >> 3;
  }
  out[i] = h ^ h >> 16;
}

__global__ void sha_rounds(const uint32_t* in, uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t a = in[i], b = a ^ 0x6a09e667u, c = a + 0xbb67ae85u, d = ~a, e = b + 7, f = c ^ 11, g = d + 13, h = e;
#pragma unroll 8
  for (int r = 0; r < 64; ++r) {
    const uint32_t s1 = (e >> 6 | e << 26) ^ (e >> 11 | e << 21) ^ (e >> 25 | e << 7);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + 0x428a2f98u + r;
    const uint32_t s0 = (a >> 2 | a << 30) ^ (a >> 13 | a << 19) ^ (a >> 22 | a << 10);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  out[i] = a + e;
}

template <int kChains>
__global__ void fma_chains(float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[kChains];
  for (int c = 0; c < kChains; ++c) v[c] = i + c;
  for (int r = 0; r < rounds; ++r)
    for (int c = 0; c < kChains; ++c) v[c] = v[c] * 1.0001f + 0.5f;
  float sum = 0;
  for (int c = 0; c < kChains; ++c) sum += v[c];
  out[i] = sum;
}
__global__ void dfma_chains(double* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double a = i, b = i + 1, c = i + 2, d = i + 3;
  for (int r = 0; r < rounds; ++r) a = a * 1.0001 + 0.5, b = b * 1.0001 + 0.5, c = c * 1.0001 + 0.5, d = d * 1.0001 + 0.5;
  out[i] = a + b + c + d;
}
__global__ void trigonometry(float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = i * 0.001f;
  for (int r = 0; r < rounds; ++r) a = __sinf(a) + __cosf(a) * __expf(-a);
  out[i] = a;
}
__global__ void trigonometry_exact(float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = i * 0.001f;
  for (int r = 0; r < rounds; ++r) a = sinf(a) + cosf(a) * 0.7f;
  out[i] = a;
}
__global__ void roots(float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = i + 1.0f, b = i + 2.0f;
  for (int r = 0; r < rounds; ++r) a = sqrtf(a + 1.5f) + 2.0f, b = 3.0f / b + a;
  out[i] = a + b;
}
__global__ void integer_division(int* out, int rounds, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a = i + 1000000, sum = 0;
  for (int r = 0; r < rounds; ++r) sum += a / (by + r) + a % (by + 2 * r), a += 77;
  out[i] = sum;
}
__global__ void long_multiply(uint64_t* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint64_t a = i | 1, b = 0x9e3779b97f4a7c15ull;
  for (int r = 0; r < rounds; ++r) a = a * b + (a >> 32), b += a;
  out[i] = a;
}
__global__ void bits(uint32_t* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t a = i * 2654435761u, sum = 0;
  for (int r = 0; r < rounds; ++r) {
    sum += __popc(a) + __clz(a);
    a = __brev(a) ^ sum;
  }
  out[i] = sum;
}
__global__ void half_axpy(const __half2* x, __half2* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma2(__floats2half2_rn(1.5f, 1.5f), x[i], y[i]);
}
__global__ void half_chains(__half2* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half2 k = __floats2half2_rn(0.999f, 0.998f), m = __floats2half2_rn(0.01f, 0.02f);
  __half2 a = __floats2half2_rn(i & 15, 1), b = k, c = m, d = a;
  for (int r = 0; r < rounds; ++r) a = __hfma2(a, k, m), b = __hfma2(b, k, m), c = __hfma2(c, k, m), d = __hfma2(d, k, m);
  out[i] = __hadd2(__hadd2(a, b), __hadd2(c, d));
}
__global__ void conversions(const int* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float f = in[i];
  const double d = double(f) * 0.5 + double(in[i] & 7);
  out[i] = double(int(d)) + double(float(d) * 0.25f);
}
// Random walks of different lengths.
__global__ void monte_carlo(uint32_t* out, int paths) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t state = i * 747796405u + 2891336453u, steps = 0;
  for (int p = 0; p < paths; ++p) {
    float x = 0;
    while (fabsf(x) < 3.0f) {
      state = state * 1664525u + 1013904223u;
      x += (float(state >> 8) / 16777216.0f - 0.5f) * 2.0f;
      ++steps;
    }
  }
  out[i] = steps;
}
__global__ void horner(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  float v = 0.1f;
#pragma unroll
  for (int k = 0; k < 64; ++k) v = v * x + (0.01f * k + 0.3f);
  out[i] = v;
}
__global__ void nearest_centre(const float* point, const float* centre, int* out, int n, int centres) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float least = 1e30f;
  int best = 0;
  for (int c = 0; c < centres; ++c) {
    float distance = 0;
    for (int f = 0; f < 8; ++f) {
      const float d = point[f * n + i] - centre[c * 8 + f];
      distance += d * d;
    }
    if (distance < least) least = distance, best = c;
  }
  out[i] = best;
}

int main(int argc, char** argv) {
  Cases run(argc, argv);
  const int most = 1 << 21;
  float* a = on_device<float>(most, [](uint32_t i) { return fraction(i) * 30 + 5; });
  float* b = on_device<float>(most, [](uint32_t i) { return fraction(i) * 90 + 1; });
  float* t = on_device<float>(most, [](uint32_t i) { return fraction(i) * 9 + 0.25f; });
  float* c = zeros<float>(most * 2);
  float* d = zeros<float>(most * 2);
  int* ints = reinterpret_cast<int*>(c);
  uint32_t* words = reinterpret_cast<uint32_t*>(c);
  for (int n : {2048, 8192}) run(sized("nbody", n), [&] { nbody<<<n / 256, 256>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(c), n); });
  for (int n : {256, 512}) run(sized("mandelbrot", n), [&] { mandelbrot<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(ints, n, n, 256); });
  run("mandelbrot_512_16x16", [&] { mandelbrot<<<dim3(32, 32), dim3(16, 16)>>>(ints, 512, 512, 256); });
  for (int n : {1 << 17, 1 << 20}) run(sized("black_scholes", n), [&] { black_scholes<<<n / 128, 128>>>(a, b, t, c, d, n); });
  run("hash_mix_32", [&] { hash_mix<<<2048, 256>>>(words, reinterpret_cast<uint32_t*>(d), 1 << 19, 32); });
  run("sha_rounds", [&] { sha_rounds<<<1024, 256>>>(words, reinterpret_cast<uint32_t*>(d), 1 << 18); });
  run("fma_chain_1", [&] { fma_chains<1><<<264, 256>>>(c, 512); });
  run("fma_chains_2", [&] { fma_chains<2><<<264, 256>>>(c, 512); });
  run("fma_chains_8", [&] { fma_chains<8><<<264, 256>>>(c, 512); });
  run("fma_chain_1_lone_warps", [&] { fma_chains<1><<<132, 32>>>(c, 2048); });
  run("fma_chains_8_lone_warps", [&] { fma_chains<8><<<132, 32>>>(c, 1024); });
  run("dfma_chains", [&] { dfma_chains<<<264, 256>>>(reinterpret_cast<double*>(c), 512); });
  run("dfma_chains_lone_warps", [&] { dfma_chains<<<132, 64>>>(reinterpret_cast<double*>(c), 512); });
  run("trigonometry", [&] { trigonometry<<<528, 256>>>(c, 128); });
  run("trigonometry_exact", [&] { trigonometry_exact<<<264, 256>>>(c, 32); });
  run("roots", [&] { roots<<<264, 256>>>(c, 64); });
  run("integer_division", [&] { integer_division<<<264, 256>>>(ints, 64, 17); });
  run("long_multiply", [&] { long_multiply<<<264, 256>>>(reinterpret_cast<uint64_t*>(c), 256); });
  run("bits", [&] { bits<<<264, 256>>>(words, 256); });
  run("half_axpy", [&] { half_axpy<<<8192, 256>>>(reinterpret_cast<__half2*>(a), reinterpret_cast<__half2*>(c), most); });
  run("half_chains", [&] { half_chains<<<264, 256>>>(reinterpret_cast<__half2*>(c), 512); });
  run("conversions", [&] { conversions<<<4096, 256>>>(ints, reinterpret_cast<double*>(d), 1 << 20); });
  run("monte_carlo", [&] { monte_carlo<<<264, 128>>>(words, 16); });
  run("horner", [&] { horner<<<8192, 256>>>(a, c, most); });
  run("nearest_centre", [&] { nearest_centre<<<512, 256>>>(a, b, ints, 1 << 17, 32); });
  return 0;
}
