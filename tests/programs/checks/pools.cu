// Stream-ordered memory that is used where nothing orders it with its allocation or its free.
// TOOLS: memcheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: unordered-free @FREE @FILL
// FINDS: early-use @FILL @ALLOCATION
// FINDS: use-after-free @AFTER @ONCE
// FINDS: double-free @AGAIN @ONCE
// FINDS: unordered-free @FROM_POOL @READ
constexpr int N = 1024;

__global__ void fill(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1;  // @FILL
}

__global__ void after(int* data) {
  data[threadIdx.x] = 2;  // @AFTER
}

__global__ void read(const int* data, int* out) {
  if (data[threadIdx.x] == 3) *out = 1;  // @READ
}

int main() {
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  int *data, *out;
  cudaMalloc(&out, sizeof(int));

  cudaMallocAsync(&data, N * sizeof(int), a);
  cudaStreamSynchronize(a);
  fill<<<N / 256, 256, 0, b>>>(data);
  cudaFreeAsync(data, a);  // @FREE
  cudaDeviceSynchronize();

  cudaMallocAsync(&data, N * sizeof(int), a);  // @ALLOCATION
  fill<<<N / 256, 256, 0, b>>>(data);
  cudaDeviceSynchronize();

  cudaFreeAsync(data, a);  // @ONCE
  after<<<1, 32, 0, a>>>(data);
  cudaFreeAsync(data, a);  // @AGAIN
  cudaDeviceSynchronize();

  cudaMemPool_t pool;
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPoolCreate(&pool, &properties);
  cudaMallocFromPoolAsync(&data, N * sizeof(int), pool, a);
  cudaMemsetAsync(data, 0, N * sizeof(int), a);
  cudaStreamSynchronize(a);
  read<<<1, 32, 0, b>>>(data, out);
  cudaFreeAsync(data, a);  // @FROM_POOL
  cudaDeviceSynchronize();
  cudaMemPoolDestroy(pool);
  cudaGetLastError();
  return 0;
}
