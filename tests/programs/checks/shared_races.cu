// Races in shared memory, and code that orders its accesses.
// TOOLS: racecheck
// FINDS: read-write @STORE @LOAD
// FINDS: read-write @NEXT @READ
// FINDS: write-write @BOTH @BOTH
// FINDS: same-value @FLAG @FLAG
// FINDS: warp-level @STEP @STEP

constexpr int N = 128, BLOCKS = 2;

__global__ void sound(int* out) {
  out += blockIdx.x * N;
  __shared__ int s[N], bins[8];
  const int t = threadIdx.x;
  if (t < 8) bins[t] = 0;
  s[t] = t;
  __syncthreads();
  atomicAdd(&bins[t % 8], s[N - 1 - t]);
  __syncthreads();
  for (int d = N / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  s[t] = t;
  __syncwarp();
  out[t] = s[t ^ 1] + bins[t % 8];
}

__global__ void no_barrier(int* out) {
  out += blockIdx.x * N;
  __shared__ int s[N];
  const int t = threadIdx.x;
  s[t] = t;              // @STORE
  out[t] = s[N - 1 - t];  // @LOAD
}

// The barrier before the next round's stores is missing.
__global__ void next_round(int* out) {
  out += blockIdx.x * N;
  __shared__ int s[N];
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    s[t] = t * i;  // @NEXT
    __syncthreads();
    sum += s[N - 1 - t];  // @READ
  }
  out[t] = sum;
}

__global__ void both_write(int* out) {
  out += blockIdx.x * N;
  __shared__ int last;
  last = threadIdx.x;  // @BOTH
  __syncthreads();
  out[threadIdx.x] = last;
}

__global__ void same_value(int* out) {
  out += blockIdx.x * N;
  __shared__ int any;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  if (out[threadIdx.x] == 0) any = 1;  // @FLAG
  __syncthreads();
  out[threadIdx.x] = any;
}

// The last steps of a reduction in one warp, as before Volta.
__global__ void warp_synchronous(int* out) {
  out += blockIdx.x * N;
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  if (t < 32)
    for (int d = 32; d > 0; d /= 2) s[t] = s[t] + s[t + d];  // @STEP
  if (t == 0) out[0] = s[0];
}

int main() {
  int* out;
  cudaMalloc(&out, BLOCKS * N * sizeof(int));
  cudaMemset(out, 0, BLOCKS * N * sizeof(int));
  sound<<<BLOCKS, N>>>(out);
  no_barrier<<<BLOCKS, N>>>(out);
  next_round<<<BLOCKS, N>>>(out);
  both_write<<<BLOCKS, N>>>(out);
  cudaMemset(out, 0, BLOCKS * N * sizeof(int));
  same_value<<<1, N>>>(out);
  warp_synchronous<<<BLOCKS, 64>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
