// Masks of __syncwarp(), shuffles and votes: extra lanes, ended lanes, masks that differ; and sound ones.
// TOOLS: synccheck
// FINDS: extra-lanes @EXTRA
// FINDS: ended-lanes @ENDED
// FINDS: different-masks @DIFFERENT
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void sound(int* out) {
  const int t = threadIdx.x;
  int sum = t;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (t % 32 < 8) sum += __ballot_sync(0xff, sum > 3);
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  sum += tile.shfl(sum, 0);
  tile.sync();
  __syncwarp();
  out[t] = sum;
}

__global__ void extra(int* out) {
  out[threadIdx.x] = __shfl_sync(0xffff, int(threadIdx.x), 0);  // @EXTRA
}

__global__ void ended(int* out) {
  const int t = threadIdx.x;
  if (t % 32 >= 24) return;
  out[t] = __shfl_down_sync(~0u, t, 16);  // @ENDED
}

__global__ void different(int* out) {
  const int t = threadIdx.x;
  out[t] = t;
  __syncwarp(t % 32 == 0 ? ~0u : ~1u);  // @DIFFERENT
  out[t] += out[t ^ 1];
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  sound<<<2, 64>>>(out);
  extra<<<2, 64>>>(out);
  ended<<<2, 64>>>(out);
  different<<<2, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
