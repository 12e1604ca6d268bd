// An index past the end of one shared array, into another one of the same block.
// TOOLS: memcheck
// FINDS: out-of-bounds @PAST
// FINDS: out-of-bounds @BEFORE
// FINDS: out-of-bounds @READ
// FINDS: out-of-bounds @ATOMIC
// FINDS: out-of-bounds @WIDE
// FINDS: out-of-bounds @DYNAMIC
// FINDS: out-of-bounds @STATIC
// FINDS: out-of-bounds @VOLATILE
// FINDS: out-of-bounds @CALLED
// FINDS: out-of-bounds @GAP
// FINDS: out-of-bounds @RECURSIVE
// FINDS: out-of-bounds @RETURNED
// FINDS: out-of-bounds @THROUGH_POINTER
// FINDS: out-of-bounds @THROUGH_POINTER
#include <cstdio>

constexpr int N = 64;

// One dynamic array is cut into two, whose sizes only the program knows; a pointer may be of either array; one past the
// end is only compared, and the distance of two pointers is a number.
__global__ void sound(const int* in, int* out, int n) {
  __shared__ int a[N], b[N];
  extern __shared__ int cut[];
  int *first = cut, *second = cut + n;
  const int t = threadIdx.x;
  first[t] = in[t], second[t] = in[t] + 1;
  int* either = (in[t] & 1) != 0 ? a : b;
  a[t] = b[t] = 0;
  __syncthreads();
  either[t] += second[n - 1 - t];
  __syncthreads();
  int sum = 0;
  for (const int* p = first + t; p != first + 2 * n - t; ++p) sum += *p;
  const long distance = &second[t] - &first[t];
  out[t] = sum + first[distance - n + t] + a[n - 1 - t] + b[t];
}
// Two buffers, of which each round takes the other one.
__global__ void rounds(const int* in, int* out, int n) {
  __shared__ int even[N], odd[N];
  int *from = even, *to = odd;
  from[threadIdx.x] = in[threadIdx.x];
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    to[threadIdx.x] = from[(threadIdx.x + 1) % N] + i;
    int* other = from;
    from = to, to = other;
  }
  out[threadIdx.x] = from[threadIdx.x];
}

__global__ void past(const int* in, int* out, int by) {
  __shared__ int a[N], b[N];
  b[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  a[threadIdx.x + by] = 7;  // @PAST
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
__global__ void before(const int* in, int* out, int by) {
  __shared__ int a[N], b[N];
  a[threadIdx.x] = b[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  b[static_cast<int>(threadIdx.x) - by] = 8;  // @BEFORE
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x ^ 1] + b[threadIdx.x];
}
__global__ void others(const int* in, int* out, int by) {
  __shared__ int a[N];
  __shared__ float b[N];
  __shared__ int4 c[N / 4];
  const int t = threadIdx.x;
  a[t] = in[t], b[t] = 1;
  if (t < N / 4) c[t] = {1, 2, 3, 4};
  __syncthreads();
  int sum = a[in[t] + by];           // @READ
  atomicAdd(&a[in[t] + by], 1);      // @ATOMIC
  const int4 v = c[in[t] / 4 - by];  // @WIDE
  out[t] = sum + b[t] + v.x + v.y + v.z + v.w;
}
// The dynamic array lies behind the static one.
__global__ void dynamic(const int* in, int* out, int by) {
  __shared__ int a[N];
  extern __shared__ int cut[];
  a[threadIdx.x] = cut[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  cut[static_cast<int>(threadIdx.x) - by] = 5;  // @DYNAMIC
  a[threadIdx.x + by] = 6;                      // @STATIC
  __syncthreads();
  out[threadIdx.x] = a[N - 1 - threadIdx.x] + cut[threadIdx.x];
}
// A pointer that goes into a function, which the compiler may take to be any memory's.
__device__ __noinline__ void fill(int* p, int n, int value) {
  for (int i = threadIdx.x; i < n; i += 32) p[i] = value;  // @CALLED
}
__global__ void generic(const int* in, int* out, int by) {
  __shared__ int a[N], b[N];
  volatile int* p = a;
  b[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  p[threadIdx.x + by] = 3;  // @VOLATILE
  fill(b, N, 2);
  fill(a, N + by, 1);
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
// What lies between two variables belongs to none.
__global__ void gap(const int* in, char* out, int by) {
  __shared__ char a[3];
  __shared__ int b[N];
  b[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 3) a[threadIdx.x + by] = 1;  // @GAP
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x % 3] + b[threadIdx.x];
}
// Functions that are really called: each is given one array, and its own recursion the same.
__device__ __noinline__ void halves(int* p, int n, int value) {
  if (n > 1) {
    halves(p, n / 2, value);
    halves(p + n / 2, n - n / 2, value + 1);
    return;
  }
  p[0] = value;  // @RECURSIVE
}
__device__ int* after(int* p, int n);
__device__ __noinline__ int* before(int* p, int n) { return n == 0 ? p : after(p + 1, n - 1); }
__device__ __noinline__ int* after(int* p, int n) { return before(p, n); }
__device__ __noinline__ void either(int* p, int n) {
  if (n > 0) either(p, n - 1);
  p[n] = n;
}
__global__ void called(const int* in, int* out, int by) {
  __shared__ int a[N], b[N], c[N];
  a[threadIdx.x] = c[threadIdx.x] = in[threadIdx.x];
  b[threadIdx.x] = in[threadIdx.x] + 1;
  __syncthreads();
  if (threadIdx.x == 0) halves(a, N + by, 5);
  if (threadIdx.x == 1) *after(b, N - 1 + by) = 3;  // @RETURNED
  // Given both arrays, it may reach from one into the other as far as anyone knows.
  if (threadIdx.x == 2) either(c, 3), either(b, 4);
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x] + c[threadIdx.x];
}

// Functions that are called through pointers: whichever it is, it is given one array.
using Store = void (*)(int*, int);
__device__ __noinline__ void store_one(int* p, int i) { p[i] = 1; }  // @THROUGH_POINTER
__device__ __noinline__ void store_two(int* p, int i) { p[i] = 2; }
__device__ Store stores[] = {store_one, store_two};
__global__ void through_pointer(const int* in, int* out, int by) {
  __shared__ int a[N], b[N];
  b[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  stores[in[threadIdx.x] / N](a, threadIdx.x + by);
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
// Either array, as far as anyone knows: what lies between them is neither's.
__global__ void either_through_pointer(const int* in, int* out, int by) {
  __shared__ int a[N], b[N];
  stores[in[threadIdx.x] / N](a, threadIdx.x + by);
  stores[1 - in[threadIdx.x] / N](b, threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

int main() {
  int *in, *out, host[N];
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  for (int i = 0; i < N; ++i) host[i] = i;
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  const size_t bytes = 2 * sizeof host;
  sound<<<1, N, bytes>>>(in, out, N);
  rounds<<<1, N>>>(in, out, 5);
  past<<<1, N>>>(in, out, 1);
  before<<<1, N>>>(in, out, 1);
  others<<<1, N>>>(in, out, 1);
  dynamic<<<1, N, bytes>>>(in, out, 1);
  generic<<<1, N>>>(in, out, 1);
  called<<<1, N>>>(in, out, 1);
  through_pointer<<<1, N>>>(in, out, 1);
  either_through_pointer<<<1, N>>>(in, out, 1);
  gap<<<1, N>>>(in, reinterpret_cast<char*>(out), 1);
  // The block may access all of this memory: as on a GPU, no launch fails.
  return cudaDeviceSynchronize() != cudaSuccess;
}
