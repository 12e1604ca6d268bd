// Asynchronous copies: what a thread, and what a block, may do with their data when.
// TOOLS: racecheck
// FINDS: read-write @EARLY_COPY @EARLY
// FINDS: read-write @ALONE_COPY @ALONE
// FINDS: read-write @NEXT_COPY @STILL_READ
// FINDS: write-write @TWO_COPIES @OVERWRITE
// FINDS: read-write @SOURCE @SOURCE_COPY
#include <cuda_pipeline.h>

// __pipeline_memcpy_async(), at the line that uses it.
#define COPY(to, from)                                                                                      \
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) \
               : "memory")

constexpr int N = 128, BLOCKS = 2, STAGES = 2, ROUNDS = 4;

__global__ void sound(const int* in, int* out) {
  __shared__ int buffer[STAGES][N];
  const int t = threadIdx.x;
  in += blockIdx.x * ROUNDS * N;
  int sum = 0;
  COPY(&buffer[0][t], &in[t]);
  __pipeline_commit();
  for (int round = 0; round < ROUNDS; ++round) {
    if (round + 1 < ROUNDS) COPY(&buffer[(round + 1) % STAGES][t], &in[(round + 1) * N + t]);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += buffer[round % STAGES][N - 1 - t];
    __syncthreads();
  }
  out[blockIdx.x * N + t] = sum;
}

// A thread reads what it has copied, behind its own wait: that needs no barrier.
__global__ void own(const int* in, int* out) {
  __shared__ int buffer[N];
  const int t = threadIdx.x;
  COPY(&buffer[t], &in[t]);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[blockIdx.x * N + t] = buffer[t];
}

__global__ void no_wait(const int* in, int* out) {
  __shared__ int buffer[N];
  const int t = threadIdx.x;
  COPY(&buffer[t], &in[t]);  // @EARLY_COPY
  __pipeline_commit();
  out[blockIdx.x * N + t] = buffer[t];  // @EARLY
}

__global__ void no_barrier(const int* in, int* out) {
  __shared__ int buffer[N];
  const int t = threadIdx.x;
  COPY(&buffer[t], &in[t]);  // @ALONE_COPY
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[blockIdx.x * N + t] = buffer[N - 1 - t];  // @ALONE
}

// The next copy may arrive while others still read.
__global__ void too_soon(const int* in, int* out) {
  __shared__ int buffer[N];
  const int t = threadIdx.x;
  int sum = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    COPY(&buffer[t], &in[round * N + t]);  // @NEXT_COPY
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    sum += buffer[N - 1 - t];  // @STILL_READ
  }
  out[blockIdx.x * N + t] = sum;
}

__global__ void overwritten(const int* in, int* out) {
  __shared__ int buffer[N];
  const int t = threadIdx.x;
  COPY(&buffer[t], &in[t]);  // @TWO_COPIES
  buffer[t] = 0;                                             // @OVERWRITE
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[blockIdx.x * N + t] = buffer[t];
}

__global__ void source_changes(int* in, int* out) {
  __shared__ int buffer[N];
  const int i = blockIdx.x * N + threadIdx.x;
  COPY(&buffer[threadIdx.x], &in[i]);  // @SOURCE_COPY
  in[i] = 0;                                                           // @SOURCE
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[i] = buffer[threadIdx.x];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, BLOCKS * ROUNDS * N * sizeof(int));
  cudaMalloc(&out, BLOCKS * N * sizeof(int));
  cudaMemset(in, 0, BLOCKS * ROUNDS * N * sizeof(int));
  sound<<<BLOCKS, N>>>(in, out);
  own<<<BLOCKS, N>>>(in, out);
  no_wait<<<BLOCKS, N>>>(in, out);
  no_barrier<<<BLOCKS, N>>>(in, out);
  too_soon<<<BLOCKS, N>>>(in, out);
  overwritten<<<BLOCKS, N>>>(in, out);
  source_changes<<<BLOCKS, N>>>(in, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
