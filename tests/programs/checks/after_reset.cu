// The reset of the device frees what the program has not freed: a free behind it is of no allocation, and not the second
// one.
// TOOLS: memcheck
// FINDS: invalid-free @AFTER @RESET

int main() {
  int* data;
  int wrong = 0;
  cudaMalloc(&data, 1024);
  wrong += cudaDeviceReset() != cudaSuccess;         // @RESET
  wrong += cudaFree(data) != cudaErrorInvalidValue;  // @AFTER
  return wrong;
}
