// Memory that is freed, and two allocations that are not: one at the end, one when the device is reset.
// TOOLS: leakcheck
// FINDS: leak -
// FINDS: leak -
int main() {
  int *freed, *lost, *kept;
  cudaMalloc(&freed, 100);
  cudaMalloc(&lost, 200);
  cudaFree(freed);
  cudaDeviceReset();
  cudaMallocManaged(&kept, 300);
  return 0;
}
