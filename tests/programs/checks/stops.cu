// A kernel that an assertion stops is a finding, and the ones before it are judged as well.
// TOOLS: memcheck,racecheck
// FINDS: write-write @LAST @LAST
// FINDS: fault @HOLDS
// EXPECT-EXIT: 1
#include <cassert>

__global__ void last(int* out) {
  out[0] = threadIdx.x;  // @LAST
}
__global__ void holds(const int* out) {
  assert(out[0] < 64);
}
__global__ void fails(const int* out) {
  assert(out[0] > 64);  // @HOLDS
}

int main(int argc, char** argv) {
  const char only = argc > 1 ? argv[1][0] : 0;
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  if (!only || only == '0') last<<<1, 64>>>(out);
  if (!only || only == '1') holds<<<1, 64>>>(out);
  if (!only || only == '2') fails<<<1, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
