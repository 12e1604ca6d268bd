// A mask that names lanes which wait elsewhere: neither side can go on.
// TOOLS: synccheck
// FINDS: barrier-deadlock @SHUFFLE
__global__ void missing(int* out) {
  const int t = threadIdx.x;
  if (t < 16) {
    out[t] = __shfl_sync(~0u, t, 1);  // @SHUFFLE
    out[t] += 1;
  } else {
    out[t] = 3;
    __syncthreads();
    out[t] += 2;
  }
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  missing<<<1, 32>>>(out);
  return cudaDeviceSynchronize() == cudaSuccess;
}
