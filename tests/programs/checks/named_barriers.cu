// Named barriers and the tiles of cooperative groups order the threads that take part, and no others; an access is
// misaligned in any memory.
// TOOLS: memcheck,racecheck,synccheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: read-write @OTHERS @OTHERS_READ
// FINDS: read-write @EARLY @EARLY_READ
// FINDS: warp-level @TILES @TILES_READ
// FINDS: misaligned @SHARED
// FINDS: misaligned @LOCAL
// FINDS: misaligned @CONSTANT
// FINDS: misaligned @HEAP
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ void wait(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ void arrive(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// Each half of the block has a barrier of its own.
__global__ void halves(int* out) {
  __shared__ int s[128];
  const int t = threadIdx.x, half = t / 64;
  s[t] = t;
  wait(1 + half, 64);
  out[t] = s[half * 64 + 63 - t % 64];
}
__global__ void other_half(int* out) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = t;  // @OTHERS
  wait(1 + t / 64, 64);
  out[t] = s[127 - t];  // @OTHERS_READ
}
// One warp makes what the other one takes.
__global__ void handed_on(int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 32) {
    s[t] = t;
    arrive(2, 64);
  } else {
    wait(2, 64);
    out[t - 32] = s[63 - t];
  }
}
__global__ void handed_on_early(int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 32) {
    arrive(2, 64);
    s[t] = t;  // @EARLY
  } else {
    wait(2, 64);
    out[t - 32] = s[63 - t];  // @EARLY_READ
  }
}

__global__ void tiles(int* out) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int t = threadIdx.x;
  s[t] = t;
  tile.sync();
  out[t] = s[t / 16 * 16 + 15 - t % 16];
}
__global__ void other_tile(int* out) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int t = threadIdx.x;
  s[t] = t;  // @TILES
  tile.sync();
  out[t] = s[t / 32 * 32 + 31 - t % 32];  // @TILES_READ
}

__constant__ int table[16];
__device__ char* kept;
__global__ void misaligned(int* out, int by) {
  __shared__ alignas(16) char s[64];
  char local[64];
  s[threadIdx.x] = 1;
  for (int i = 0; i < 64; ++i) local[i] = static_cast<char>(i * by);
  if (threadIdx.x == 0) kept = static_cast<char*>(malloc(64));
  __syncthreads();
  const int at = by + 4 * static_cast<int>(threadIdx.x % 8);
  int sum = *reinterpret_cast<int*>(s + at);                                        // @SHARED
  sum += *reinterpret_cast<int*>(local + at);                                       // @LOCAL
  sum += *reinterpret_cast<const int*>(reinterpret_cast<const char*>(table) + at);  // @CONSTANT
  if (threadIdx.x == 0) *reinterpret_cast<int*>(*const_cast<char* volatile*>(&kept) + by) = sum;  // @HEAP
  out[threadIdx.x] = sum;
}

int main() {
  int* out;
  cudaMalloc(&out, 128 * sizeof *out);
  halves<<<1, 128>>>(out);
  other_half<<<1, 128>>>(out);
  handed_on<<<1, 64>>>(out);
  handed_on_early<<<1, 64>>>(out);
  tiles<<<1, 64>>>(out);
  other_tile<<<1, 64>>>(out);
  misaligned<<<1, 64>>>(out, 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
