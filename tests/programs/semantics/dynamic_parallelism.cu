// Kernels that launch kernels: arguments of every kind, templates, static kernels, function pointers, recursion, streams,
// tail launches, and what a launch sees of its parent's memory.
// RUN: -rdc=true
#include "check.h"

struct Mixed {
  char c;
  double d[2];
  short s;
};

// One of each size; a structure between them.
__global__ void sum(int* out, char a, Mixed m, float3 f, short b, bool yes, double last) {
  if (threadIdx.x == 0 && yes)
    atomicAdd(out, int(a + m.c + m.d[0] + m.d[1] + m.s + f.x + f.y + f.z + b + last + gridDim.y * 1000 + blockDim.x));
}
__global__ void launch_sum(int* out) {
  const Mixed m = {1, {2, 3}, 4};
  sum<<<dim3(1, 2), 64>>>(out, 5, m, make_float3(6, 7, 8), 9, threadIdx.x == 0, 10.5);
}

template <class T, int N>
__global__ void scale(T* data, T by) {
  data[threadIdx.x] = data[threadIdx.x] * by + N;
}
// The arguments of the template are deduced from the call's.
template <class T>
__global__ void twice(T* data) {
  data[threadIdx.x] += 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    scale<T, 1><<<1, blockDim.x>>>(data, T(2));
    scale<T, 3><<<1, blockDim.x>>>(data, 10);
  }
}

static __global__ void hidden(int* out, int value) { atomicAdd(out, value); }
namespace {
__global__ void inner(int* out, int value) { atomicAdd(out, value); }
}  // namespace
__global__ void by_pointer(int* out) {
  void (*kernel)(int*, int) = threadIdx.x == 0 ? hidden : inner;
  if (threadIdx.x == 0)
    (*kernel)<<<1, 1>>>(out, 40);
  else
    kernel<<<1, 2>>>(out, 1);
}

// Each of 3 blocks launches 3 of one block with a third of the threads, 4 levels deep.
__global__ void tree(unsigned* count, int depth) {
  extern __shared__ unsigned here[];
  here[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned threads = 0;
  for (unsigned i = 0; i < blockDim.x; ++i) threads += here[i];
  atomicAdd(count + depth, threads);
  if (depth < 3)
    for (int i = 0; i < 3; ++i) tree<<<1, blockDim.x / 3, blockDim.x / 3 * sizeof(unsigned)>>>(count, depth + 1);
}

__device__ int order[16];
__device__ int next_place;
__global__ void note(int what) { order[atomicAdd(&next_place, 1)] = what; }
__device__ void launch_note(int what, cudaStream_t stream) { note<<<1, 1, 0, stream>>>(what); }
__global__ void noting_parent(int what) {
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(what + 3);
  note<<<1, 1>>>(what + 1);
  note<<<1, 1, 0, cudaStreamFireAndForget>>>(what + 2);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(what + 4);
}
__global__ void in_order() {
  cudaStream_t stream;
  cudaEvent_t event;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return;
  if (cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess) return;
  launch_note(1, stream);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(0, event, 0);
  noting_parent<<<1, 1>>>(10);
  launch_note(2, 0);
  if (cudaGetLastError() != cudaSuccess) note<<<1, 1>>>(99);
  cudaStreamDestroy(stream);
  cudaEventDestroy(event);
}

// A child sees what its parent wrote before the launch, to memory that the parent has allocated.
__global__ void read_back(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x] + 1; }
__global__ void copy_and_fill(int* out) {
  read_back<<<1, 32>>>(out, out + 32);
  cudaMemcpyAsync(out, out + 32, 16 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
  cudaMemsetAsync(out + 16, 0, 4 * sizeof(int), 0);
  read_back<<<1, 20>>>(out, out);
}
__global__ void release(int* p) { cudaFree(p); }
__global__ void hand_over(int* out) {
  __shared__ int* made;
  if (threadIdx.x == 0) cudaMalloc((void**)&made, blockDim.x * sizeof(int));
  __syncthreads();
  made[threadIdx.x] = threadIdx.x * threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    read_back<<<1, blockDim.x>>>(made, out);
    release<<<1, 1, 0, cudaStreamTailLaunch>>>(made);
  }
}

// Both the host and the device launch through this.
template <class T>
__host__ __device__ void launch_scale(T* data, T by) {
  scale<T, 0><<<1, 8>>>(data, by);
}
__global__ void from_device(float* data) { launch_scale(data, 3.0f); }

int main() {
  int* out;
  cudaMallocManaged(&out, 64 * sizeof(int));
  *out = 0;
  launch_sum<<<1, 2>>>(out);
  CK_LAUNCH();
  EXPECT(*out == 2 * (5 + 1 + 2 + 3 + 4 + 6 + 7 + 8 + 9 + 10 + 2000 + 64));

  for (int i = 0; i < 32; ++i) out[i] = i;
  twice<<<1, 32>>>(out);
  CK_LAUNCH();
  for (int i = 0; i < 32; ++i) EXPECT(out[i] == ((i + 1) * 2 + 1) * 10 + 3);

  *out = 0;
  by_pointer<<<1, 2>>>(out);
  CK_LAUNCH();
  EXPECT(*out == 42);

  unsigned* count = reinterpret_cast<unsigned*>(out);
  cudaMemset(count, 0, 64 * sizeof(int));
  tree<<<3, 27, 27 * sizeof(unsigned)>>>(count, 0);
  CK_LAUNCH();
  for (int depth = 0; depth < 4; ++depth) EXPECT(count[depth] == 81);

  in_order<<<1, 1>>>();
  CK_LAUNCH();
  int placed[16];
  cudaMemcpyFromSymbol(placed, order, sizeof placed);
  const int expected[] = {1, 11, 12, 13, 14, 2, 0};
  for (int i = 0; i < 7; ++i) EXPECT(placed[i] == expected[i]);

  hand_over<<<1, 32>>>(out);
  CK_LAUNCH();
  for (int i = 0; i < 32; ++i) EXPECT(out[i] == i * i + 1);

  copy_and_fill<<<1, 1>>>(out);
  CK_LAUNCH();
  for (int i = 0; i < 16; ++i) EXPECT(out[i] == i * i + 3);
  for (int i = 16; i < 20; ++i) EXPECT(out[i] == 1);

  float* data = reinterpret_cast<float*>(out);
  for (int i = 0; i < 8; ++i) data[i] = i;
  launch_scale(data, 2.0f);
  from_device<<<1, 1>>>(data);
  CK_LAUNCH();
  for (int i = 0; i < 8; ++i) EXPECT(data[i] == i * 6);
  return finish();
}
