// Waits in functions that are really called, through a pointer: a thread that comes back knows what the first write has
// released that lets it, whichever it has read in this run, as where the wait is a part of the kernel.
// TOOLS: racecheck
// EXPECT-EXIT: 0
// VARIANT: -D FAULT
// FINDS: read-write @SECOND @LISTED
// FINDS: read-write @SECOND @AT_LEAST
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

__device__ __noinline__ void wait_listed(volatile int* state, int) {
  int v;
  do v = *state;
  while (!(v == 1 || v == 4));
  __threadfence();
}
__device__ __noinline__ void wait_at_least(volatile int* state, int least) {
  while (*state < least) {
  }
  __threadfence();
}
using Wait = void (*)(volatile int*, int);
__device__ const Wait waits[] = {wait_listed, wait_at_least};

__global__ void listed(volatile int* state, int* data, int* out, int which) {
  if (blockIdx.x == 0) return produce(state, data);
  waits[which](state, 1);
  *out = data[READ];  // @LISTED
}
__global__ void at_least(volatile int* state, int* data, int* out, int which) {
  if (blockIdx.x == 0) return produce(state, data);
  waits[which](state, 1);
  *out = data[READ];  // @AT_LEAST
}
// Who waits for the second part has both.
__global__ void sound(volatile int* state, int* data, int* out, int which) {
  if (blockIdx.x == 0) return produce(state, data);
  waits[which](state, 4);
  *out = data[0] + data[1];
}

int main() {
  int *state, *data, *out;
  cudaMalloc(&state, sizeof(int));
  cudaMalloc(&data, 2 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  const auto clear = [&] { return cudaMemset(state, 0, sizeof(int)); };
  clear(), listed<<<2, 1>>>(state, data, out, 0);
  clear(), at_least<<<2, 1>>>(state, data, out, 1);
  clear(), sound<<<2, 1>>>(state, data, out, 1);
  return cudaDeviceSynchronize();
}
