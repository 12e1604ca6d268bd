// What orders the lanes of a warp: __syncwarp(), for the lanes of its mask alone, and the groups of cooperative groups;
// a shuffle, a vote or a match orders no memory.
// TOOLS: racecheck
// FINDS: warp-level @OUTSIDE @OUTSIDE_READ
// FINDS: warp-level @SHUFFLED @SHUFFLED_READ
// FINDS: warp-level @VOTED @VOTED_READ
// FINDS: warp-level @MATCHED @MATCHED_READ
// FINDS: warp-level @IN_TILES @OTHER_TILE
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Each half of the warp waits for its own lanes, and reads theirs.
__global__ void halves(int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = t;
  if (t < 16)
    __syncwarp(0xffff);
  else
    __syncwarp(0xffff0000);
  out[t] = s[t ^ 15];
}
// The first half reads what the second one writes, which is not in its mask.
__global__ void outside(int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = t;  // @OUTSIDE
  if (t >= 16) return;
  __syncwarp(0xffff);
  out[t] = s[t + 16];  // @OUTSIDE_READ
}
__global__ void shuffled(int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = t;  // @SHUFFLED
  const int got = __shfl_xor_sync(0xffffffff, t, 1);
  out[t] = s[t ^ 1] + got;  // @SHUFFLED_READ
}
__global__ void voted(int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = t;  // @VOTED
  const int any = __any_sync(0xffffffff, t > 40);
  out[t] = s[t ^ 1] + any;  // @VOTED_READ
}
__global__ void matched(int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = t;  // @MATCHED
  const int same = __match_any_sync(0xffffffff, t / 4);
  out[t] = s[t ^ 1] + same;  // @MATCHED_READ
}
// The same with a __syncwarp() beside the exchange.
__global__ void exchanged_in_order(int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = t;
  const int got = __shfl_xor_sync(0xffffffff, t, 1) + __any_sync(0xffffffff, t > 40);
  __syncwarp();
  out[t] = s[t ^ 1] + got;
}
__global__ void groups(int* out) {
  __shared__ int s[64];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int t = threadIdx.x;
  s[t] = t;
  tile.sync();
  int sum = s[t ^ 7];
  block.sync();
  s[t] = sum;
  if (t % 2 == 0) {
    const auto some = cg::coalesced_threads();
    some.sync();
    sum += s[t ^ 2];
  }
  out[t] = sum;
}
// A tile reads what its neighbour writes.
__global__ void other_tile(int* out) {
  __shared__ int s[32];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int t = threadIdx.x;
  s[t] = t;  // @IN_TILES
  tile.sync();
  out[t] = s[t ^ 8];  // @OTHER_TILE
}

int main(int argc, char** argv) {
  const char only = argc > 1 ? argv[1][0] : 0;
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  if (!only || only == '0') {
    halves<<<1, 32>>>(out);
    exchanged_in_order<<<1, 32>>>(out);
    groups<<<1, 64>>>(out);
  }
  if (!only || only == '1') outside<<<1, 32>>>(out);
  if (!only || only == '2') shuffled<<<1, 32>>>(out);
  if (!only || only == '3') voted<<<1, 32>>>(out);
  if (!only || only == '4') matched<<<1, 32>>>(out);
  if (!only || only == '5') other_tile<<<1, 32>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
