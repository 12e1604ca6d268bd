// Races in global memory, inside a block and between blocks, and launches without.
// TOOLS: racecheck
// FINDS: read-write @STORE @LOAD
// FINDS: write-write @LAST @LAST
// FINDS: same-value @FLAG @FLAG
// FINDS: read-write @SHIFT @NEXT
// FINDS: write-write @ATOMIC @PLAIN
// FINDS: warp-level @ATOMIC @PLAIN
// FINDS: read-write @FLOAT_SUM @FLOAT_READ
constexpr int N = 64, BLOCKS = 3;

__global__ void sound(int* data, int* sum, unsigned* done) {
  const int i = blockIdx.x * N + threadIdx.x;
  data[i] = i;
  __syncthreads();
  atomicAdd(sum, data[i ^ 1]);
}

// The last block to come adds up what the others have published.
__global__ void last_block(int* parts, int* sum, unsigned* done) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x;
    __threadfence();
    last = atomicInc(done, BLOCKS - 1) == BLOCKS - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    for (int b = 0; b < BLOCKS; ++b) sum[0] += parts[b];
  }
}

__global__ void in_a_block(int* data, int* out) {
  const int i = blockIdx.x * N + threadIdx.x;
  data[i] = i;                                       // @STORE
  out[i] = data[blockIdx.x * N + N - 1 - threadIdx.x];  // @LOAD
}

__global__ void last_wins(int* data) {
  data[threadIdx.x] = blockIdx.x;  // @LAST
}

__global__ void found_one(const int* data, int* flag) {
  if (data[blockIdx.x * N + threadIdx.x] >= 0) *flag = 1;  // @FLAG
}

// Each block shifts its part by one in place: its last thread reads what the next block writes.
__global__ void shift(int* data) {
  const int i = blockIdx.x * N + threadIdx.x;
  const int next = data[i + 1];  // @NEXT
  __syncthreads();
  data[i] = next;  // @SHIFT
}

__global__ void mixed(int* sum) {
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *sum = 0;  // @PLAIN
  else
    atomicAdd(sum, 1);  // @ATOMIC
}

// An addition of floats always writes, unlike a compare-and-swap: a read beside it is no loop's.
__global__ void float_sum(float* sum, float* out) {
  if (threadIdx.x != 0) return;
  atomicAdd(sum, 1.0f);    // @FLOAT_SUM
  out[blockIdx.x] = *sum;  // @FLOAT_READ
}

int main() {
  int *data, *out;
  unsigned* done;
  cudaMalloc(&data, (BLOCKS * N + 1) * sizeof(int));
  cudaMalloc(&out, BLOCKS * N * sizeof(int));
  cudaMalloc(&done, sizeof(unsigned));
  cudaMemset(data, 0, (BLOCKS * N + 1) * sizeof(int));
  cudaMemset(done, 0, sizeof(unsigned));
  sound<<<BLOCKS, N>>>(data, out, done);
  last_block<<<BLOCKS, N>>>(data, out, done);
  in_a_block<<<BLOCKS, N>>>(data, out);
  last_wins<<<BLOCKS, N>>>(data);
  found_one<<<BLOCKS, N>>>(data, out);
  shift<<<BLOCKS, N>>>(data);
  mixed<<<BLOCKS, N>>>(out);
  float_sum<<<BLOCKS, N>>>(reinterpret_cast<float*>(data), reinterpret_cast<float*>(out));
  return cudaDeviceSynchronize() != cudaSuccess;
}
