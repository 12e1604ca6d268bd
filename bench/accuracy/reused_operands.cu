// Microbenchmark of operands that are overwritten (data/h200-reused-operands.csv): cycles for each iteration of loops
// in which an access to global memory is followed by a write to the registers of its address and its value.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <vector>
float* out;
long long* cycles;
// Loops in which each access's operands are written again: 0 RED float, 1 RED int, 2 store, 3 ATOM whose value is not
// awaited
template <int K>
__global__ void again(float* to, long long* cycles, int far, int stride, int some) {
  float x = threadIdx.x;
  float* p = to + (threadIdx.x * stride);
  int seen = 0;
  __syncthreads();
  long long begin = clock64();
#pragma unroll 1
  for (int t = 0; t < 64; t++) {
    if (K == 0) atomicAdd(p, x);
    if (K == 1) atomicAdd((int*)p, __float_as_int(x));
    if (K == 2) *(volatile float*)p = x;
    if (K == 3) seen = atomicExch((int*)p, __float_as_int(x));
    x = x * 2.f + 1.f;
    p += far;
    if (t == some) p += 32;
  }
  long long end = clock64();
  if (threadIdx.x % 32 == 0) cycles[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = end - begin;
  to[threadIdx.x] += x + seen;
}
template <int K>
void war(const char* kind) {
  for (int stride : {0, 1, 8, 32})
    for (int far : {0, 32, 32768})
      for (int warps : {1, 4, 8, 16, 32})
        for (int blocks : {1, 132}) {
          if (far * 64 + stride * 1024 + 4096 > (16 << 20)) continue;
          long long least = 1ll << 60, most = 0;
          for (int run = 0; run < 2; run++) {
            least = 1ll << 60, most = 0;
            again<K><<<blocks, 32 * warps>>>(out, cycles, far, stride, 100);
            std::vector<long long> c(blocks * warps);
            cudaMemcpy(c.data(), cycles, c.size() * 8, cudaMemcpyDeviceToHost);
            for (long long v : c) least = std::min(least, v), most = std::max(most, v);
          }
          printf("%s,%d,%d,%d,%d,%.2f,%.2f\n", kind, stride, far, warps, blocks, least / 64., most / 64.);
        }
}
int main() {
  cudaMalloc(&out, 64 << 20);
  cudaMalloc(&cycles, 1 << 20);
  cudaMemset(out, 0, 64 << 20);
  puts("kind,stride_words,step_words,warps,blocks,least,most");
  war<0>("red.f32"), war<1>("red.s32"), war<2>("st"), war<3>("atom");
  puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
