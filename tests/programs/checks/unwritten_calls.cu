// Unwritten values that go into functions which are really called, and come back: found where they are used.
// TOOLS: initcheck
// FINDS: uninitialized @ARGUMENT @INSIDE
// FINDS: uninitialized @LOADED @RETURNED
// FINDS: uninitialized @HALF @HALF_USED
// FINDS: uninitialized @POINTER @COMPARED
// FINDS: uninitialized @VIRTUAL @VIRTUAL
// FINDS: uninitialized @GAMMA @GAMMA_USED
// FINDS: uninitialized @SIZE @SIZE
#include <cstdio>

// Each calls the other one, so that the calls stay calls. The value is used at the deepest one only.
__device__ int into(int depth, int value, int* out);
__device__ __noinline__ int onto(int depth, int value, int* out) { return into(depth - 1, value, out) + depth; }
__device__ __noinline__ int into(int depth, int value, int* out) {
  if (depth > 0) return onto(depth, value, out) * 3;
  out[threadIdx.x] = value;  // @INSIDE
  return depth;
}
__device__ int back(int depth, const int* data);
__device__ __noinline__ int before(int depth, const int* data) { return back(depth - 1, data) ^ depth; }
__device__ __noinline__ int back(int depth, const int* data) {
  if (depth > 0) return before(depth, data) + 1;
  return data[threadIdx.x];  // @LOADED
}
// Nothing looks at the value.
__device__ int nowhere(int depth, int value);
__device__ __noinline__ int elsewhere(int depth, int value) { return nowhere(depth - 1, value) + depth; }
__device__ __noinline__ int nowhere(int depth, int value) { return depth > 0 ? elsewhere(depth, value) * 3 : depth; }
// Swaps the halves of the value, as often as it is deep.
__device__ unsigned long long turned(int depth, unsigned long long v);
__device__ __noinline__ unsigned long long turned_again(int depth, unsigned long long v) {
  return turned(depth - 1, v);
}
__device__ __noinline__ unsigned long long turned(int depth, unsigned long long v) {
  return depth > 0 ? turned_again(depth, v << 32 | v >> 32) : v;
}
__global__ void recursion(const int* data, int* out, int depth) {
  out[threadIdx.x] = into(depth, data[threadIdx.x], out + 32);  // @ARGUMENT
  out[threadIdx.x] += nowhere(depth, data[threadIdx.x]);
  out[threadIdx.x] = back(depth, data);  // @RETURNED
}
// Half of the value is written, and only that half is used, but in the launch whose depth is odd.
__global__ void halves(const unsigned long long* data, int* out, int depth) {
  const unsigned long long v = turned(depth, data[threadIdx.x]);  // @HALF
  out[threadIdx.x] = static_cast<int>(v);  // @HALF_USED
}

using Function = int (*)(int, int);
__device__ __noinline__ int sign(int a, int b) { return a > b ? 1 : -1; }
__device__ __noinline__ int second(int, int b) { return b; }
__global__ void pointers(const int* data, int* out, int which) {
  const Function f = which == 0 ? second : sign;
  const int result = f(data[threadIdx.x], 3);  // @POINTER
  if (result == 3) out[threadIdx.x] = result;  // @COMPARED
}
struct Shape {
  __device__ virtual int area(int side) const = 0;
};
struct Square : Shape {
  __device__ int area(int side) const override { return side * side; }
};
struct Unit : Shape {
  __device__ int area(int) const override { return 1; }
};
__global__ void virtuals(const int* data, int* out, int which) {
  Square square;
  Unit unit;
  const Shape* shape = which == 0 ? static_cast<const Shape*>(&unit) : &square;
  out[threadIdx.x] = shape->area(data[threadIdx.x]);  // @VIRTUAL
}
__device__ void* kept;
// Functions that drywarp provides: what mathematics makes of a value is unknown, and an allocator uses it.
__global__ void provided(const float* data, const unsigned long long* sizes, float* out) {
  const float y = tgammaf(data[threadIdx.x]);  // @GAMMA
  out[threadIdx.x] = y;  // @GAMMA_USED
  kept = malloc(sizes[0] & 63);  // @SIZE
}

int main() {
  int *data, *out;
  unsigned long long *wide, *sizes;
  cudaMalloc(&data, 32 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMalloc(&wide, 32 * sizeof *wide);
  cudaMalloc(&sizes, 8);
  // The upper halves stay unwritten.
  cudaMemset2D(wide, sizeof *wide, 0, 4, 32);
  recursion<<<1, 32>>>(data, out, 3);
  halves<<<1, 32>>>(wide, out, 4);
  halves<<<1, 32>>>(wide, out, 3);
  for (int which = 0; which < 2; ++which) {
    pointers<<<1, 32>>>(data, out, which);
    virtuals<<<1, 32>>>(data, out, which);
  }
  provided<<<1, 32>>>(reinterpret_cast<float*>(data), sizes, reinterpret_cast<float*>(out));
  return cudaDeviceSynchronize() != cudaSuccess;
}
