// A barrier of the grid in a launch that is not cooperative, and of which not all blocks fit on the GPU at once: those that
// run wait for those that wait for them to end, on a GPU for ever.
// TOOLS: synccheck
// OPTIONS: --device t4
// FINDS: grid-not-cooperative @SYNC
// FINDS: barrier-deadlock @SYNC
// SAYS: blocks wait for others, and nothing that is left to run can end that
// SAYS: 2 have not begun: the device holds
#include <cooperative_groups.h>

// Shared memory keeps a multiprocessor to one block: few threads fill the device.
__global__ void wait_for_all(int* out) {
  __shared__ int most[12 * 1024];
  most[threadIdx.x] = 1;
  cooperative_groups::this_grid().sync();  // @SYNC
  out[0] = most[threadIdx.x];
}

int main() {
  int *out, each = 0;
  cudaMalloc(&out, sizeof(int));
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, wait_for_all, 64, 0);
  if (each != 1) return 1;
  const int fit = each * device.multiProcessorCount;
  void* arguments[] = {&out};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(wait_for_all), fit, 64, arguments, 0, nullptr);
  wait_for_all<<<fit, 64>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  wait_for_all<<<fit + 2, 64>>>(out);
  return cudaDeviceSynchronize() != cudaErrorLaunchFailure;
}
