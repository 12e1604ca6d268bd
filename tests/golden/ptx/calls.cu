// Every way in which a kernel calls: inlined, noinline with results in memory and in registers, recursive, through a
// table, variadic printf, and the device heap. The .ptx files beside this one were made from it: see README.md.
#include <cstdio>

struct Triple {
  double x, y;
  int z;
  char tag;
};

__constant__ float weights[4] = {0.5f, 1.5f, 2.5f, -3.5f};
__device__ int counter = 7;
__device__ int* counter_pointer = &counter;

__device__ __noinline__ float weigh(float value, int which) {
  if (which < 0) return -value;
  return value * weights[which & 3];
}

__device__ __noinline__ Triple spread(Triple in, short step, bool flip) {
  Triple out = in;
  out.x += step;
  out.y = flip ? -in.y : in.y;
  out.z += int(weigh(float(in.x), in.z));
  out.tag = char(in.tag + 1);
  return out;
}

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

typedef float (*Operation)(float, int);
__device__ __noinline__ float shift(float value, int by) { return value + float(by); }
__device__ Operation operations[2] = {weigh, shift};

__global__ void inlined_calls(Triple* out, const Triple* in, int n) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  out[i] = spread(spread(in[i], short(i), (i & 1) != 0), 3, false);
}

__global__ void real_calls(float* out, int n) {
  __shared__ float staged[64];
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  staged[threadIdx.x & 63] = operations[i & 1](float(i), n);
  __syncthreads();
  out[i] = staged[(threadIdx.x + 1) & 63] + float(ackermann(i & 1, n));
  if (i == 0) printf("%d of %d: %f\n", *counter_pointer, n, out[i]);
}

__global__ void heap(int** out) {
  int* mine = static_cast<int*>(malloc(16));
  mine[0] = atomicAdd(&counter, 1);
  out[threadIdx.x] = mine;
  free(mine);
}
