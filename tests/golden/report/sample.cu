// What the kernels of the sample profile look like: its lines are the ones that reports quote.
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[x * n + y] = tile[threadIdx.x][threadIdx.y];
}

__global__ void reduce(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  if (i % 2 == 0) {
    sum += data[i];
    atomicAdd(&data[0], sum);
  }
}
