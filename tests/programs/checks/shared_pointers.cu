// Addresses of shared arrays that go through memory, or that may be those of either of two arrays: what lies between two
// arrays is padding, so an index past the end of one is found, whatever the address was computed from.
// TOOLS: memcheck,racecheck
// FINDS: out-of-bounds @INDEXED
// FINDS: out-of-bounds @KEPT
// FINDS: out-of-bounds @EITHER
// FINDS: out-of-bounds @BEFORE
// FINDS: write-write @RACE @RACE
// SAYS: 0 bytes past the end of 'a' of 256 bytes, in 'b'
// SAYS: 4 bytes before 'cut' of 256 bytes, in 'b'
// SAYS: write of shared memory at offset 0x100
#include <cooperative_groups.h>
#include <cuda_runtime.h>

constexpr int N = 64;

struct Buffers {
  int *from, *to;
};

// Two buffers, of which each round takes the other one, in an array and in a structure in shared memory; what a
// cooperative group keeps behind the block's variables; wide accesses up to the ends.
__global__ void sound(const int* in, int* out, int n) {
  __shared__ int a[N];
  __shared__ alignas(128) int b[N];
  __shared__ Buffers kept;
  extern __shared__ int cut[];
  int* buffers[2] = {a, b};
  if (threadIdx.x == 0) kept = {a, cut};
  a[threadIdx.x] = in[threadIdx.x], cut[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    buffers[(i + 1) % 2][threadIdx.x] = buffers[i % 2][(threadIdx.x + 1) % N] + 1;
    __syncthreads();
  }
  kept.to[N - 1 - threadIdx.x] += kept.from[threadIdx.x];
  auto group = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  group.sync();
  __syncthreads();
  int4 wide = {};
  if (threadIdx.x < N / 4) wide = reinterpret_cast<int4*>(buffers[n % 2])[threadIdx.x];
  out[threadIdx.x] = wide.w + cut[threadIdx.x];
}

__global__ void indexed(const int* in, int* out, int by) {
  __shared__ int a[N], b[N];
  a[threadIdx.x] = b[threadIdx.x] = in[threadIdx.x];
  int* buffers[2] = {a, b};
  __syncthreads();
  out[threadIdx.x] = buffers[by - 1][threadIdx.x + by] + buffers[by][threadIdx.x];  // @INDEXED
}
__global__ void kept(const int* in, int* out, int by) {
  __shared__ int a[N], b[N];
  __shared__ Buffers buffers;
  if (threadIdx.x == 0) buffers = {b, a};
  b[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  buffers.to[threadIdx.x + by] = 7;  // @KEPT
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x] + buffers.from[threadIdx.x];
}
__global__ void either(const int* in, int* out, int by) {
  __shared__ int a[N], b[N];
  a[threadIdx.x] = b[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const int* one = in[N - 1] == by ? b : a;
  out[threadIdx.x] = one[threadIdx.x + by];  // @EITHER
}
__global__ void before(const int* in, int* out, int by) {
  __shared__ int b[N];
  extern __shared__ int cut[];
  __shared__ int* pointers[1];
  pointers[0] = cut;
  b[threadIdx.x] = cut[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = pointers[0][static_cast<int>(threadIdx.x) - by] + b[threadIdx.x];  // @BEFORE
}
// One variable has nothing beside it.
__global__ void alone(const int* in, int* out, int by) {
  __shared__ int all[N];
  all[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = all[(threadIdx.x + by) % N];
}
__global__ void past_all(const int* in, int* out, int by) {
  __shared__ int first[N], all[N];
  first[threadIdx.x] = all[threadIdx.x] = in[threadIdx.x];
  int* buffers[2] = {first, all};
  __syncthreads();
  out[threadIdx.x] = buffers[by][threadIdx.x + by - 1] + first[threadIdx.x];
}
// Offsets of reports are those of a GPU, without padding.
__global__ void raced(const int* in, int* out) {
  __shared__ int a[N], b[N];
  a[threadIdx.x] = in[threadIdx.x];
  b[threadIdx.x / 64] = in[threadIdx.x];  // @RACE
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x] + b[0];
}

int main() {
  int *in, *out, host[N];
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  for (int i = 0; i < N; ++i) host[i] = i;
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  sound<<<1, N, sizeof host>>>(in, out, 5);
  indexed<<<1, N>>>(in, out, 1);
  kept<<<1, N>>>(in, out, 1);
  either<<<1, N>>>(in, out, 1);
  before<<<1, N, sizeof host>>>(in, out, 1);
  alone<<<1, N>>>(in, out, 1);
  past_all<<<1, N>>>(in, out, 1);
  raced<<<1, N>>>(in, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
