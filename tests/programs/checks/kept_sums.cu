// A sum that a loop keeps in a register: the load before the loop and the store behind it have its line.
// TOOLS: racecheck
// FINDS: read-write @CLEAR @SUM
// FINDS: write-write @CLEAR @SUM
__global__ void sums(const float* __restrict__ a, float* __restrict__ x, int n) {
  const int t = threadIdx.x;
  x[(t + 32) % blockDim.x] = 0;  // @CLEAR
  for (int j = 0; j < n; ++j)
    x[t] += a[j * n + t];  // @SUM
}

int main() {
  constexpr int N = 64;
  float *a, *x;
  cudaMalloc(&a, 2 * N * N * sizeof(float));
  cudaMalloc(&x, N * sizeof(float));
  cudaMemset(a, 1, 2 * N * N * sizeof(float));
  sums<<<1, N>>>(a, x, N);
  return cudaDeviceSynchronize() != cudaSuccess;
}
