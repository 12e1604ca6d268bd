// Running out of device memory is an error code; the program continues.
// EXPECT-STDOUT: cudaErrorMemoryAllocation 2 out of memory
// EXPECT-STDOUT: PASS
#include "fault.h"

int main() {
  size_t free_bytes, total;
  CK(cudaMemGetInfo(&free_bytes, &total));
  void* p = reinterpret_cast<void*>(1);
  expect_once(cudaMalloc(&p, total + (1 << 20)), cudaErrorMemoryAllocation);
  expect_once(cudaMalloc(&p, ~size_t{0} / 2), cudaErrorMemoryAllocation);
  // In pieces: nothing is touched, so nothing of this machine's memory is used.
  std::vector<void*> pieces;
  const size_t piece = total / 16;
  cudaError_t status = cudaSuccess;
  while (pieces.size() < 40) {
    void* one = nullptr;
    status = cudaMalloc(&one, piece);
    if (status != cudaSuccess) break;
    pieces.push_back(one);
  }
  std::printf("%s %d %s\n", cudaGetErrorName(status), status, cudaGetErrorString(status));
  EXPECT(pieces.size() >= 14 && pieces.size() <= 16);
  cudaGetLastError();
  for (void* one : pieces) CK(cudaFree(one));
  size_t again;
  CK(cudaMemGetInfo(&again, &total));
  EXPECT(again == free_bytes);
  CK(cudaMalloc(&p, piece));
  CK(cudaFree(p));
  return finish();
}
