// What orders the accesses of a warp's matrix instructions, each of which is made of several: barriers, and __syncwarp() in a
// warp, as for any other access. All lanes of the warp share them.
// TOOLS: racecheck
// OPTIONS: --device h200
// FINDS: warp-level @STORED @OWN_TILE
// FINDS: read-write @GIVEN @OTHER_TILE
// FINDS: read-write @GIVEN_IN_WARP @OTHER_AFTER_WARP
// FINDS: warp-level @FILLED @LOADED
// FINDS: read-write @FILLED_BY_ALL @LOADED_BY_ALL
// FINDS: read-write @NEXT_FILL @LOADED_BEFORE
// FINDS: warp-level @TURNED @LOADED_TURNED
// FINDS: warp-level @SUMS @LOADED_SUMS
// FINDS: warp-level @ROW_STORED @ROW_READ
// FINDS: read-write @ROW_GIVEN @ROW_OF_OTHER
// FINDS: warp-level @GLOBAL_STORED @GLOBAL_READ
#include <cstdint>
#include <cstdio>
#include <mma.h>

using namespace nvcuda;
using Sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
using Rows = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using Columns = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::col_major>;

__device__ __forceinline__ uint32_t address(const void* p) { return uint32_t(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ float sum_of(const float* tile) {
  float sum = 0;
  for (int i = threadIdx.x % 32; i < 256; i += 32) sum += tile[(i + 77) % 256];
  return sum;
}
__device__ __forceinline__ void fill(__half* tile, float value) {
  for (int i = threadIdx.x % 32; i < 256; i += 32) tile[i] = __float2half(value + i);
}
template <class Fragment>
__device__ __forceinline__ float total(const Fragment& f) {
  float sum = 0;
  for (int i = 0; i < f.num_elements; ++i) sum += float(f.x[i]);
  return sum;
}

// ---- nothing to find

__global__ void sound(float* out) {
  __shared__ __align__(32) float tiles[4][256];
  __shared__ __align__(32) __half halves[4][256];
  const int warp = threadIdx.x / 32, next = (warp + 1) % 4;
  Sums c;
  wmma::fill_fragment(c, 1.f);
  float sum = 0;
  for (int round = 0; round < 3; ++round) {
    wmma::store_matrix_sync(tiles[warp], c, 16, round == 1 ? wmma::mem_col_major : wmma::mem_row_major);
    __syncwarp();
    sum += sum_of(tiles[warp]);
    __syncthreads();
    sum += sum_of(tiles[warp]) + sum_of(tiles[next]);
    Sums d;
    wmma::load_matrix_sync(d, tiles[next], 16, wmma::mem_row_major);
    sum += total(d);
    fill(halves[warp], sum);
    __syncwarp();
    Rows a;
    wmma::load_matrix_sync(a, halves[warp], 16);
    sum += total(a);
    __syncthreads();
    Columns b;
    wmma::load_matrix_sync(b, halves[next], 16);
    sum += total(b);
    __syncthreads();
    fill(halves[warp], sum);
    __syncwarp();
    fill(halves[warp], 0);
  }
  // The warp's own matrix in global memory.
  float* own = out + 1024 + warp * 256;
  wmma::store_matrix_sync(own, c, 16, wmma::mem_row_major);
  __syncwarp();
  out[threadIdx.x] = sum + sum_of(own);
}

__global__ void sound_rows(uint32_t* out) {
  __shared__ __align__(16) uint32_t tiles[4][128];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, next = (warp + 1) % 4;
  uint32_t r[4] = {1, 2, 3, 4}, sum = 0;
  for (int round = 0; round < 3; ++round) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address(tiles[warp] + lane * 4)), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
    __syncwarp();
    sum += tiles[warp][127 - lane];
    __syncthreads();
    sum += tiles[next][lane];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address(tiles[next] + lane * 4)) : "memory");
    sum += r[0] + r[1] + r[2] + r[3];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// ---- stores by wmma

__global__ void stored(float* out) {
  __shared__ __align__(32) float tile[256];
  Sums c;
  wmma::fill_fragment(c, 1.f);
  wmma::store_matrix_sync(tile, c, 16, wmma::mem_row_major);  // @STORED
  out[threadIdx.x] = tile[threadIdx.x];  // @OWN_TILE
}

