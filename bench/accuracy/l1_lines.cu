// Which lines an L1 keeps: a block on each of 132 multiprocessors loads its own lines eight times, at random, in turn, or there and
// back; or every other load is of one of 256 lines (hot). Each case is one launch, for ncu; prints "CASE,name".
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

enum Pattern { Random, Cycle, Zigzag, Hot };

__device__ uint32_t hashed(uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
  return x ^ x >> 16;
}

template <int PATTERN>
__global__ void walk(const float* in, float* out, int lines, int passes) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const float* mine = in + size_t(blockIdx.x) * lines * 32;
  float s = 0;
  for (int p = 0; p < passes; ++p)
    for (int i = warp; i < lines; i += warps) {
      int line = i;
      if (PATTERN == Random) line = hashed(p * lines + i) % lines;
      if (PATTERN == Zigzag) line = p & 1 ? lines - 1 - i : i;
      if (PATTERN == Hot) line = i & 1 ? hashed(p * lines + i) % 256 : 256 + i / 2 % (lines - 256);
      float v;
      asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(mine + size_t(line) * 32 + lane));
      s += v;
    }
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

template <int PATTERN>
void run(const char* name, const float* in, float* out, int lines, int warps) {
  cudaFuncSetAttribute(walk<PATTERN>, cudaFuncAttributePreferredSharedMemoryCarveout, 0);
  std::printf("CASE,%s_l%d_w%d\n", name, lines, warps);
  walk<PATTERN><<<132, warps * 32>>>(in, out, lines, PATTERN == Hot ? 16 : 8);
  cudaDeviceSynchronize();
}

int main() {
  float *in, *out;
  cudaMalloc(&in, size_t(132) * 4096 * 128);
  cudaMemset(in, 0, size_t(132) * 4096 * 128);
  cudaMalloc(&out, 132 * 1024 * 4);
  for (int warps : {1, 2, 4, 32})
    for (int lines : {1024, 1536, 1664, 1728, 1792, 1856, 1920, 1984, 2048, 2176, 2304, 2560, 3072, 4096}) {
      run<Random>("random", in, out, lines, warps);
      run<Cycle>("cycle", in, out, lines, warps);
      run<Zigzag>("zigzag", in, out, lines, warps);
      run<Hot>("hot", in, out, lines, warps);
    }
}
