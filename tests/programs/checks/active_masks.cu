// Masks of whichever lanes are converged: a sum that does not look at who takes part; and uses that do.
// TOOLS: synccheck
// FINDS: active-mask @SUM
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void sum(int* out, int n) {
  int v = threadIdx.x;
  if (v < n) {
    const unsigned m = __activemask();
    for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(m, v, d);  // @SUM
    out[threadIdx.x] = v;
  }
}

__global__ void named(int* out, int n) {
  int v = threadIdx.x;
  const unsigned m = __ballot_sync(~0u, v < n);
  if (v < n) {
    for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(m, v, d);
    out[threadIdx.x] = v;
  }
}

// A leader adds for all that are there, however many.
__global__ void aggregated(int* count, int* out, int n) {
  if (int(threadIdx.x) % 3 == n) {
    const auto group = cg::coalesced_threads();
    int first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(count, int(group.size()));
    out[threadIdx.x] = group.shfl(first, 0) + int(group.thread_rank());
  }
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  sum<<<1, 32>>>(out, 16);
  named<<<1, 32>>>(out, 16);
  aggregated<<<1, 32>>>(out + 40, out, 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
