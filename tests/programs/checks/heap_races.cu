// Races in memory that a kernel allocates; memory that is freed and allocated again has a new life.
// TOOLS: racecheck
// FINDS: read-write @STORE @LOAD
constexpr int N = 64;

__global__ void sound(int* out) {
  __shared__ int* p;
  const int t = threadIdx.x;
  for (int round = 0; round < 3; ++round) {
    if (t == 0) p = static_cast<int*>(malloc(N * sizeof(int)));
    __syncthreads();
    p[t] = t;
    __syncthreads();
    out[blockIdx.x * N + t] = p[N - 1 - t];
    __syncthreads();
    if (t == 0) free(p);
  }
}

__global__ void no_barrier(int* out) {
  __shared__ int* p;
  const int t = threadIdx.x;
  if (t == 0) p = static_cast<int*>(malloc(N * sizeof(int)));
  __syncthreads();
  p[t] = t;                                // @STORE
  out[blockIdx.x * N + t] = p[N - 1 - t];  // @LOAD
  __syncthreads();
  if (t == 0) free(p);
}

// Blocks get the same memory one after the other.
__global__ void in_turn(int* out) {
  int* p = static_cast<int*>(malloc(sizeof(int)));
  *p = threadIdx.x;
  out[blockIdx.x * N + threadIdx.x] = *p;
  free(p);
}

int main() {
  int* out;
  cudaMalloc(&out, 4 * N * sizeof(int));
  sound<<<4, N>>>(out);
  no_barrier<<<4, N>>>(out);
  in_turn<<<4, N>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
