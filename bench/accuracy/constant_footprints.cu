// Microbenchmark of the constant caches (data/h200-constant-footprints.csv): cycles of a warp for each read of
// constants `step` words apart, in turns over 256 bytes to 64 KB, by ULDC, by LDC and as operands at known addresses.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <vector>
__constant__ int table[16384];
// uniform addresses in a loop: ULDC
template <int S>
__global__ void uniform_(int* out, long long* cycles, int reads, int turns) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  const float* f = reinterpret_cast<const float*>(table);
  long long begin = 0;
#pragma unroll 1
  for (int t = 0; t <= turns; t++) {
    if (t == 1) __syncthreads(), begin = clock64();
#pragma unroll 1
    for (int i = 0; i < reads; i += 4)
      a = a * f[i * S] + a, b = b * f[(i + 1) * S] + b, c = c * f[(i + 2) * S] + c, d = d * f[(i + 3) * S] + d;
  }
  long long end = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
  if (threadIdx.x % 32 == 0) cycles[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = end - begin;
}
// addresses in registers, one word a warp: LDC, four at a time; each warp starts elsewhere by `phase` lines
__global__ void indexed(int* out, long long* cycles, int reads, int step, int turns, int phase) {
  int sum = 0;
  const int zero = out[threadIdx.x] & 1, start = zero + phase * (threadIdx.x / 32), all = reads * step;
  long long begin = 0;
  for (int t = 0; t <= turns; t++) {
    if (t == 1) __syncthreads(), begin = clock64();
    int at = start % all;
#pragma unroll 4
    for (int i = 0; i < reads; i++) sum ^= table[at] * 3 + i, at += step, at = at >= all ? at - all : at;
  }
  long long end = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum & ~1;
  if (threadIdx.x % 32 == 0) cycles[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = end - begin;
}
// a chain of LDC
__global__ void chain(int* out, long long* cycles, int reads, int step, int turns, int phase) {
  int at = (out[threadIdx.x] & 1) + phase * (threadIdx.x / 32) % (reads * step);
  long long begin = 0;
  for (int t = 0; t <= turns; t++) {
    if (t == 1) __syncthreads(), begin = clock64();
    for (int i = 0; i < reads; i++) at = table[at];
  }
  long long end = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = at & ~1;
  if (threadIdx.x % 32 == 0) cycles[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = end - begin;
}
// operands at known addresses
template <int R, int S>
__device__ __noinline__ float4 step(float4 v) {
  const float* f = reinterpret_cast<const float*>(table);
#pragma unroll
  for (int i = 0; i < R; i += 4) {
    v.x = v.x * f[i * S] + v.x, v.y = v.y * f[(i + 1) * S] + v.y, v.z = v.z * f[(i + 2) * S] + v.z,
    v.w = v.w * f[(i + 3) * S] + v.w;
  }
  return v;
}
template <int R, int S>
__global__ void operands(int* out, long long* cycles, int turns) {
  float a = threadIdx.x;
  float4 v = make_float4(a, a + 1, a + 2, a + 3);
  long long begin = 0;
#pragma unroll 1
  for (int t = 0; t <= turns; t++) {
    if (t == 1) __syncthreads(), begin = clock64();
    v = step<R, S>(v);
  }
  long long end = clock64();
  out[blockIdx.x * blockDim.x + threadIdx.x] = v.x + v.y + v.z + v.w;
  if (threadIdx.x % 32 == 0) cycles[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = end - begin;
}
int* out;
long long* cycles;
template <class F>
void report(const char* kind, int reads, int step, int warps, int blocks, int phase, int turns, F launch) {
  std::vector<long long> c(blocks * warps);
  for (int again = 0; again < 2; again++) cudaMemset(out, 0, 4 << 20), launch();
  cudaMemcpy(c.data(), cycles, c.size() * 8, cudaMemcpyDeviceToHost);
  std::sort(c.begin(), c.end());
  printf("%s,%d,%d,%d,%d,%d,%d,%.2f,%.2f,%.2f\n", kind, reads * step * 4, reads, step, warps, blocks, phase,
         c[0] / double(reads) / turns, c[c.size() / 2] / double(reads) / turns, c.back() / double(reads) / turns);
}
template <int R, int S>
void known(int warps, int blocks) {
  const int turns = std::max(2, 2048 / R);
  report("operand", R, S, warps, blocks, 0, turns, [&] { operands<R, S><<<blocks, 32 * warps>>>(out, cycles, turns); });
}
int main() {
  std::vector<int> host(16384);
  cudaMalloc(&out, 4 << 20);
  cudaMalloc(&cycles, 1 << 20);
  puts("kind,bytes,reads,step_words,warps,blocks,phase_words,least,median,most");
  for (int step : {16, 1, 4, 8, 64})
    for (int bytes : {256,  512,  1024, 1536,  1792,  2048,  2304,  2560,  3072,  3456,
                      4096, 6144, 8192, 12288, 16384, 24576, 32768, 40960, 49152, 65536}) {
      if (bytes % (step * 16)) continue;
      const int reads = bytes / 4 / step, turns = std::max(2, 2048 / reads);
      for (int i = 0; i < 16384; i++) host[i] = (i + step) % (bytes / 4);
      cudaMemcpyToSymbol(table, host.data(), 65536);
      for (int blocks : {1, 132}) {
        if (blocks > 1 && step != 16) continue;
        for (int warps : {1, 2, 4, 8, 16, 32}) {
          if ((step != 16 || blocks > 1) && warps != 1 && warps != 4 && warps != 16) continue;
          report("uniform", reads, step, warps, blocks, 0, turns, [&] {
            if (step == 16) uniform_<16><<<blocks, 32 * warps>>>(out, cycles, reads, turns);
            if (step == 1) uniform_<1><<<blocks, 32 * warps>>>(out, cycles, reads, turns);
            if (step == 4) uniform_<4><<<blocks, 32 * warps>>>(out, cycles, reads, turns);
            if (step == 8) uniform_<8><<<blocks, 32 * warps>>>(out, cycles, reads, turns);
            if (step == 64) uniform_<64><<<blocks, 32 * warps>>>(out, cycles, reads, turns);
          });
          for (int phase : {0, 80}) {
            if (phase && (warps == 1 || step != 16)) continue;
            report("indexed", reads, step, warps, blocks, phase, turns,
                   [&] { indexed<<<blocks, 32 * warps>>>(out, cycles, reads, step, turns, phase); });
            report("chain", reads, step, warps, blocks, phase, turns,
                   [&] { chain<<<blocks, 32 * warps>>>(out, cycles, reads, step, turns, phase); });
          }
        }
      }
    }
  for (int blocks : {1, 132})
    for (int warps : {1, 2, 4, 8, 16, 32}) {
      known<16, 16>(warps, blocks), known<24, 16>(warps, blocks), known<28, 16>(warps, blocks),
          known<32, 16>(warps, blocks), known<36, 16>(warps, blocks), known<40, 16>(warps, blocks),
          known<48, 16>(warps, blocks), known<64, 16>(warps, blocks), known<96, 16>(warps, blocks),
          known<128, 16>(warps, blocks), known<256, 16>(warps, blocks), known<512, 16>(warps, blocks),
          known<1024, 16>(warps, blocks);
      known<256, 1>(warps, blocks), known<512, 1>(warps, blocks), known<1024, 1>(warps, blocks),
          known<128, 4>(warps, blocks), known<256, 4>(warps, blocks), known<512, 4>(warps, blocks),
          known<256, 8>(warps, blocks);
    }
  puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
