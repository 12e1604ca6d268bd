// Kernels whose blocks see each other's stores, and kernels whose blocks do not: check_order.py runs them with different
// numbers of workers. Results are printed, because counts may depend on them.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kVertices = 1 << 15, kNeighbours = 8, kThreads = 256;

// Level by level. All blocks read and write `distance` with plain loads and stores. All blocks that find a vertex would
// store the same value, but the order of blocks decides which of them store.
__global__ void search(const int* neighbours, int* distance, int level, int* changed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= kVertices || distance[v] != level) return;
  for (int i = 0; i < kNeighbours; ++i) {
    int to = neighbours[v * kNeighbours + i];
    if (distance[to] == -1) {
      distance[to] = level + 1;
      *changed = 1;
    }
  }
}

// In place: each block reads its neighbours' writes.
__global__ void relax(int* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kThreads || i >= n - kThreads) return;
  int sum = a[i - kThreads] + a[i + kThreads];
  for (int turn = sum & 15; turn > 0; --turn) sum += turn * sum;
  a[i] = sum & 1023;
}

// Plain loads of words that other blocks change with atomics.
__global__ void least(const int* neighbours, int* best, int* seen) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  int to = neighbours[v * kNeighbours] & 1023;
  if (best[to] > v) {
    atomicMin(&best[to], v);
    seen[v] = 1;
  }
}

__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void stencil(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = (in[i - 1] + in[i] + in[i + 1]) & 255;
}

__global__ void histogram(const int* in, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i] & 255], 1u);
}

template <typename T>
T* upload(const std::vector<T>& host) {
  T* data = nullptr;
  cudaMalloc(&data, host.size() * sizeof(T));
  cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return data;
}

template <typename T>
void print(const char* name, const T* data, int n) {
  std::vector<T> host(n);
  cudaMemcpy(host.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost);
  unsigned long long sum = 0;
  for (int i = 0; i < n; ++i) sum = sum * 31 + static_cast<unsigned long long>(host[i]);
  std::printf("%s %llu\n", name, sum);
}

int main() {
  unsigned random = 1;
  std::vector<int> edges(kVertices * kNeighbours), values(kVertices);
  for (int& e : edges) e = static_cast<int>((random = random * 1664525u + 1013904223u) >> 8) % kVertices;
  for (int& v : values) v = static_cast<int>((random = random * 1664525u + 1013904223u) >> 8) & 1023;
  std::vector<int> unreached(kVertices, -1);
  for (int i = 0; i < 64; ++i) unreached[i * 509] = 0;
  const int blocks = kVertices / kThreads;
  int *neighbours = upload(edges), *distance = upload(unreached), *changed = upload(std::vector<int>(1, 0));
  for (int level = 0, again = 1; again != 0; ++level) {
    cudaMemset(changed, 0, sizeof(int));
    search<<<blocks, kThreads>>>(neighbours, distance, level, changed);
    cudaMemcpy(&again, changed, sizeof(int), cudaMemcpyDeviceToHost);
  }
  print("search", distance, kVertices);

  int *a = upload(values), *b = upload(values);
  for (int i = 0; i < 3; ++i) relax<<<blocks, kThreads>>>(a, kVertices);
  print("relax", a, kVertices);

  int *best = upload(std::vector<int>(1024, kVertices)), *seen = upload(std::vector<int>(kVertices, 0));
  least<<<blocks, kThreads>>>(neighbours, best, seen);
  print("least", seen, kVertices);

  float *x = upload(std::vector<float>(kVertices, 2)), *y = upload(std::vector<float>(kVertices, 3));
  saxpy<<<blocks, kThreads>>>(4, x, y, kVertices - 100);
  print("saxpy", y, kVertices);
  for (int i = 0; i < 4; ++i) stencil<<<blocks, kThreads>>>(i % 2 ? b : a, i % 2 ? a : b, kVertices);
  print("stencil", a, kVertices);
  unsigned* bins = upload(std::vector<unsigned>(256, 0));
  histogram<<<blocks, kThreads>>>(a, bins, kVertices);
  print("histogram", bins, 256);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
