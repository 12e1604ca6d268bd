// An overrun that skips the padding behind a row and ends in another row of the same table of pointers.
// TOOLS: memcheck
// OPTIONS: --destroy-on-device-error kernel
// FINDS: out-of-bounds @ONE
// FINDS: out-of-bounds @LANES
// FINDS: out-of-bounds @NODE
// FINDS: out-of-bounds @ADDED
// SAYS: bytes past the end of a device allocation of 256 bytes, in a device allocation of 256 bytes
#include <cstdlib>

struct Node {
  int value;
  Node* next;
};

__global__ void one(float* const* rows, long distance) { rows[blockIdx.x][distance] = 1; }  // @ONE
__global__ void lanes(float* const* rows, int* sums, long distance) {
  const float* row = rows[threadIdx.x % 4];
  float s = 0;
  for (int j = 0; j < 8; ++j) s += row[j + (threadIdx.x == 4 ? distance : 0)];  // @LANES
  sums[threadIdx.x] = s;
}
__global__ void nodes(Node* first, int* sums, long distance) {
  sums[0] = (&first->next->value)[distance];  // @NODE
}
__global__ void added(int* const* rows, long distance) { atomicAdd(rows[threadIdx.x % 2] + distance, 1); }  // @ADDED

// What is right: any row, by any way to it; from one to another by the distance that the kernel takes; parts of one
// allocation.
__global__ void sound(float** rows, float** parts, int n) {
  const int t = threadIdx.x;
  for (int i = 0; i < n; ++i) rows[i][t] = rows[(i + t) % n][t];
  float *a = rows[0], *b = rows[1];
  for (int k = 0; k < 3; ++k) {
    a[t] += b[t];
    float* const c = a;
    a = b, b = c;
  }
  float* const longer = t % 2 == 0 ? rows[2] : rows[3];
  longer[t] = 1;
  parts[0][64 + t] = 1;
  if (t == 0) {
    float* const old = rows[0];
    rows[0] = rows[1];
    rows[1] = old;
  }
}
__global__ void list(Node* first, int* sums) {
  int s = 0;
  for (Node* n = first; n; n = n->next) s += n->value;
  sums[1] = s;
}
__global__ void by_distance(float* const* rows) {
  const long between = rows[2] - rows[0];
  rows[0][between + threadIdx.x] = 1;
}

template <class T>
T* on_device(const T* from, int n) {
  T* to;
  cudaMalloc(&to, n * sizeof(T));
  cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}

int main() {
  float *rows[4], *parts[2];
  for (float*& row : rows) {
    cudaMalloc(&row, 256);
    cudaMemset(row, 0, 256);
  }
  cudaMalloc(&parts[0], 512);
  parts[1] = parts[0] + 64;
  float **table = on_device(rows, 4), **of_parts = on_device(parts, 2);
  int* sums;
  cudaMalloc(&sums, 256);
  Node none{}, *last = on_device(&none, 1);
  Node before{1, last}, *second = on_device(&before, 1);
  before.next = second;
  Node* first = on_device(&before, 1);
  one<<<1, 1>>>(table, rows[2] - rows[0]);
  lanes<<<1, 32>>>(table, sums, rows[3] - rows[0]);
  nodes<<<1, 1>>>(first, sums, &last->value - &second->value);
  list<<<1, 1>>>(first, sums);
  added<<<1, 1>>>(reinterpret_cast<int**>(table), rows[1] - rows[0]);
  sound<<<1, 32>>>(table, of_parts, 4);
  by_distance<<<1, 32>>>(table);
  cudaDeviceSynchronize();
  return 0;
}
