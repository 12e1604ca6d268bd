// Streams that are ordered where they share memory: nothing is found.
// TOOLS: racecheck
#include <cstdio>
#include <thread>
#include <vector>
constexpr int N = 4096, CHUNK = 512;

__global__ void scale(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}

__global__ void copy(const float* from, float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

__global__ void add(unsigned* total) { atomicAdd(total, 1); }

// Two buffers: one is copied while the other is computed with, and events hand them over.
void double_buffered(float* host, float* result) {
  float* buffer[2];
  cudaEvent_t uploaded[2], computed[2];
  cudaStream_t copies, kernels;
  cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking);
  for (int i = 0; i < 2; ++i) {
    cudaMalloc(&buffer[i], CHUNK * sizeof(float));
    cudaEventCreateWithFlags(&uploaded[i], cudaEventDisableTiming);
    cudaEventCreateWithFlags(&computed[i], cudaEventDisableTiming);
  }
  for (int chunk = 0; chunk < N / CHUNK; ++chunk) {
    const int i = chunk % 2;
    if (chunk >= 2) cudaStreamWaitEvent(copies, computed[i], 0);
    cudaMemcpyAsync(buffer[i], host + chunk * CHUNK, CHUNK * sizeof(float), cudaMemcpyHostToDevice, copies);
    cudaEventRecord(uploaded[i], copies);
    cudaStreamWaitEvent(kernels, uploaded[i], 0);
    scale<<<CHUNK / 128, 128, 0, kernels>>>(buffer[i], CHUNK);
    cudaMemcpyAsync(result + chunk * CHUNK, buffer[i], CHUNK * sizeof(float), cudaMemcpyDeviceToHost, kernels);
    cudaEventRecord(computed[i], kernels);
  }
  cudaStreamSynchronize(kernels);
  for (int i = 0; i < N; ++i) host[i] = result[i];
  for (int i = 0; i < 2; ++i) {
    cudaFree(buffer[i]);
    cudaEventDestroy(uploaded[i]);
    cudaEventDestroy(computed[i]);
  }
  cudaStreamDestroy(copies);
  cudaStreamDestroy(kernels);
}

int main() {
  float *data, *other, *host, *result;
  unsigned* total;
  cudaMalloc(&data, N * sizeof(float));
  cudaMalloc(&other, N * sizeof(float));
  cudaMalloc(&total, sizeof(unsigned));
  cudaMallocHost(&host, N * sizeof(float));
  cudaMallocHost(&result, N * sizeof(float));
  for (int i = 0; i < N; ++i) host[i] = 1;
  cudaMemcpy(data, host, N * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(total, 0, sizeof(unsigned));
  cudaDeviceSynchronize();
  double_buffered(host, result);

  // Blocking streams are ordered with the default stream, and through it with each other.
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  scale<<<N / 256, 256, 0, a>>>(data, N);
  scale<<<N / 256, 256>>>(data, N);
  scale<<<N / 256, 256, 0, b>>>(data, N);
  copy<<<N / 256, 256>>>(data, other);
  cudaMemcpyAsync(result, other, N * sizeof(float), cudaMemcpyDeviceToHost, a);
  // What the host waits for, by a stream, an event, a query or a synchronous copy.
  cudaStreamSynchronize(a);
  scale<<<N / 256, 256, 0, b>>>(other, N);
  cudaEvent_t done;
  cudaEventCreate(&done);
  cudaEventRecord(done, b);
  cudaEventSynchronize(done);
  scale<<<N / 256, 256, 0, a>>>(other, N);
  while (cudaStreamQuery(a) != cudaSuccess) {
  }
  scale<<<N / 256, 256, 0, b>>>(other, N);
  cudaEventRecord(done, b);
  while (cudaEventQuery(done) != cudaSuccess) {
  }
  scale<<<N / 256, 256, 0, a>>>(other, N);
  std::vector<float> pageable(N);
  cudaMemcpyAsync(pageable.data(), other, N * sizeof(float), cudaMemcpyDeviceToHost, a);
  scale<<<N / 256, 256, 0, b>>>(other, N);
  cudaDeviceSynchronize();

  // Atomics of two launches, and halves.
  cudaStream_t c, d;
  cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&d, cudaStreamNonBlocking);
  add<<<4, 64, 0, c>>>(total);
  add<<<4, 64, 0, d>>>(total);
  scale<<<N / 512, 256, 0, c>>>(data, N / 2);
  scale<<<N / 512, 256, 0, d>>>(data + N / 2, N / 2);
  // Readers beside each other.
  cudaDeviceSynchronize();
  copy<<<N / 512, 256, 0, c>>>(data, other);
  copy<<<N / 512, 256, 0, d>>>(data, other + N / 2);

  // A transitive order: c before d, by an event, d before a, by another.
  cudaEventRecord(done, c);
  cudaStreamWaitEvent(d, done, 0);
  scale<<<1, 32, 0, d>>>(other, 32);
  cudaEvent_t then;
  cudaEventCreate(&then);
  cudaEventRecord(then, d);
  cudaStreamWaitEvent(a, then, 0);
  scale<<<N / 256, 256, 0, a>>>(other, N);

  // Memory that is freed and allocated again has nothing to do with what it was. Freeing waits for the device.
  float* again;
  cudaFree(data);
  cudaMalloc(&again, N * sizeof(float));
  scale<<<N / 256, 256, 0, c>>>(again, N);
  cudaFree(again);
  cudaMalloc(&again, N * sizeof(float));
  scale<<<N / 256, 256, 0, d>>>(again, N);

  // Each thread has its own default stream and its own memory.
  const auto work = [&](float* part) { scale<<<N / 512, 256, 0, cudaStreamPerThread>>>(part, N / 2); };
  cudaDeviceSynchronize();
  std::thread one(work, other), two(work, other + N / 2);
  one.join();
  two.join();
  return cudaDeviceSynchronize() != cudaSuccess;
}
