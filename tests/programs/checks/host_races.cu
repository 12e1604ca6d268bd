// The host accesses memory that the device may still use.
// TOOLS: racecheck
// FINDS: host-race @EARLY_READ @FILL
// FINDS: host-race @EARLY_WRITE @COUNT
// FINDS: host-race @REUSED @UPLOAD
// FINDS: host-race @TOO_SOON @DOWNLOAD
// FINDS: host-race @WRONG_EVENT @FILL
// FINDS: host-race @MAPPED @MAP
// FINDS: host-race @CALLBACK @FILL
#include <cstdlib>
constexpr int N = 2048;

__global__ void fill(int* data, int value) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = value;  // @FILL
}

__global__ void count(const int* data, int* total) {
  atomicAdd(total, data[blockIdx.x * blockDim.x + threadIdx.x]);  // @COUNT
}

__global__ void map(int* data) {
  data[threadIdx.x] += 1;  // @MAP
}

void callback(void* data) {
  static_cast<int*>(data)[0] = 1;  // @CALLBACK
}

int main() {
  int *managed, *total, *device, *pinned, *mapped;
  cudaMallocManaged(&managed, N * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMalloc(&device, N * sizeof(int));
  cudaMallocHost(&pinned, N * sizeof(int));
  cudaHostAlloc(&mapped, 64 * sizeof(int), cudaHostAllocMapped);
  cudaMemset(total, 0, sizeof(int));
  int sum = 0;

  fill<<<N / 256, 256>>>(managed, 3);
  sum += managed[10];  // @EARLY_READ
  cudaDeviceSynchronize();
  sum += managed[11];

  count<<<N / 256, 256>>>(managed, total);
  sum += managed[12];
  managed[13] = 4;  // @EARLY_WRITE
  cudaDeviceSynchronize();

  cudaStream_t stream, other;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  for (int i = 0; i < N; ++i) pinned[i] = i;
  cudaMemcpyAsync(device, pinned, N * sizeof(int), cudaMemcpyHostToDevice, stream);  // @UPLOAD
  sum += pinned[0];
  pinned[1] = 7;  // @REUSED
  cudaStreamSynchronize(stream);
  cudaMemcpyAsync(pinned, device, N * sizeof(int), cudaMemcpyDeviceToHost, stream);  // @DOWNLOAD
  sum += pinned[2];  // @TOO_SOON
  cudaStreamSynchronize(stream);

  cudaEvent_t before;
  cudaEventCreate(&before);
  cudaEventRecord(before, stream);
  fill<<<N / 256, 256, 0, stream>>>(managed, 5);
  cudaEventSynchronize(before);
  sum += managed[N - 1];  // @WRONG_EVENT
  cudaStreamSynchronize(stream);

  map<<<1, 64, 0, stream>>>(mapped);
  sum += mapped[63];  // @MAPPED
  cudaStreamSynchronize(stream);

  fill<<<N / 256, 256, 0, stream>>>(managed, 6);
  cudaLaunchHostFunc(other, callback, managed);
  cudaDeviceSynchronize();
  return sum == 1 ? EXIT_FAILURE : EXIT_SUCCESS;
}
