// A histogram of bytes: threads of a block, private copies of the bins a block, and elements a thread.
#include "program.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef COPIES
#define COPIES 1
#endif
#ifndef ITEMS
#define ITEMS 8
#endif
constexpr int kBins = 256;

__global__ void __launch_bounds__(BLOCK) histogram(const unsigned char* in, unsigned* bins) {
  __shared__ unsigned mine[COPIES][kBins];
  for (int i = threadIdx.x; i < COPIES * kBins; i += BLOCK) mine[i / kBins][i % kBins] = 0;
  __syncthreads();
  const unsigned char* from = in + size_t(blockIdx.x) * BLOCK * ITEMS;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) atomicAdd(&mine[threadIdx.x / 32 % COPIES][from[i * BLOCK + threadIdx.x]], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += BLOCK) {
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < COPIES; ++c) sum += mine[c][bin];
    atomicAdd(&bins[bin], sum);
  }
}

int main(int argc, char** argv) {
  const int n = argument(argc, argv, 1, 1 << 20);
  std::vector<unsigned char> in(n);
  std::vector<unsigned> right(kBins);
  unsigned state = 1;
  for (unsigned char& value : in) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<unsigned char>(state >> 24 & state >> 16 & 255);  // some bins are more frequent
    ++right[value];
  }
  unsigned char* from = on_device(in);
  unsigned* to = on_device(std::vector<unsigned>(kBins));
  histogram<<<n / (BLOCK * ITEMS), BLOCK>>>(from, to);
  return report(on_host(to, kBins), [&](size_t i) { return right[i]; });
}
