// A cooperative launch of more blocks than fit on the GPU at once, and of as many.
// TOOLS: synccheck
// FINDS: grid-too-large @LAUNCH
#include <cooperative_groups.h>

__global__ void wait_for_all(int* out) {
  cooperative_groups::this_grid().sync();
  out[0] = 1;
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  void* arguments[] = {&out};
  const auto launch = [&](int blocks) {
    return cudaLaunchCooperativeKernel(reinterpret_cast<void*>(wait_for_all), blocks, 1024, arguments, 0, nullptr);  // @LAUNCH
  };
  if (launch(2) != cudaSuccess) return 1;
  return launch(1 << 16) != cudaErrorCooperativeLaunchTooLarge;
}