__global__ void other_tile(float* out) {
  __shared__ __align__(32) float tiles[4][256];
  const int warp = threadIdx.x / 32;
  Sums c;
  wmma::fill_fragment(c, 1.f);
  wmma::store_matrix_sync(tiles[warp], c, 16, wmma::mem_row_major);  // @GIVEN
  out[threadIdx.x] = tiles[warp ^ 1][threadIdx.x % 32];  // @OTHER_TILE
}

__global__ void only_the_warp(float* out) {
  __shared__ __align__(32) float tiles[4][256];
  const int warp = threadIdx.x / 32;
  Sums c;
  wmma::fill_fragment(c, 1.f);
  wmma::store_matrix_sync(tiles[warp], c, 16, wmma::mem_col_major);  // @GIVEN_IN_WARP
  __syncwarp();
  out[threadIdx.x] = tiles[warp ^ 1][threadIdx.x % 32];  // @OTHER_AFTER_WARP
}

// ---- loads by wmma

__global__ void loaded(float* out) {
  __shared__ __align__(32) __half tile[256];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = __float2half(1.f);  // @FILLED
  Rows a;
  wmma::load_matrix_sync(a, tile, 16);  // @LOADED
  out[threadIdx.x] = total(a);
}

__global__ void loaded_by_all(float* out) {
  __shared__ __align__(32) __half tile[256];
  for (int i = threadIdx.x; i < 256; i += 128) tile[i] = __float2half(1.f);  // @FILLED_BY_ALL
  __syncwarp();
  Rows a;
  wmma::load_matrix_sync(a, tile, 16);  // @LOADED_BY_ALL
  out[threadIdx.x] = total(a);
}

__global__ void next_fill(float* out) {
  __shared__ __align__(32) __half tile[256];
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    for (int i = threadIdx.x; i < 256; i += 128) tile[i] = __float2half(1.f * k);  // @NEXT_FILL
    __syncthreads();
    Rows a;
    wmma::load_matrix_sync(a, tile, 16);  // @LOADED_BEFORE
    sum += total(a);
    __syncwarp();
  }
  out[threadIdx.x] = sum;
}

__global__ void turned(float* out) {
  __shared__ __align__(32) __half tile[256];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = __float2half(1.f);  // @TURNED
  Columns a;
  wmma::load_matrix_sync(a, tile, 16);  // @LOADED_TURNED
  out[threadIdx.x] = total(a);
}

__global__ void sums(float* out) {
  __shared__ __align__(32) float tile[256];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = 1.f;  // @SUMS
  Sums c;
  wmma::load_matrix_sync(c, tile, 16, wmma::mem_row_major);  // @LOADED_SUMS
  out[threadIdx.x] = total(c);
}

// ---- rows

__global__ void row(uint32_t* out) {
  __shared__ __align__(16) uint32_t tile[32];
  const int lane = threadIdx.x;
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address(tile + lane % 8 * 4)), "r"(lane) : "memory");  // @ROW_STORED
  out[lane] = tile[31 - lane];  // @ROW_READ
}

__global__ void row_of_other(uint32_t* out) {
  __shared__ __align__(16) uint32_t tiles[4][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(address(tiles[warp] + lane % 8 * 4)), "r"(lane) : "memory");  // @ROW_GIVEN
  __syncwarp();
  out[threadIdx.x] = tiles[warp ^ 1][lane];  // @ROW_OF_OTHER
}

// ---- global memory

__global__ void global(float* out) {
  Sums c;
  wmma::fill_fragment(c, 1.f);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);  // @GLOBAL_STORED
  out[256 + threadIdx.x] = out[threadIdx.x];  // @GLOBAL_READ
}

int main() {
  float* out;
  cudaMalloc(&out, 16384);
  auto* words = reinterpret_cast<uint32_t*>(out);
  sound<<<1, 128>>>(out);
  sound_rows<<<1, 128>>>(words);
  stored<<<1, 32>>>(out);
  other_tile<<<1, 128>>>(out);
  only_the_warp<<<1, 128>>>(out);
  loaded<<<1, 32>>>(out);
  loaded_by_all<<<1, 128>>>(out);
  next_fill<<<1, 128>>>(out);
  turned<<<1, 32>>>(out);
  sums<<<1, 32>>>(out);
  row<<<1, 32>>>(words);
  row_of_other<<<1, 128>>>(words);
  global<<<1, 32>>>(out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(out);
}
