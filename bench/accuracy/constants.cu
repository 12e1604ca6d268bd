// Microbenchmark of LDC (data/h200-constants.csv): a chain of loads of constants whose lanes load `distinct` words,
// `step` words apart; by warps of one block.
#include <cuda_runtime.h>
#include <cstdio>
__constant__ int table[4096];
__global__ void chain(int* out, long long* cycles, int distinct, int step, int steps) {
  int at = (threadIdx.x % distinct) * step;
  for (int i = 0; i < 64; i++) at = table[at];
  __syncthreads();
  long long begin = clock64();
#pragma unroll 8
  for (int i = 0; i < steps; i++) at = table[at];
  long long end = clock64();
  out[threadIdx.x] = at;
  if (threadIdx.x % 32 == 0) cycles[threadIdx.x / 32] = end - begin;
}
// Four loads at a time that do not depend on each other.
__global__ void four(int* out, long long* cycles, int distinct, int step, int steps) {
  int a = (threadIdx.x % distinct) * step, b = a, c = a, d = a;
  for (int i = 0; i < 16; i++) a = table[a], b = table[b], c = table[c], d = table[d];
  b = a ^ (out[40] & 1), c = a ^ (out[41] & 1), d = a ^ (out[42] & 1);
  __syncthreads();
  long long begin = clock64();
#pragma unroll 4
  for (int i = 0; i < steps; i++) a = table[a], b = table[b], c = table[c], d = table[d];
  long long end = clock64();
  out[threadIdx.x] = a + b + c + d;
  if (threadIdx.x % 32 == 0) cycles[threadIdx.x / 32] = end - begin;
}
int main() {
  int host[4096];
  for (int i = 0; i < 4096; i++) host[i] = i;
  cudaMemcpyToSymbol(table, host, sizeof host);
  int* out;
  long long *cycles, c[32];
  cudaMalloc(&out, 8192);
  cudaMemset(out, 0, 8192);
  cudaMalloc(&cycles, 256);
  for (int kind = 0; kind < 2; kind++)
    for (int step : {1, 4, 16, 33, 64})
      for (int distinct : {1, 2, 3, 4, 8, 16, 32})
        for (int warps : {1, 2, 4, 8, 16, 32}) {
          if (distinct == 1 && step > 1) continue;
          for (int again = 0; again < 2; again++) {
            cudaMemset(out, 0, 8192);
            if (kind)
              four<<<1, 32 * warps>>>(out, cycles, distinct, step, 64);
            else
              chain<<<1, 32 * warps>>>(out, cycles, distinct, step, 256);
          }
          cudaMemcpy(c, cycles, 256, cudaMemcpyDeviceToHost);
          long long most = 0;
          for (int w = 0; w < warps; w++) most = c[w] > most ? c[w] : most;
          printf("%s,%d,%d,%d,%.2f\n", kind ? "four" : "chain", step, distinct, warps, most / 256.0);
        }
  puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
