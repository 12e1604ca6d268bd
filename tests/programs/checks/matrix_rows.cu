// Matrix instructions read and write shared memory byte by byte, and products spread what nothing has written to the rows and
// columns that it is in.
// TOOLS: memcheck,racecheck,initcheck
// OPTIONS: --device h200 --destroy-on-device-error kernel
// FINDS: read-write @FILL @LOAD
// FINDS: warp-level @FILL @LOAD
// FINDS: uninitialized @LOAD @USED
// FINDS: out-of-bounds @PAST
// FINDS: uninitialized @PAST @PASSED
// FINDS: uninitialized @ROWS @LOWER
#include <cstdint>
#include <cstdio>

__device__ __forceinline__ uint32_t address(const void* p) { return uint32_t(__cvta_generic_to_shared(p)); }
#define LDMATRIX4(r, p)                                                                        \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"              \
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                \
               : "r"(p)                                                                        \
               : "memory")

// 64 threads fill a tile of 32 rows of 16 bytes for each warp.
__global__ void sound(uint32_t* out) {
  __shared__ __align__(16) uint32_t tile[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) tile[i] = i;
  __syncthreads();
  uint32_t r[4];
  LDMATRIX4(r, address(tile + threadIdx.x % 32 * 4 + threadIdx.x / 32 * 128));
  out[threadIdx.x] = r[0] + r[1] + r[2] + r[3];
  __syncthreads();
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(
                   address(tile + threadIdx.x % 16 * 4 + threadIdx.x / 32 * 128)),
               "r"(r[0]), "r"(r[1])
               : "memory");
  __syncthreads();
  out[threadIdx.x] += tile[threadIdx.x];
}

__global__ void early(uint32_t* out) {
  __shared__ __align__(16) uint32_t tile[128];
  for (int i = threadIdx.x; i < 128; i += blockDim.x) tile[i] = i;  // @FILL
  uint32_t r[4];
  LDMATRIX4(r, address(tile + threadIdx.x % 32 * 4));  // @LOAD
  out[threadIdx.x] = r[0] + r[1] + r[2] + r[3];        // @USED
}

// Of .x1, the addresses of lanes from 8 on mean nothing.
__global__ void past(uint32_t* out) {
  __shared__ __align__(16) uint32_t tile[32];
  tile[threadIdx.x] = 1;
  __syncthreads();
  uint32_t one, two[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(one) : "r"(address(tile) + threadIdx.x * 16) : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(two[0]), "=r"(two[1]) : "r"(address(tile) + threadIdx.x * 16) : "memory");  // @PAST
  out[threadIdx.x] = one + two[0] + two[1];  // @PASSED
}

// Rows 8 to 15 of a are not written, nor are those of d known.
__global__ void rows(uint32_t* out) {
  __shared__ __align__(16) uint32_t a[128], b[64];
  for (int i = threadIdx.x; i < 64; i += 32) b[i] = 0;
  if (threadIdx.x < 16)
    for (int i = 0; i < 4; ++i) a[(threadIdx.x / 8 * 16 + threadIdx.x % 8) * 4 + i] = 0;
  __syncthreads();
  uint32_t x[4], y[2];
  float d[4] = {};
  LDMATRIX4(x, address(a + threadIdx.x * 4));  // @ROWS
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(address(b + threadIdx.x % 16 * 4)) : "memory");
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  out[threadIdx.x] = __float_as_uint(d[0] + d[1]);
  out[32 + threadIdx.x] = __float_as_uint(d[2] + d[3]);  // @LOWER
}

int main() {
  uint32_t* out;
  cudaMalloc(&out, 4096);
  cudaMemset(out, 0, 4096);
  sound<<<1, 64>>>(out);
  early<<<1, 64>>>(out);
  past<<<1, 32>>>(out);
  rows<<<1, 32>>>(out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(out);
}
