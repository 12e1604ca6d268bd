// A value that one called function reads, and its caller or another called function compares: the thread knows no more than
// the comparison tells, whichever write it has read in this run. With FAULT it reads what only a later one tells of.
// TOOLS: racecheck
// EXPECT-EXIT: 0
// VARIANT: -D FAULT
// FINDS: read-write @SECOND @IN_CALLER
// FINDS: read-write @SECOND @IN_OTHER
// FINDS: read-write @SECOND @FENCED
// FINDS: read-write @SECOND @ARGUMENT
// FINDS: read-write @SECOND @RETURNED
// EXPECT-EXIT: 123
#include <cstdio>

#ifdef FAULT
constexpr int READ = 1;
#else
constexpr int READ = 0;
#endif

// Block 0: the first part is ready at 1, the second at 4.
__device__ void produce(volatile int* state, int* data) {
  data[0] = 7;
  __threadfence();
  *state = 1;
  data[1] = 8;  // @SECOND
  __threadfence();
  *state = 4;
}

__device__ int read(volatile int* state) { return *state; }
__device__ int read_and_fence(volatile int* state) {
  const int v = *state;
  __threadfence();
  return v;
}
__device__ int read_by_atomic(volatile int* state) { return atomicAdd(const_cast<int*>(state), 0) - 1; }
__device__ int wait_for_any(volatile int* state) {
  int v;
  do v = *state;
  while (v == 0);
  return v;
}
using Read = int (*)(volatile int*);
__device__ const Read reads[] = {read, read_and_fence, read_by_atomic, wait_for_any};

__device__ bool at_least(int v, int least) { return v >= least; }
__device__ bool listed(int v, int) { return v == 1 || v == 4; }
using Enough = bool (*)(int, int);
__device__ const Enough enough[] = {at_least, listed};

__global__ void in_caller(volatile int* state, int* data, int* out, int which) {
  if (blockIdx.x == 0) return produce(state, data);
  while (reads[which](state) < 1) {
  }
  __threadfence();
  *out = data[READ];  // @IN_CALLER
}
__global__ void in_other(volatile int* state, int* data, int* out, int which, int compares) {
  if (blockIdx.x == 0) return produce(state, data);
  while (!enough[compares](reads[which](state), 1)) {
  }
  __threadfence();
  *out = data[READ];  // @IN_OTHER
}
__global__ void fenced(volatile int* state, int* data, int* out, int which) {
  if (blockIdx.x == 0) return produce(state, data);
  while (reads[which](state) < 1) {
  }
  *out = data[READ];  // @FENCED
}
__global__ void argument(volatile int* state, int* data, int* out, int compares) {
  if (blockIdx.x == 0) return produce(state, data);
  while (!enough[compares](*state, 1)) {
  }
  __threadfence();
  *out = data[READ];  // @ARGUMENT
}
__global__ void returned(volatile int* state, int* data, int* out, int which) {
  if (blockIdx.x == 0) return produce(state, data);
  const bool many = reads[which](state) > 0;
  __threadfence();
  if (many) *out = data[READ];  // @RETURNED
}
// Who waits for the second part has both; who looks at the value knows which it has read.
__global__ void sound(volatile int* state, int* data, int* out, int which, int compares) {
  if (blockIdx.x == 0) return produce(state, data);
  while (!enough[compares](reads[which](state), 4)) {
  }
  __threadfence();
  *out = data[0] + data[1];
}
__global__ void looks(volatile int* state, int* data, int* out, int which) {
  if (blockIdx.x == 0) return produce(state, data);
  const int v = reads[which](state);
  __threadfence();
  if (v == 4) *out = data[1];
}

int main() {
  int *state, *data, *out;
  cudaMalloc(&state, sizeof(int));
  cudaMalloc(&data, 2 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  const auto clear = [&] { return cudaMemset(state, 0, sizeof(int)); };
  clear(), in_caller<<<2, 1>>>(state, data, out, 0);
  clear(), in_other<<<2, 1>>>(state, data, out, 0, 0);
  clear(), in_other<<<2, 1>>>(state, data, out, 0, 1);
  clear(), fenced<<<2, 1>>>(state, data, out, 1);
  clear(), argument<<<2, 1>>>(state, data, out, 0);
  clear(), argument<<<2, 1>>>(state, data, out, 1);
  clear(), returned<<<2, 1>>>(state, data, out, 3);
  clear(), sound<<<2, 1>>>(state, data, out, 0, 0);
  clear(), sound<<<2, 1>>>(state, data, out, 1, 0);
  clear(), in_caller<<<2, 1>>>(state, data, out, 3);
  clear(), looks<<<2, 1>>>(state, data, out, 3);
  return cudaDeviceSynchronize();
}
