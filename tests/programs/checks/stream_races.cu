// Launches, copies and fills in streams that nothing orders, and what orders only some of them.
// TOOLS: racecheck
// FINDS: write-write @SCALE @SCALE
// FINDS: read-write @LOAD @SCALE
// FINDS: write-write @FILL @SCALE
// FINDS: read-write @COPY @LATE
// FINDS: read-write @READ @UPLOAD
// FINDS: read-write @LOAD @STORE
// FINDS: write-write @ADD @FILL_SUM
constexpr int N = 4096;

__global__ void scale(float* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 2;  // @SCALE
}

__global__ void late(float* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 3;  // @LATE
}

__global__ void sum(const float* data, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = data[i];  // @LOAD
}

__global__ void read_one(const float* data, float* out) {
  if (threadIdx.x == 7) out[blockIdx.x] = data[N - 1];  // @READ
}

// Each of two streams has its half, but the second half begins one element early.
__global__ void half(float* data, int first) {
  data[first + blockIdx.x * blockDim.x + threadIdx.x] = 1;  // @STORE
}

__global__ void add(unsigned* total) {
  atomicAdd(total, 1);  // @ADD
}

int main() {
  float *data, *out, *other, *host;
  unsigned* total;
  cudaMalloc(&data, N * sizeof(float));
  cudaMalloc(&out, N * sizeof(float));
  cudaMalloc(&other, N * sizeof(float));
  cudaMalloc(&total, sizeof(unsigned));
  cudaMallocHost(&host, N * sizeof(float));
  cudaMemset(total, 0, sizeof(unsigned));
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaDeviceSynchronize();

  // Two kernels, and a fill.
  scale<<<N / 256, 256, 0, a>>>(data);
  scale<<<N / 256, 256, 0, b>>>(data);
  cudaDeviceSynchronize();
  scale<<<N / 256, 256, 0, a>>>(data);
  sum<<<N / 256, 256, 0, b>>>(data, out);
  cudaDeviceSynchronize();
  scale<<<N / 256, 256, 0, a>>>(data);
  cudaMemsetAsync(data, 0, N * sizeof(float), b);  // @FILL
  cudaDeviceSynchronize();

  // The event is recorded before the launch that it should order.
  cudaEvent_t early;
  cudaEventCreate(&early);
  cudaEventRecord(early, a);
  late<<<N / 256, 256, 0, a>>>(data);
  cudaStreamWaitEvent(b, early, 0);
  cudaMemcpyAsync(host, data, N * sizeof(float), cudaMemcpyDeviceToHost, b);  // @COPY
  cudaDeviceSynchronize();

  // A stream of the program's own is not ordered with the default stream.
  cudaMemcpyAsync(data, host, N * sizeof(float), cudaMemcpyHostToDevice, 0);  // @UPLOAD
  read_one<<<1, 32, 0, a>>>(data, out);
  cudaDeviceSynchronize();

  half<<<N / 512, 256, 0, a>>>(data, 0);
  sum<<<N / 512, 256, 0, b>>>(data + N / 2 - 1, other);
  cudaDeviceSynchronize();

  // Atomics of two launches do not race, but a fill and an atomic do.
  add<<<4, 64, 0, a>>>(total);
  add<<<4, 64, 0, b>>>(total);
  cudaDeviceSynchronize();
  cudaMemsetAsync(total, 0, sizeof(unsigned), b);  // @FILL_SUM
  add<<<4, 64, 0, a>>>(total);
  return cudaDeviceSynchronize() != cudaSuccess;
}
