// Overruns of global memory that skip the padding and end in another allocation: found where the address is computed from
// one pointer among the kernel's parameters, however far it goes.
// TOOLS: memcheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: out-of-bounds @FAR
// FINDS: out-of-bounds @LOOP
// FINDS: out-of-bounds @MEMBER
// FINDS: out-of-bounds @BEFORE
// SAYS: past the end of a device allocation of 4096 bytes, in a device allocation of 8192 bytes
// SAYS: before a device allocation of 8192 bytes, in a device allocation of 4096 bytes
// EXPECT-EXIT: 123
#include <cstdint>
#include <cstdio>

constexpr int N = 1024;

__global__ void far(int* a, long distance) { a[distance + threadIdx.x] = 1; }  // @FAR
// The pointer moves on.
__global__ void loop(const int* a, long stride, int n, int* out) {
  int sum = 0;
  for (int i = 0; i < n; ++i, a += stride) sum += *a;  // @LOOP
  *out = sum;
}
struct Arrays {
  long skip;
  int* from;
};
__global__ void member(Arrays arrays, long distance) { arrays.from[distance] = 2; }  // @MEMBER
__global__ void before(int* b, long distance) { b[-distance] = 3; }                  // @BEFORE

// What may be another array's by right: one of two, a pointer in memory, a distance of two pointers, one behind the end.
__global__ void sound(int* a, int* b, int n, int** table, const int* end, int* out, long distance) {
  int* one = n > 0 ? b : a;
  one[threadIdx.x] = 1;
  table[1][threadIdx.x] = 2;
  a[(b - a) + threadIdx.x] = 3;
  for (int round = 0; round < 2; ++round) {
    a[threadIdx.x] = round;
    int* const other = a;
    a = b, b = other;
  }
  out[threadIdx.x] = end[-1 - static_cast<int>(threadIdx.x)];
  if (distance == 0) out[distance] = 4;
}

int main() {
  int *a, *b, *out, **table;
  cudaMalloc(&a, N * sizeof(int));
  cudaMalloc(&b, 2 * N * sizeof(int));
  cudaMalloc(&out, 3 * N * sizeof(int));
  cudaMalloc(&table, 2 * sizeof(int*));
  cudaMemset(a, 0, N * sizeof(int));
  cudaMemset(b, 0, 2 * N * sizeof(int));
  int* const both[2] = {a, b};
  cudaMemcpy(table, both, sizeof both, cudaMemcpyHostToDevice);
  const long distance = b - a;
  if (distance < 0) return printf("the second allocation comes first\n"), 1;
  sound<<<1, 32>>>(a, b, 1, table, a + N, out, 0);
  far<<<1, 32>>>(a, distance);
  loop<<<1, 1>>>(a, distance, 2, out);
  member<<<1, 1>>>({0, a}, distance);
  before<<<1, 1>>>(b, distance);
  return cudaDeviceSynchronize() != cudaSuccess;
}
