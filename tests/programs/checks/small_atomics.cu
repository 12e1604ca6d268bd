// Atomics on 8 and 16 bits: cuda::atomic_ref swaps the word that they are in, and what others do with the rest of it is
// no race with that; cuda::atomic is a word. Of the atomics' own bytes a race is found, be their value changed or not.
// TOOLS: memcheck,initcheck,racecheck
// FINDS: write-write @ADD @WRITTEN
// FINDS: read-write @WRITTEN @ADD
// FINDS: beside-swap @ADD @READ
// FINDS: write-write @KEEP @PUT
// FINDS: read-write @PUT @KEEP
// FINDS: uninitialized @UNWRITTEN @UNWRITTEN
#include <cuda/atomic>

template <class T>
using Ref = cuda::atomic_ref<T, cuda::thread_scope_device>;
using Byte = unsigned char;
using Half = unsigned short;

// Threads of two warps: one has the even places, one the odd ones.
template <class T>
__global__ void neighbours(T* p, T* fresh, int* out) {
  __shared__ T s[64];
  const int lane = threadIdx.x % 32;
  s[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    Ref<T>(p[2 * lane]).fetch_add(1);
    Ref<T>(p[2 * lane]).store(3);
    T expected = 3;
    if (!Ref<T>(p[2 * lane]).compare_exchange_strong(expected, 4)) out[0] = 1;
    cuda::atomic_ref<T, cuda::thread_scope_block>(s[2 * lane]).fetch_or(0);
    fresh[2 * lane] = 0;
    if (Ref<T>(fresh[2 * lane]).fetch_max(2) == 1) out[0] = 1;
  } else {
    p[2 * lane + 1] = 5;
    s[2 * lane + 1] = p[2 * lane + 1];
  }
}
// The same between the blocks of a grid.
template <class T>
__global__ void neighbour_blocks(T* p) {
  if (blockIdx.x == 0)
    Ref<T>(p[2 * threadIdx.x]).fetch_min(1);
  else
    p[2 * threadIdx.x + 1] = 7;
}
__global__ void words(int* out) {
  __shared__ cuda::atomic<Byte, cuda::thread_scope_block> counts[2];
  if (threadIdx.x < 2) counts[threadIdx.x].store(0);
  __syncthreads();
  counts[threadIdx.x % 2].fetch_add(1);
  __syncthreads();
  if (threadIdx.x < 2) out[threadIdx.x] = counts[threadIdx.x];
}

__device__ void add(Byte* p) {
  Ref<Byte>(*p).fetch_add(1);  // @ADD
}
__global__ void written(Byte* p) {
  if (threadIdx.x < 32)
    add(p + threadIdx.x);
  else
    p[threadIdx.x - 32] = 1;  // @WRITTEN
}
__global__ void read(Byte* p, int* out) {
  if (threadIdx.x < 32)
    add(p + threadIdx.x);
  else
    out[threadIdx.x] = p[threadIdx.x - 32];  // @READ
}
// The value stays what it is.
__global__ void kept(Half* p) {
  if (threadIdx.x < 32)
    Ref<Half>(p[threadIdx.x]).fetch_or(0);  // @KEEP
  else
    p[threadIdx.x - 32] = 1;  // @PUT
}
__global__ void unwritten(Byte* p) {
  p[0] = 1;
  Ref<Byte>(p[0]).fetch_add(1);
  Ref<Byte>(p[1]).fetch_add(1);  // @UNWRITTEN
}

template <class T>
bool run(int* out) {
  T *p, *fresh;
  cudaMalloc(&p, 64 * sizeof *p);
  cudaMalloc(&fresh, 64 * sizeof *fresh);
  cudaMemset(p, 0, 64 * sizeof *p);
  out[0] = 0;
  neighbours<<<1, 64>>>(p, fresh, out);
  T host[64];
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; ++i)
    if (host[i] != (i % 2 ? 5 : 4)) return false;
  neighbour_blocks<<<2, 32>>>(p);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; ++i)
    if (host[i] != (i % 2 ? 7 : 1)) return false;
  return out[0] == 0;
}

int main() {
  static_assert(sizeof(cuda::atomic<char>) == 4 && sizeof(cuda::atomic<short>) == 4, "");
  int* out;
  Byte *p, *fresh;
  cudaMallocManaged(&out, 64 * sizeof *out);
  cudaMalloc(&p, 64);
  cudaMalloc(&fresh, 4);
  cudaMemset(p, 0, 64);
  if (!run<Byte>(out) || !run<Half>(out)) return 1;
  words<<<1, 64>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess || out[0] != 32 || out[1] != 32) return 2;
  written<<<1, 64>>>(p);
  read<<<1, 64>>>(p, out);
  kept<<<1, 64>>>(reinterpret_cast<Half*>(p));
  unwritten<<<1, 1>>>(fresh);
  return cudaDeviceSynchronize() != cudaSuccess;
}
