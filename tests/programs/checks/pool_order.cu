// Stream-ordered memory, each use of it between its allocation and its free: nothing is found.
// TOOLS: memcheck,racecheck
constexpr int N = 1024;

__global__ void fill(int* data) { data[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  cudaStream_t a, b;
  cudaEvent_t made, used;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreate(&made);
  cudaEventCreate(&used);
  int *data, *other;

  for (int i = 0; i < 3; ++i) {
    cudaMallocAsync(&data, N * sizeof(int), a);
    fill<<<N / 256, 256, 0, a>>>(data);
    cudaEventRecord(made, a);
    cudaStreamWaitEvent(b, made, 0);
    fill<<<N / 256, 256, 0, b>>>(data);
    cudaEventRecord(used, b);
    cudaStreamWaitEvent(a, used, 0);
    cudaFreeAsync(data, a);
    // The pool may give the same memory to the next allocation, whose stream need not wait.
    cudaMallocAsync(&other, N * sizeof(int), b);
    fill<<<N / 256, 256, 0, b>>>(other);
    cudaFreeAsync(other, b);
  }
  // cudaFree waits for all streams.
  cudaMallocAsync(&data, N * sizeof(int), a);
  fill<<<N / 256, 256, 0, a>>>(data);
  cudaFree(data);

  cudaMemPool_t pool;
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPoolCreate(&pool, &properties);
  cudaMallocFromPoolAsync(&data, N * sizeof(int), pool, a);
  cudaStreamSynchronize(a);
  fill<<<N / 256, 256, 0, b>>>(data);
  cudaStreamSynchronize(b);
  cudaFreeAsync(data, a);
  cudaDeviceSynchronize();
  return cudaMemPoolDestroy(pool) != cudaSuccess;
}
