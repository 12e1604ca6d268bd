// Forces between bodies: threads of a block, bodies a thread, and how far the loop over a tile is unrolled.
#include "program.h"

#ifndef BLOCK
#define BLOCK 128
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef UNROLL
#define UNROLL 4
#endif
constexpr int kUnroll = UNROLL;  // nvcc expands no macros in pragmas

__global__ void __launch_bounds__(BLOCK) bodies(const float4* in, float4* out, int n) {
  __shared__ float4 tile[BLOCK];
  float4 mine[ITEMS];
  float3 force[ITEMS] = {};
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) mine[i] = in[(blockIdx.x * ITEMS + i) * BLOCK + threadIdx.x];
  for (int first = 0; first < n; first += BLOCK) {
    tile[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
#pragma unroll kUnroll
    for (int j = 0; j < BLOCK; ++j) {
      const float4 other = tile[j];
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) {
        const float x = other.x - mine[i].x, y = other.y - mine[i].y, z = other.z - mine[i].z;
        const float inverse = rsqrtf(x * x + y * y + z * z + 0.5f), weight = other.w * inverse * inverse * inverse;
        force[i].x += x * weight, force[i].y += y * weight, force[i].z += z * weight;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    out[(blockIdx.x * ITEMS + i) * BLOCK + threadIdx.x] = make_float4(force[i].x, force[i].y, force[i].z, mine[i].w);
}

int main(int argc, char** argv) {
  const int n = argument(argc, argv, 1, 8192);
  const std::vector<float> in = whole_numbers(size_t(n) * 4, 1);
  float *from = on_device(in), *to = on_device(in);
  bodies<<<n / (BLOCK * ITEMS), BLOCK>>>(reinterpret_cast<const float4*>(from), reinterpret_cast<float4*>(to), n);
  std::vector<float> out = on_host(to, in.size()), some;
  for (int i = 0; i < 64; ++i) some.push_back(out[size_t(i) * (n / 64) * 4]);
  return report(some, [&](size_t body) {
    const float* const me = &in[body * (n / 64) * 4];
    double sum = 0;
    for (int j = 0; j < n; ++j) {
      const float* const other = &in[size_t(j) * 4];
      double r = 0.5;
      for (int k = 0; k < 3; ++k) r += (double(other[k]) - me[k]) * (double(other[k]) - me[k]);
      sum += (double(other[0]) - me[0]) * other[3] / (r * std::sqrt(r));
    }
    return sum;
  }, 2e-3);
}
