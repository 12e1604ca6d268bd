// The last block to come adds up what the others have written, and resets the count: its atomic has read from theirs.
// TOOLS: racecheck
// FINDS: read-write @PART_NARROW @TOTAL_NARROW
// FINDS: read-write @PART_NO_FENCE @TOTAL_NO_FENCE
// FINDS: read-write @PART_NO_SECOND @TOTAL_NO_SECOND
// FINDS: write-write @COUNT_EARLY @RESET_EARLY
// EXPECT-EXIT: 123
constexpr int N = 64, BLOCKS = 8;

__global__ void sound(const int* in, int* parts, int* sum, unsigned* done) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    last = atomicInc(done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  if (threadIdx.x == 0) {
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += parts[b];
    *sum = all;
  }
  if (threadIdx.x == 1) *done = 0;
}

__global__ void narrow(const int* in, int* parts, int* sum, unsigned* done) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = in[blockIdx.x];  // @PART_NARROW
    __threadfence_block();
    last = atomicInc(done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence_block();
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += parts[b];  // @TOTAL_NARROW
    *sum = all;
    *done = 0;
  }
}

__global__ void no_fence(const int* in, int* parts, int* sum, unsigned* done) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = in[blockIdx.x];  // @PART_NO_FENCE
    last = atomicInc(done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += parts[b];  // @TOTAL_NO_FENCE
    *sum = all;
    *done = 0;
  }
}

__global__ void no_second(const int* in, int* parts, int* sum, unsigned* done) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = in[blockIdx.x];  // @PART_NO_SECOND
    __threadfence();
    last = atomicInc(done, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += parts[b];  // @TOTAL_NO_SECOND
    *sum = all;
    *done = 0;
  }
}

// Every thread counts, and the last one of all starts again.
__global__ void threads(unsigned* done) {
  if (atomicAdd(done, 1u) == gridDim.x * blockDim.x - 1) *done = 0;
}

// Not the last one: the others have yet to count.
__global__ void early(unsigned* done) {
  if (threadIdx.x != 0) return;
  const unsigned before = atomicInc(done, gridDim.x);  // @COUNT_EARLY
  if (before == gridDim.x / 2) *done = 0;              // @RESET_EARLY
}

int main() {
  int *in, *parts, *sum;
  unsigned* done;
  cudaMalloc(&in, BLOCKS * sizeof(int));
  cudaMalloc(&parts, BLOCKS * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
  cudaMalloc(&done, sizeof(unsigned));
  cudaMemset(done, 0, sizeof(unsigned));
  sound<<<BLOCKS, N>>>(in, parts, sum, done);
  sound<<<BLOCKS, N>>>(in, parts, sum, done);
  narrow<<<BLOCKS, N>>>(in, parts, sum, done);
  no_fence<<<BLOCKS, N>>>(in, parts, sum, done);
  no_second<<<BLOCKS, N>>>(in, parts, sum, done);
  threads<<<BLOCKS, N>>>(done);
  early<<<BLOCKS, N>>>(done);
  return cudaDeviceSynchronize() != cudaSuccess;
}
