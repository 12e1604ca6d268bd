// Overruns of global memory that skip the padding and end in another allocation, by pointers that are kept in memory: in
// constant variables, in variables of the device, in tables that a parameter or a variable names.
// TOOLS: memcheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: out-of-bounds @CONSTANT
// FINDS: out-of-bounds @CONSTANT_TABLE
// FINDS: out-of-bounds @VARIABLE
// FINDS: out-of-bounds @TABLE
// FINDS: out-of-bounds @MEMBER
// SAYS: past the end of a device allocation of 4096 bytes, in a device allocation of 8192 bytes
// SAYS: before a device allocation of 8192 bytes, in a device allocation of 4096 bytes
// EXPECT-EXIT: 123
#include <cstdint>
#include <cstdio>

constexpr int N = 1024;

struct Arrays {
  long skip;
  int* a;
  int* b;
};
__constant__ Arrays arrays;
__constant__ int* constant_table[2];
__device__ int* variable;
__device__ int* other_variable;

__global__ void constant(long distance) { arrays.a[distance + threadIdx.x] = 1; }  // @CONSTANT
__global__ void in_constant_table(long distance, int n) {
  for (int i = 0; i < n; ++i) constant_table[i][distance] = 2;  // @CONSTANT_TABLE
}
__global__ void in_variable(long distance) { variable[-distance] = 3; }  // @VARIABLE
// A batch: the matrices are one allocation each, and the distance leads out of all of them.
__global__ void in_table(int* const* table, long distance, int* out) {
  const int* one = table[blockIdx.x];
  int sum = 0;
  for (int i = 0; i < 4; ++i, one += distance) sum += *one;  // @TABLE
  out[blockIdx.x] = sum;
}
__global__ void member(const Arrays* arrays, long distance) { arrays[blockIdx.x].a[distance] = 4; }  // @MEMBER

// What is right, or may be: the other pointer of the table, one that the kernel puts there, pointers behind an end,
// pointers that were exchanged, distances of two pointers.
__global__ void sound(int** table, int* own, int* end_of_own, long distance, int* out) {
  const int t = threadIdx.x;
  arrays.a[t] = arrays.b[t] + constant_table[t % 2][t];
  out[t] = (arrays.b + (arrays.a - arrays.b))[t];
  int* const one = table[0];
  int* const two = table[1];
  __syncthreads();
  if (t == 0) table[0] = two, table[1] = one, table[2] = own, variable = own, other_variable = variable;
  __syncthreads();
  table[0][t] = 1, table[1][t] = 2, table[2][t] = 3;
  variable[t] = 5, other_variable[t] = 6;
  if (t == 0) table[2] = end_of_own, variable = end_of_own;
  __syncthreads();
  table[2][-1 - t] = 4, variable[-1 - t] = 7;
  int* const choice = distance == 0 ? arrays.a : arrays.b;
  choice[t] = 8;
}

int main() {
  int *a, *b, *own, *out, **table;
  Arrays* structs;
  cudaMalloc(&a, N * sizeof(int));
  cudaMalloc(&b, 2 * N * sizeof(int));
  cudaMalloc(&own, N * sizeof(int));
  cudaMalloc(&out, 3 * N * sizeof(int));
  cudaMalloc(&table, 3 * sizeof(int*));
  cudaMalloc(&structs, 2 * sizeof(Arrays));
  for (int* array : {a, b, own}) cudaMemset(array, 0, N * sizeof(int));
  int* const both[3] = {a, b, nullptr};
  const Arrays named{1, a, b};
  const Arrays two[2] = {{7, a, nullptr}, {8, a, a}};
  int* const firsts[2] = {a, a};
  const auto reset = [&] {
    cudaMemcpy(table, both, sizeof both, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(constant_table, both, sizeof(int*) * 2);
    cudaMemcpyToSymbol(variable, &b, sizeof b);
    cudaMemcpyToSymbol(arrays, &named, sizeof named);
  };
  cudaMemcpy(structs, two, sizeof two, cudaMemcpyHostToDevice);
  const long distance = b - a;
  if (distance < 0 || own < b) return printf("later allocations come first\n"), 1;
  reset();
  sound<<<1, 32>>>(table, own, own + N, 1, out);
  cudaDeviceSynchronize();
  reset();
  constant<<<1, 32>>>(distance);
  in_variable<<<1, 1>>>(distance);
  cudaMemcpy(table, firsts, sizeof firsts, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(constant_table, firsts, sizeof firsts);
  in_constant_table<<<1, 1>>>(distance, 2);
  in_table<<<2, 1>>>(table, distance, out);
  member<<<2, 1>>>(structs, distance);
  return cudaDeviceSynchronize() != cudaSuccess;
}
