// Matrices of wmma whose lines lie apart by no multiple of 16 bytes, or that begin at no multiple of 32: undefined, as
// CUDA's guide has it. An H200 stops where it loads rows of 16 bytes from shared memory; elsewhere it goes by elements.
// TOOLS: memcheck
// FINDS: matrix-alignment @GLOBAL_LINES
// FINDS: matrix-alignment @STORED_LINES
// FINDS: matrix-alignment @GLOBAL_START
// FINDS: misaligned @SHARED_LINES
// FINDS: misaligned @SHARED_START
// SAYS: lines of a matrix of wmma that lie 40 bytes apart, which is no multiple of 16
// SAYS: address of a matrix of wmma that is no multiple of 32; at
// SAYS: address of a matrix of wmma that is no multiple of 16; at
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;
using Factor = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

template <class Fragment>
__device__ void keep(const Fragment& f, float* out) {
  float sum = 0;
  for (int i = 0; i < f.num_elements; ++i) sum += float(f.x[i]);
  out[threadIdx.x] = sum;
}

__global__ void lines(const __half* in, float* out, int stride) {
  Factor a;
  wmma::load_matrix_sync(a, in, stride);  // @GLOBAL_LINES
  keep(a, out);
}
__global__ void stored(float* out, int stride) {
  Sum c;
  wmma::fill_fragment(c, 1.0f);
  wmma::store_matrix_sync(out, c, stride, wmma::mem_row_major);  // @STORED_LINES
}
__global__ void start(const __half* in, float* out, int at) {
  Factor a;
  wmma::load_matrix_sync(a, in + at, 16);  // @GLOBAL_START
  keep(a, out);
}
__global__ void shared_lines(float* out, int stride) {
  __shared__ alignas(32) __half s[16 * 32];
  for (int i = threadIdx.x; i < 16 * 32; i += 32) s[i] = 1;
  __syncwarp();
  Factor a;
  wmma::load_matrix_sync(a, s, stride);  // @SHARED_LINES
  keep(a, out);
}
__global__ void shared_start(float* out, int at) {
  __shared__ alignas(32) __half s[16 * 32];
  for (int i = threadIdx.x; i < 16 * 32; i += 32) s[i] = 1;
  __syncwarp();
  Factor a;
  wmma::load_matrix_sync(a, s + at, 16);  // @SHARED_START
  keep(a, out);
}

int main() {
  __half* in;
  float* out;
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 4096);
  cudaMemset(in, 0, 4096);
  for (const int stride : {16, 24, 20}) lines<<<1, 32>>>(in, out, stride);
  for (const int stride : {16, 20, 18}) stored<<<1, 32>>>(out, stride);
  for (const int at : {0, 16, 8}) start<<<1, 32>>>(in, out, at);
  for (const int stride : {16, 24, 20}) shared_lines<<<1, 32>>>(out, stride);
  for (const int at : {0, 16, 4}) shared_start<<<1, 32>>>(out, at);
  return cudaDeviceSynchronize() != cudaSuccess;
}
