// Arrays that a grid reads and writes once, an element a thread: how reads and writes share the DRAM. Each case is one launch, for
// ncu; prints "CASE,name". All loads come first, or in phases with a share of the stores behind each.
#include <cuda_runtime.h>

#include <cstdio>

struct Arrays {
  float* in[8];
  float* out[8];
};

template <int R, int W, int PHASES>
__global__ void streams(Arrays a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 1.0f;
  constexpr int per = (R + PHASES - 1) / PHASES;
#pragma unroll
  for (int p = 0; p < PHASES; ++p) {
    float v[per > 0 ? per : 1];
#pragma unroll
    for (int r = 0; r < per; ++r) v[r] = p * per + r < R ? a.in[p * per + r][i] : 0.0f;
#pragma unroll
    for (int r = 0; r < per; ++r) s = s * 0.5f + v[r];
#pragma unroll
    for (int w = 0; w < W; ++w)
      if (w * PHASES / (W ? W : 1) == p) a.out[w][i] = s + w;
    if (PHASES > 1) asm volatile("" ::: "memory");
  }
  if (W == 0 && s == 12345.678f) a.out[0][i] = s;
}
template <int R, int W, int P>
void run(int place, int n, float* pool, size_t stride) {
  Arrays a;
  for (int i = 0; i < 8; ++i) a.in[i] = pool + i * stride, a.out[i] = place ? a.in[i] : pool + (8 + i) * stride;
  std::printf("CASE,r%d_w%d_%s_p%d_n%d\n", R, W, place ? "in" : "out", P, n / 1000000);
  streams<R, W, P><<<(n + 255) / 256, 256>>>(a, n);
  cudaDeviceSynchronize();
}
int main() {
  const size_t most = 16000000, stride = most;
  float* pool;
  cudaMalloc(&pool, 16 * stride * 4);
  cudaMemset(pool, 0, 16 * stride * 4);
  for (int n : {1000000, 4000000, 16000000}) {
    run<1, 0, 1>(0, n, pool, stride);
    run<2, 0, 1>(0, n, pool, stride);
    run<4, 0, 1>(0, n, pool, stride);
    run<8, 0, 1>(0, n, pool, stride);
    run<1, 1, 1>(0, n, pool, stride);
    run<1, 1, 1>(1, n, pool, stride);
    run<2, 1, 1>(0, n, pool, stride);
    run<2, 2, 1>(1, n, pool, stride);
    run<2, 2, 1>(0, n, pool, stride);
    run<4, 1, 1>(0, n, pool, stride);
    run<4, 1, 1>(1, n, pool, stride);
    run<4, 3, 1>(1, n, pool, stride);
    run<4, 3, 1>(0, n, pool, stride);
    run<4, 4, 1>(1, n, pool, stride);
    run<4, 3, 3>(1, n, pool, stride);
    run<4, 3, 3>(0, n, pool, stride);
    run<4, 4, 2>(1, n, pool, stride);
    run<4, 0, 2>(0, n, pool, stride);
    run<4, 0, 4>(0, n, pool, stride);
    run<0, 1, 1>(0, n, pool, stride);
    run<0, 3, 1>(0, n, pool, stride);
  }
}
