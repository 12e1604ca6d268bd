// Values of memory that nothing has written: where they are used, one finding each; copies that go nowhere are none.
// TOOLS: initcheck
// FINDS: uninitialized @BRANCH @BRANCH
// FINDS: uninitialized @INDEX @ADDRESS
// FINDS: uninitialized @SUM @STORED
// FINDS: uninitialized @PADDED @PADDED
// FINDS: uninitialized @LOCAL @LOCAL
// FINDS: uninitialized @HEAP @HEAP
// FINDS: uninitialized @ATOMIC @ADDED
// FINDS: uninitialized @ITSELF @ITSELF
// FINDS: uninitialized @LOCK @LOCK
#include <cstdio>

struct Padded {
  char tag;  // and three bytes that nothing writes
  int value;
};

__global__ void branch(const int* data, int* out) {
  if (data[threadIdx.x] > 3) out[threadIdx.x] = 1;  // @BRANCH
}
__global__ void index(const int* data, int* out) {
  const int i = data[threadIdx.x] & 31;  // @INDEX
  out[i] = 1;                            // @ADDRESS
}
__global__ void sum(const int* data, int* out) {
  int s = 0;
  for (int i = 0; i < 4; ++i) s += data[threadIdx.x + i];  // @SUM
  out[threadIdx.x] = s;                                    // @STORED
}
__global__ void make(Padded* to) {
  to[threadIdx.x].tag = 'a';
  to[threadIdx.x].value = threadIdx.x;
}
// The padding is copied: once a line. What is computed from the members alone is none.
__global__ void copy(const uint2* from, uint2* to) {
  to[threadIdx.x] = from[threadIdx.x];  // @PADDED
}
__global__ void members(const uint2* from, int* out) {
  const uint2 v = from[threadIdx.x];
  out[threadIdx.x] = (v.x & 0xff) + v.y;
}
__global__ void local(const int* at, int* out) {
  int a[16];
  for (int i = 0; i < 8; ++i) a[at[i]] = i;
  out[threadIdx.x] = a[at[threadIdx.x]];  // @LOCAL
}
__global__ void heap(int* out) {
  int* block = static_cast<int*>(malloc(64));
  block[0] = 1;
  out[threadIdx.x] = block[threadIdx.x & 1];  // @HEAP
  free(block);
}
__global__ void atomic(const int* data, int* out) {
  const int v = data[threadIdx.x];  // @ATOMIC
  atomicAdd(out, v);                // @ADDED
}
__global__ void itself(int* data) {
  atomicAdd(data + threadIdx.x, 1);  // @ITSELF
}
__global__ void lock(int* data, int* out) {
  if (atomicExch(data, 1) == 0) *out = threadIdx.x;  // @LOCK
}

// Nothing to be found: an exchange writes, and who looks at what the first one wrote looks at a value.
__global__ void exchange(int* data, int* out) {
  atomicExch(data + threadIdx.x, 1);
  out[threadIdx.x] = data[threadIdx.x];
  if (atomicExch(data + threadIdx.x, 2) == 1) out[threadIdx.x] = 3;
}

// Nothing to be found: read and not used, chosen by a condition that does not need it, or only some bytes of it.
__global__ void sound(const int* data, const unsigned char* bytes, int n, int* out) {
  const int i = threadIdx.x;
  const int v = data[i];
  out[i] = i < n ? v : -1;
  const unsigned word = reinterpret_cast<const unsigned*>(bytes)[i];
  out[i] += word & 0xff;
  out[i] += (word & 0xff00) >> 8;
  int w = i < n ? v : 0;
  for (int d = 16; d > 0; d /= 2) w += __shfl_down_sync(~0u, w, d);
  if (i == 0) out[0] = w;
}

int main() {
  int *data, *out, *at, *half, *fresh, host[32];
  uint2 *from, *to;
  unsigned char* bytes;
  for (int** p : {&data, &out, &half, &fresh}) cudaMalloc(p, 64 * sizeof(int));
  cudaMalloc(&at, sizeof host);
  cudaMalloc(&from, 32 * sizeof *from);
  cudaMalloc(&to, 32 * sizeof *to);
  cudaMalloc(&bytes, 128);
  for (int i = 0; i < 32; ++i) host[i] = i % 16;
  cudaMemcpy(at, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, 64 * sizeof(int));
  cudaMemset(half, 0, 16 * sizeof(int));
  cudaMemset2D(bytes, 4, 1, 2, 32);
  branch<<<1, 32>>>(data, out);
  index<<<1, 32>>>(data, out);
  sum<<<1, 32>>>(data, out);
  make<<<1, 32>>>(reinterpret_cast<Padded*>(from));
  copy<<<1, 32>>>(from, to);
  members<<<1, 32>>>(from, out);
  local<<<1, 32>>>(at, out);
  heap<<<1, 32>>>(out);
  atomic<<<1, 32>>>(data, out);
  itself<<<1, 32>>>(data);
  lock<<<1, 32>>>(fresh + 32, out);
  exchange<<<1, 32>>>(fresh, out);
  sound<<<1, 32>>>(half, bytes, 16, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
