// Where memory was made that an access leaves: a call that the compiler inlines in a loop.
// TOOLS: memcheck
// FINDS: out-of-bounds @ROW
// MADE: @IN_LOOP
// OPTIONS: --destroy-on-device-error kernel
// EXPECT-EXIT: 123
#include <cuda_runtime.h>

constexpr int ROWS = 4, N = 32;

__global__ void fill(float* row, int n) { row[n] = 1; }  // @ROW
int main() {
  float* rows[ROWS];
  for (float*& row : rows) cudaMalloc(&row, N * sizeof(float));  // @IN_LOOP
  for (float* row : rows) fill<<<1, 1>>>(row, N);
  return cudaDeviceSynchronize() != cudaSuccess;
}
