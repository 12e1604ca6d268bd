// Strict: lines of a wmma's matrix that lie apart as none may stop the launch, where an H200 goes on.
// RUN: --strict
// EXPECT-ERROR: matrix_lines_strict.cu:@LOAD
// EXPECT-ERROR: lines of a matrix of wmma that lie 34 bytes apart, which is no multiple of 16
// EXPECT-STDOUT: no error
// EXPECT-STDOUT: misaligned address
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>

using namespace nvcuda;

__global__ void load(const half* in, half* out, int line) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;
  wmma::load_matrix_sync(f, in, line);  // @LOAD
  out[threadIdx.x] = f.x[0];
}

int main() {
  half* m;
  cudaMalloc(&m, 1024);
  load<<<1, 32>>>(m, m + 400, 16);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  load<<<1, 32>>>(m, m + 400, 17);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
