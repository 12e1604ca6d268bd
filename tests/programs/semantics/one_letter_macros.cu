// A program may define macros of one letter on the command line, as tuners do (-D M=8): the headers use none of them,
// and leave them defined. T is a template's parameter in NVIDIA's headers, too.
// RUN: -DA=1 -DB=2 -DC=3 -DD=4 -DE=5 -DF=6 -DG=7 -DH=8 -DI=9 -DJ=10 -DK=11 -DL=12 -DM=13 -DN=14 -DO=15 -DP=16 -DQ=17 -DR=18 -DS=19 -DU=21 -DV=22 -DW=23 -DX=24 -DY=25 -DZ=26
// EXPECT-STDOUT: 331 331
// EXPECT-NOT: warning
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <curand_kernel.h>
#include <mma.h>

#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>

#define SUM A + B + C + D + E + F + G + H + I + J + K + L + M + N + O + P + Q + R + S + U + V + W + X + Y + Z

__global__ void sum(int* out) { *out = SUM; }

int main() {
  int* device;
  int host = 0;
  cudaMalloc(&device, sizeof(int));
  sum<<<1, 1>>>(device);
  cudaMemcpy(&host, device, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::printf("%d %d\n", host, SUM);
  return 0;
}
