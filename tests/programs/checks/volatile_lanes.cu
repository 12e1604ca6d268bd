// Volatile accesses of the lanes of one warp. In global memory they are strong for all threads of the system, and so do not
// race, be the threads of one warp or of two blocks: values may be old or new, and whoever reads takes any. In shared
// memory they are how code looks that takes the lanes of a warp to be in step. A plain access beside them races.
// TOOLS: racecheck
// FINDS: warp-level @STEP @STEP
// FINDS: warp-level @STORED @PLAIN_READ
// FINDS: write-write @IN_SHARED @IN_SHARED
#include <cuda_runtime.h>

// Labels go down until they are those of the neighbours: reads of old values cost a round and change nothing else.
__global__ void labels(volatile int* label, int* rounds, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool again = true;
  int round = 0;
  for (; again; ++round) {
    again = false;
    const int mine = label[i], left = label[i == 0 ? 0 : i - 1], right = label[i == n - 1 ? n - 1 : i + 1];
    const int least = min(mine, min(left, right));
    if (least < mine) label[i] = least, again = true;
  }
  rounds[i] = round;
}
// All lanes store to one word: one of them will have been last.
__global__ void any_lane(volatile int* word) { *word = threadIdx.x; }
__global__ void any_lane_in_shared(int* out) {
  __shared__ volatile int word;
  word = threadIdx.x;  // @IN_SHARED
  __syncthreads();
  out[threadIdx.x] = word;
}
__global__ void in_step(int* out) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  s[t + 32] = t;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) s[t] = s[t] + s[t + d];  // @STEP
  if (t == 0) *out = s[0];
}
__global__ void beside_plain(int* data, int* out) {
  const int t = threadIdx.x;
  static_cast<volatile int*>(data)[t] = t;  // @STORED
  out[t] = data[t ^ 1];                     // @PLAIN_READ
}

int main() {
  int *data, *out;
  cudaMalloc(&data, 256 * sizeof(int));
  cudaMalloc(&out, 256 * sizeof(int));
  int start[256];
  for (int i = 0; i < 256; ++i) start[i] = i * 37 % 256;
  cudaMemcpy(data, start, sizeof start, cudaMemcpyHostToDevice);
  labels<<<4, 64>>>(data, out, 256);
  any_lane<<<1, 32>>>(data);
  any_lane_in_shared<<<1, 32>>>(out);
  in_step<<<1, 32>>>(out);
  beside_plain<<<1, 32>>>(data, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
