// A barrier of the grid in a launch that is not cooperative, and of which not all blocks fit on the GPU at once: those that
// run wait for those that wait for them to end, on a GPU for ever.
// TOOLS: synccheck
// FINDS: grid-not-cooperative @SYNC
// FINDS: barrier-deadlock @SYNC
// SAYS: blocks wait for others, and nothing that is left to run can end that
// SAYS: 2 have not begun: the device holds
#include <cooperative_groups.h>

__global__ void __launch_bounds__(1024, 1) wait_for_all(int* out) {
  cooperative_groups::this_grid().sync();  // @SYNC
  out[0] = 1;
}

int main() {
  int *out, each = 0;
  cudaMalloc(&out, sizeof(int));
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, wait_for_all, 1024, 0);
  const int fit = each * device.multiProcessorCount;
  void* arguments[] = {&out};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(wait_for_all), fit, 1024, arguments, 0, nullptr);
  wait_for_all<<<fit, 1024>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  wait_for_all<<<fit + 2, 1024>>>(out);
  return cudaDeviceSynchronize() != cudaErrorLaunchFailure;
}
