// The last block to come adds up what the others have written, and resets the count: its atomic has read from theirs.
// TOOLS: racecheck
// FINDS: read-write @PART_NARROW @TOTAL_NARROW
// FINDS: read-write @PART_NO_FENCE @TOTAL_NO_FENCE
// FINDS: read-write @PART_NO_SECOND @TOTAL_NO_SECOND
// FINDS: write-write @COUNT_EARLY @RESET_EARLY
// FINDS: read-write @PART_LOOP @TOTAL_LOOP
// FINDS: write-write @COUNT_LOOP_EARLY @RESET_LOOP_EARLY
// FINDS: write-write @RESET_BESIDE_TRY @TRY
// FINDS: read-write @PART_EXCHANGE @TOTAL_EXCHANGE
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

// The same by compare-and-swaps, as floats and structures are counted.
__device__ unsigned count_by_swaps(unsigned* done) {
  unsigned before = 0, seen;
  do {
    seen = before;
    before = atomicCAS(done, seen, seen + 1);
  } while (before != seen);
  return before;
}
__global__ void loop_sound(const int* in, int* parts, int* sum, unsigned* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = in[blockIdx.x];
  __threadfence();
  if (count_by_swaps(done) != gridDim.x - 1) return;
  __threadfence();
  int all = 0;
  for (int b = 0; b < gridDim.x; ++b) all += parts[b];
  *sum = all;
  *done = 0;
}
__global__ void loop_no_fence(const int* in, int* parts, int* sum, unsigned* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = in[blockIdx.x];  // @PART_LOOP
  if (count_by_swaps(done) != gridDim.x - 1) return;
  int all = 0;
  for (int b = 0; b < gridDim.x; ++b) all += parts[b];  // @TOTAL_LOOP
  *sum = all;
  *done = 0;
}
__global__ void loop_threads(unsigned* done) {
  if (count_by_swaps(done) == gridDim.x * blockDim.x - 1) *done = 0;
}
__global__ void loop_early(unsigned* done) {
  if (threadIdx.x != 0) return;
  unsigned before = 0, seen;
  do {
    seen = before;
    before = atomicCAS(done, seen, seen + 1);  // @COUNT_LOOP_EARLY
  } while (before != seen);
  if (before == gridDim.x / 2) *done = 0;  // @RESET_LOOP_EARLY
}
// Who only tries is not counted, so nobody has read that it is done.
__global__ void tries(unsigned* done) {
  if (threadIdx.x == 32) atomicCAS(done, 1000u, 0u);  // @TRY
  if (threadIdx.x != 0) return;
  if (count_by_swaps(done) == gridDim.x - 1) *done = 0;  // @RESET_BESIDE_TRY
}

// The second of two blocks, by an exchange.
__global__ void exchange_sound(const int* in, int* parts, int* sum, unsigned* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = in[blockIdx.x];
  __threadfence();
  if (atomicExch(done, 1u) == 0) return;
  __threadfence();
  *sum = parts[0] + parts[1];
  *done = 0;
}
__global__ void exchange_no_fence(const int* in, int* parts, int* sum, unsigned* done) {
  if (threadIdx.x != 0) return;
  parts[blockIdx.x] = in[blockIdx.x];  // @PART_EXCHANGE
  if (atomicExch(done, 1u) == 0) return;
  *sum = parts[1 - blockIdx.x];  // @TOTAL_EXCHANGE
  *done = 0;
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
  cudaMemset(done, 0, sizeof(unsigned));
  loop_sound<<<BLOCKS, N>>>(in, parts, sum, done);
  loop_no_fence<<<BLOCKS, N>>>(in, parts, sum, done);
  loop_threads<<<BLOCKS, N>>>(done);
  exchange_sound<<<2, N>>>(in, parts, sum, done);
  exchange_no_fence<<<2, N>>>(in, parts, sum, done);
  tries<<<BLOCKS, N>>>(done);
  loop_early<<<BLOCKS, N>>>(done);
  return cudaDeviceSynchronize() != cudaSuccess;
}
