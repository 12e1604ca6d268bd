// The last stores of two branches have each its own line.
// TOOLS: racecheck
// FINDS: write-write @SECOND @FIRST
__device__ void first(float* out, int place, float x) {
  out[place] = x * 2;  // @FIRST
}

__device__ void second(float* out, int place, float x) {
  out[place] = x + 3;  // @SECOND
}

__global__ void branches(float* out, const float* in) {
  if (blockIdx.x == 0) {
    first(out, threadIdx.x, in[0]);
  } else {
    second(out, 31 - threadIdx.x, in[1]);
  }
}

int main() {
  float *out, *in;
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMalloc(&in, 2 * sizeof(float));
  cudaMemset(in, 0, 2 * sizeof(float));
  branches<<<2, 32>>>(out, in);
  return cudaDeviceSynchronize() != cudaSuccess;
}
