// cuda::barrier in global memory, which blocks share: what it orders, a read before the wait, one of a block alone at
// which two blocks meet, and copies that arrive at one.
// TOOLS: memcheck,racecheck,synccheck
// FINDS: read-write @WRITES @EARLY
// FINDS: write-write @NARROW @NARROW
// FINDS: read-write @NARROW @NARROW
// FINDS: read-write @FIRST @OVER
// EXPECT-EXIT: 123
#include <cooperative_groups.h>
#include <cuda/barrier>

#include <cstdint>
#include <cstdio>
#include <utility>

constexpr int BLOCKS = 4, N = 64;
using Wide = cuda::barrier<cuda::thread_scope_device>;
using Narrow = cuda::barrier<cuda::thread_scope_block>;
static_assert(sizeof(Wide) == 8 && sizeof(Narrow) == 8);

// A barrier has a constructor, so that no variable of a device may be one.
__device__ uint64_t storage[2 + BLOCKS];
__device__ int parts[BLOCKS], sums[BLOCKS], copied[N];

__device__ Wide& wide() { return reinterpret_cast<Wide&>(storage[0]); }
__device__ Narrow& narrow() { return reinterpret_cast<Narrow&>(storage[1]); }
__device__ Narrow& own() { return reinterpret_cast<Narrow&>(storage[2 + blockIdx.x]); }

__global__ void start() {
  if (blockIdx.x == 0) init(&wide(), BLOCKS * N), init(&narrow(), BLOCKS * N);
  init(&own(), N);
}
__device__ int sum_of_parts() {
  int sum = 0;
  for (int part : parts) sum += part;
  return sum;
}
__global__ void rounds() {
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x == 0) parts[blockIdx.x] = blockIdx.x + round;
    wide().arrive_and_wait();
    if (threadIdx.x == 0) sums[blockIdx.x] = sum_of_parts();
    wide().wait(wide().arrive());
  }
}
__global__ void early() {
  if (threadIdx.x == 0) parts[blockIdx.x] = blockIdx.x;  // @WRITES
  Wide::arrival_token token = wide().arrive();
  if (threadIdx.x == 0 && blockIdx.x == 0) sums[0] = parts[1];  // @EARLY
  wide().wait(std::move(token));
}
// For threads of one block, and those of all arrive.
__global__ void too_narrow() {
  if (threadIdx.x == 0) parts[blockIdx.x] = blockIdx.x;  // @FIRST
  narrow().arrive_and_wait();  // @NARROW
  if (threadIdx.x == 0 && blockIdx.x == 3) sums[0] = parts[1];  // @OVER
}
__global__ void copies(const int* in) {
  __shared__ int s[N];
  cuda::memcpy_async(cooperative_groups::this_thread_block(), s, in, sizeof s, own());
  own().arrive_and_wait();
  if (blockIdx.x == 0) copied[threadIdx.x] = s[threadIdx.x ^ 1];
}

int main(int argc, char** argv) {
  const char only = argc > 1 ? argv[1][0] : 0;
  int* in;
  cudaMalloc(&in, N * sizeof(int));
  cudaMemset(in, 1, N * sizeof(int));
  start<<<BLOCKS, 1>>>();
  if (!only || only == '0') rounds<<<BLOCKS, N>>>();
  if (!only || only == '1') copies<<<BLOCKS, N>>>(in);
  int of_blocks[BLOCKS], last;
  cudaMemcpyFromSymbol(of_blocks, sums, sizeof of_blocks);
  cudaMemcpyFromSymbol(&last, copied, sizeof last);
  for (int sum : of_blocks)
    if (!only && sum != 14) return printf("sum %d\n", sum), 1;
  if (!only && last != 0x01010101) return printf("copied %x\n", last), 1;
  if (!only || only == '2') early<<<BLOCKS, N>>>();
  if (!only || only == '3') too_narrow<<<BLOCKS, N>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
