// wmma loads and stores access their matrices row by row: one row that is out of bounds, or that nothing has written, is found
// at the line of the call, in shared and in global memory.
// TOOLS: memcheck,initcheck
// OPTIONS: --device h200 --destroy-on-device-error kernel
// FINDS: out-of-bounds @STORE_PAST
// FINDS: out-of-bounds @LOAD_PAST
// FINDS: out-of-bounds @STORE_PAST_GLOBAL
// FINDS: out-of-bounds @LOAD_PAST_GLOBAL
// FINDS: out-of-bounds @SUMS_PAST_GLOBAL
// FINDS: out-of-bounds @ROW_PAST
// FINDS: misaligned @ASKEW
// FINDS: uninitialized @UNWRITTEN @USED
// FINDS: uninitialized @UNWRITTEN_SUMS @USED_SUMS
// FINDS: uninitialized @UNWRITTEN_GLOBAL @USED_GLOBAL
// FINDS: uninitialized @NEVER @PRODUCT
#include <cstdint>
#include <cstdio>
#include <mma.h>

using namespace nvcuda;
using Sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
using Rows = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using Columns = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major>;

__device__ __forceinline__ uint32_t address(const void* p) { return uint32_t(__cvta_generic_to_shared(p)); }
template <class Fragment>
__device__ __forceinline__ float total(const Fragment& f) {
  float sum = 0;
  for (int i = 0; i < f.num_elements; ++i) sum += float(f.x[i]);
  return sum;
}

// The last row is missing.
__global__ void store_past(float* out) {
  __shared__ __align__(32) float tile[15 * 16];
  Sums c;
  wmma::fill_fragment(c, 1.f);
  wmma::store_matrix_sync(tile, c, 16, wmma::mem_row_major);  // @STORE_PAST
  __syncwarp();
  out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void load_past(float* out) {
  __shared__ __align__(32) __half tile[15 * 16];
  for (int i = threadIdx.x; i < 15 * 16; i += 32) tile[i] = __float2half(1.f);
  __syncwarp();
  Rows a;
  wmma::load_matrix_sync(a, tile, 16);  // @LOAD_PAST
  if (threadIdx.x < 28) out[threadIdx.x] = float(a.x[0]);
}

__global__ void past_global(float* fifteen, __half* halves, float* out) {
  Sums c;
  wmma::fill_fragment(c, 1.f);
  wmma::store_matrix_sync(fifteen, c, 16, wmma::mem_row_major);  // @STORE_PAST_GLOBAL
  __syncwarp();
  Rows a;
  wmma::load_matrix_sync(a, halves, 16);  // @LOAD_PAST_GLOBAL
  Sums d;
  wmma::load_matrix_sync(d, fifteen, 16, wmma::mem_col_major);  // @SUMS_PAST_GLOBAL
  if (threadIdx.x < 28) out[threadIdx.x] = float(a.x[0]) + d.x[0];
}

__global__ void row_past(uint32_t* out) {
  __shared__ __align__(16) uint32_t tile[28];
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address(tile + threadIdx.x % 8 * 4)), "r"(threadIdx.x) : "memory");  // @ROW_PAST
  __syncwarp();
  if (threadIdx.x < 28) out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void askew(uint32_t* out) {
  __shared__ __align__(16) uint32_t tile[8 * 5];
  for (int i = threadIdx.x; i < 8 * 5; i += 32) tile[i] = i;
  __syncwarp();
  uint32_t r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(address(tile + threadIdx.x % 8 * 5)) : "memory");  // @ASKEW
  out[threadIdx.x] = r;
}

// The lower rows are not written.
__global__ void unwritten(float* out) {
  __shared__ __align__(32) __half tile[256];
  __shared__ __align__(32) float sums[256];
  for (int i = threadIdx.x; i < 128; i += 32) tile[i] = __float2half(1.f), sums[i] = 1;
  __syncwarp();
  Rows a;
  wmma::load_matrix_sync(a, tile, 16);  // @UNWRITTEN
  Sums c;
  wmma::load_matrix_sync(c, sums, 16, wmma::mem_row_major);  // @UNWRITTEN_SUMS
  out[threadIdx.x] = float(a.x[0]) + c.x[0];
  out[32 + threadIdx.x] = float(a.x[2]);  // @USED
  out[64 + threadIdx.x] = c.x[2];  // @USED_SUMS
}

__global__ void unwritten_global(const __half* in, float* out) {
  Rows a;
  wmma::load_matrix_sync(a, in, 16);  // @UNWRITTEN_GLOBAL
  out[threadIdx.x] = float(a.x[0]);  // @USED_GLOBAL
}

__global__ void product(float* out) {
  __shared__ __align__(32) __half first[256], second[256];
  for (int i = threadIdx.x; i < 256; i += 32) second[i] = __float2half(1.f);
  __syncwarp();
  Rows a;
  Columns b;
  Sums c;
  wmma::fill_fragment(c, 0.f);
  wmma::load_matrix_sync(a, first, 16);  // @NEVER
  wmma::load_matrix_sync(b, second, 16);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);  // @PRODUCT
}

int main() {
  float *out, *fifteen;
  __half *halves, *raw;
  cudaMalloc(&out, 4096);
  cudaMalloc(&fifteen, 15 * 16 * sizeof(float));
  cudaMalloc(&halves, 15 * 16 * sizeof(__half));
  cudaMalloc(&raw, 16 * 16 * sizeof(__half));
  cudaMemset(halves, 0, 15 * 16 * sizeof(__half));
  store_past<<<1, 32>>>(out);
  load_past<<<1, 32>>>(out);
  past_global<<<1, 32>>>(fifteen, halves, out);
  row_past<<<1, 32>>>(reinterpret_cast<uint32_t*>(out));
  askew<<<1, 32>>>(reinterpret_cast<uint32_t*>(out));
  unwritten<<<1, 32>>>(out);
  unwritten_global<<<1, 32>>>(raw, out);
  product<<<1, 32>>>(out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(out), cudaFree(fifteen), cudaFree(halves), cudaFree(raw);
}
