// An instruction that cannot run fails the launch and is named with its line; other kernels of the module run.
// EXPECT-STDOUT: other kernel: 5
// EXPECT-STDOUT: PASS
// EXPECT-ERROR: tcgen05
// EXPECT-ERROR: unknown_instruction\.cu:@ASM\b
#include "fault.h"

__global__ void other(int* out) { *out = 5; }
__global__ void matrix(int* out) {
  asm volatile("tcgen05.wait::ld.sync.aligned;");  // @ASM
  *out = 6;
}

int main() {
  int *out, value = 0;
  CK(cudaMalloc(&out, 4));
  other<<<1, 1>>>(out);
  CK(cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost));
  std::printf("other kernel: %d\n", value);
  matrix<<<1, 128>>>(out);
  const cudaError_t status = cudaDeviceSynchronize();
  EXPECT(status != cudaSuccess);
  EXPECT(cudaGetLastError() == status);
  return finish();
}
