// malloc, free, new, delete, memcpy and memset on the device; memory that outlives its kernel.
#include "check.h"

struct Node {
  int value;
  Node* next;
};

// Each thread builds, walks and frees a list.
__global__ void lists(int* out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  Node* head = nullptr;
  for (int k = 0; k <= t % 9; ++k) {
    Node* n = static_cast<Node*>(malloc(sizeof(Node)));
    n->value = t * k;
    n->next = head;
    head = n;
  }
  int sum = 0;
  while (head) {
    Node* next = head->next;
    sum = sum * 3 + head->value;
    free(head);
    head = next;
  }
  out[t] = sum;
}

__device__ int* kept[64];

__global__ void make(int n) {
  int* p = new int[n];
  for (int k = 0; k < n; ++k) p[k] = threadIdx.x * 1000 + k;
  kept[threadIdx.x] = p;
}
__global__ void use(int* out, int n) {
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += kept[threadIdx.x][k];
  out[threadIdx.x] = sum;
  delete[] kept[threadIdx.x];
}

// One allocation for a block, aligned, filled with memset and copied with memcpy.
__global__ void block_buffer(int* out) {
  __shared__ unsigned char* p;
  if (threadIdx.x == 0) p = static_cast<unsigned char*>(malloc(blockDim.x * 16));
  __syncthreads();
  if (p == nullptr) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = -1;
    return;
  }
  memset(p + threadIdx.x * 16, threadIdx.x, 16);
  __syncthreads();
  int words[4];
  memcpy(words, p + (blockDim.x - 1 - threadIdx.x) * 16, 16);
  out[blockIdx.x * blockDim.x + threadIdx.x] = words[3] + static_cast<int>(reinterpret_cast<size_t>(p) % 16);
  __syncthreads();
  if (threadIdx.x == 0) free(p);
}

__global__ void edge(int* out) {
  free(nullptr);
  void* p = malloc(1);
  out[0] = p != nullptr;
  free(p);
}

int main() {
  {
    Buffer<int> out(192);
    lists<<<2, 96>>>(out);
    CK_LAUNCH();
    std::vector<int> want(192);
    for (int t = 0; t < 192; ++t)
      for (int k = t % 9; k >= 0; --k) want[t] = want[t] * 3 + t * k;
    expect_same("lists", out.get(), want);
  }
  {
    Buffer<int> out(64);
    make<<<1, 64>>>(50);
    CK_LAUNCH();
    use<<<1, 64>>>(out, 50);
    CK_LAUNCH();
    std::vector<int> want(64);
    for (int t = 0; t < 64; ++t) want[t] = t * 50000 + 49 * 50 / 2;
    expect_same("kept", out.get(), want);
  }
  {
    Buffer<int> out(6 * 40);
    block_buffer<<<6, 40>>>(out);
    CK_LAUNCH();
    std::vector<int> want(6 * 40);
    for (int i = 0; i < 6 * 40; ++i) want[i] = (39 - i % 40) * 0x01010101;
    expect_same("block_buffer", out.get(), want);
  }
  {
    Buffer<int> out(1);
    edge<<<1, 1>>>(out);
    CK_LAUNCH();
    expect_same("edge", out.get(), {1});
  }
  size_t heap = 0;
  CK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  EXPECT(heap >= 1 << 20);
  CK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
  return finish();
}
