// A kernel that synchronizes its grid: launched as it must be, and as any other.
// TOOLS: synccheck
// FINDS: grid-not-cooperative @SYNC
// EXPECT-EXIT: 1
#include <cooperative_groups.h>

__global__ void wait_for_all(int* out) {
  cooperative_groups::this_grid().sync();  // @SYNC
  out[blockIdx.x] = 1;
}

int main() {
  int* out;
  cudaMalloc(&out, 4 * sizeof(int));
  void* arguments[] = {&out};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(wait_for_all), 4, 64, arguments, 0, nullptr);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  wait_for_all<<<4, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
