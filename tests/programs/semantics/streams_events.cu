// Streams, events, asynchronous copies, host callbacks: results of a legal order, and the API's answers.
#include "check.h"

__global__ void add(int* v, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] += by;
}

struct Log {
  std::vector<int> order;
};
struct Entry {
  Log* log;
  int id;
};
void CUDART_CB on_host(void* data) {
  Entry* entry = static_cast<Entry*>(data);
  entry->log->order.push_back(entry->id);
}
void CUDART_CB on_stream(cudaStream_t, cudaError_t status, void* data) {
  if (status == cudaSuccess) on_host(data);
}

int main() {
  const int n = 1 << 16;
  const size_t bytes = n * sizeof(int);
  int *host, *device;
  CK(cudaMallocHost(&host, bytes));
  CK(cudaMalloc(&device, bytes));
  for (int i = 0; i < n; ++i) host[i] = i;

  // In order within a stream: copy in, two kernels, copy out.
  cudaStream_t stream[4];
  for (cudaStream_t& s : stream) CK(cudaStreamCreate(&s));
  const int part = n / 4;
  for (int k = 0; k < 4; ++k) {
    CK(cudaMemcpyAsync(device + k * part, host + k * part, part * sizeof(int), cudaMemcpyHostToDevice, stream[k]));
    add<<<part / 256, 256, 0, stream[k]>>>(device + k * part, part, 10 * k);
    add<<<part / 256, 256, 0, stream[k]>>>(device + k * part, part, 1);
    CK(cudaMemcpyAsync(host + k * part, device + k * part, part * sizeof(int), cudaMemcpyDeviceToHost, stream[k]));
  }
  for (cudaStream_t s : stream) CK(cudaStreamSynchronize(s));
  bool right = true;
  for (int i = 0; i < n; ++i) right = right && host[i] == i + i / part * 10 + 1;
  EXPECT(right);

  // One stream waits for another's event.
  cudaEvent_t begin, end, plain;
  CK(cudaEventCreate(&begin));
  CK(cudaEventCreate(&end));
  CK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
  CK(cudaEventRecord(begin, stream[0]));
  add<<<n / 256, 256, 0, stream[0]>>>(device, n, 5);
  CK(cudaEventRecord(plain, stream[0]));
  CK(cudaStreamWaitEvent(stream[1], plain, 0));
  CK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream[1]));
  CK(cudaEventRecord(end, stream[1]));
  CK(cudaEventSynchronize(end));
  EXPECT(host[7] == 7 + 1 + 5);
  EXPECT(cudaEventQuery(end) == cudaSuccess);
  EXPECT(cudaStreamQuery(stream[0]) == cudaSuccess);
  float milliseconds = -1;
  CK(cudaEventElapsedTime(&milliseconds, begin, end));
  EXPECT(milliseconds > 0 && milliseconds < 60000);
  EXPECT(cudaEventElapsedTime(&milliseconds, begin, plain) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  cudaEvent_t never;
  CK(cudaEventCreate(&never));
  EXPECT(cudaEventElapsedTime(&milliseconds, begin, never) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();

  // Host functions run in stream order.
  Log log;
  Entry entries[3] = {{&log, 1}, {&log, 2}, {&log, 3}};
  CK(cudaLaunchHostFunc(stream[2], on_host, &entries[0]));
  CK(cudaStreamAddCallback(stream[2], on_stream, &entries[1], 0));
  CK(cudaLaunchHostFunc(stream[2], on_host, &entries[2]));
  CK(cudaStreamSynchronize(stream[2]));
  EXPECT(log.order == (std::vector<int>{1, 2, 3}));

  // Flags, priorities, the default stream, memset, stream-ordered allocation.
  cudaStream_t other;
  int least = 0, greatest = 0, priority = 99;
  CK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(least >= greatest);
  CK(cudaStreamCreateWithPriority(&other, cudaStreamNonBlocking, greatest));
  CK(cudaStreamGetPriority(other, &priority));
  EXPECT(priority == greatest);
  unsigned flags = 0;
  CK(cudaStreamGetFlags(other, &flags));
  EXPECT(flags == cudaStreamNonBlocking);
  int* pooled = nullptr;
  CK(cudaMallocAsync(&pooled, bytes, other));
  CK(cudaMemsetAsync(pooled, 0, bytes, other));
  add<<<n / 256, 256, 0, other>>>(pooled, n, 9);
  CK(cudaMemcpyAsync(host, pooled, bytes, cudaMemcpyDeviceToHost, other));
  CK(cudaFreeAsync(pooled, other));
  CK(cudaStreamSynchronize(other));
  EXPECT(host[0] == 9 && host[n - 1] == 9);
  add<<<1, 1, 0, cudaStreamPerThread>>>(device, 1, 1);
  add<<<1, 1, 0, cudaStreamLegacy>>>(device, 1, 1);
  CK(cudaDeviceSynchronize());

  for (cudaStream_t s : stream) CK(cudaStreamDestroy(s));
  CK(cudaStreamDestroy(other));
  for (cudaEvent_t e : {begin, end, plain, never}) CK(cudaEventDestroy(e));
  CK(cudaFree(device));
  CK(cudaFreeHost(host));
  return finish();
}
