// Waits for one of two values, or for a range of them: a thread that goes on knows what the first write has released that
// lets it, whichever it has read in this run. With FAULT it reads what only a later one tells of.
// TOOLS: racecheck
// EXPECT-EXIT: 0
// VARIANT: -D FAULT
// FINDS: read-write @SECOND @EITHER
// FINDS: read-write @SECOND @POLLED
// FINDS: read-write @SECOND @BETWEEN
// FINDS: read-write @SECOND @LISTED
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

__global__ void either(volatile int* state, int* data, int* out) {
  if (blockIdx.x == 0) return produce(state, data);
  int v;
  do v = *state;
  while (!(v == 1 || v == 4));
  __threadfence();
  *out = data[READ];  // @EITHER
}
__global__ void polled(int* state, int* data, int* out) {
  if (blockIdx.x == 0) return produce(state, data);
  int v;
  while ((v = atomicAdd(state, 0)) != 1 && v != 4) {
  }
  __threadfence();
  *out = data[READ];  // @POLLED
}
__global__ void between(volatile int* state, int* data, int* out, int low, int high) {
  if (blockIdx.x == 0) return produce(state, data);
  int v;
  do v = *state;
  while (!(v > low && v <= high));
  __threadfence();
  *out = data[READ];  // @BETWEEN
}
__global__ void listed(volatile int* state, int* data, int* out) {
  if (blockIdx.x == 0) return produce(state, data);
  int v;
  do v = *state;
  while (!(v == 1 || v == 4 || v == 9));
  __threadfence();
  *out = data[READ];  // @LISTED
}
// Who tells the two apart knows which it has read.
__global__ void apart(volatile int* state, int* data, int* out) {
  if (blockIdx.x == 0) return produce(state, data);
  while (true) {
    const int v = *state;
    if (v == 1) break;
    if (v == 4) {
      __threadfence();
      *out = data[1];
      break;
    }
  }
}

int main() {
  int *state, *data, *out;
  cudaMalloc(&state, sizeof(int));
  cudaMalloc(&data, 2 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  const auto clear = [&] { return cudaMemset(state, 0, sizeof(int)); };
  clear(), either<<<2, 1>>>(state, data, out);
  clear(), polled<<<2, 1>>>(state, data, out);
  clear(), between<<<2, 1>>>(state, data, out, 0, 4);
  clear(), listed<<<2, 1>>>(state, data, out);
  clear(), apart<<<2, 1>>>(state, data, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
