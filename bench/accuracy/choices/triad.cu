// a x + y over an array: threads of a block, elements a thread, and words a load.
#include "program.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#ifndef WORDS
#define WORDS 1
#endif

#if WORDS == 4
using Words = float4;
__device__ float4 triad_of(float a, float4 x, float4 y) {
  return make_float4(a * x.x + y.x, a * x.y + y.y, a * x.z + y.z, a * x.w + y.w);
}
#elif WORDS == 2
using Words = float2;
__device__ float2 triad_of(float a, float2 x, float2 y) { return make_float2(a * x.x + y.x, a * x.y + y.y); }
#else
using Words = float;
__device__ float triad_of(float a, float x, float y) { return a * x + y; }
#endif

__global__ void __launch_bounds__(BLOCK) triad(float a, const Words* x, const Words* y, Words* out) {
  const size_t base = size_t(blockIdx.x) * BLOCK * ITEMS + threadIdx.x;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) out[base + i * BLOCK] = triad_of(a, x[base + i * BLOCK], y[base + i * BLOCK]);
}

int main(int argc, char** argv) {
  const int n = argument(argc, argv, 1, 1 << 22);
  const std::vector<float> x = whole_numbers(n, 1), y = whole_numbers(n, 2);
  float *dx = on_device(x), *dy = on_device(y), *out = on_device(x);
  triad<<<n / (BLOCK * ITEMS * WORDS), BLOCK>>>(3, reinterpret_cast<Words*>(dx), reinterpret_cast<Words*>(dy),
                                                reinterpret_cast<Words*>(out));
  return report(on_host(out, n), [&](size_t i) { return 3.0 * x[i] + y[i]; });
}
