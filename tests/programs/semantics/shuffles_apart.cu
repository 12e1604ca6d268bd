// Lanes that name each other in a shuffle reach it at different places of the program, or not at all. Results are an
// H200's: lanes at two shuffles of one kind exchange, and no lane waits for lanes that have exited.
#include "check.h"

// Both arms of a branch: each lane gets the value that the other half passed.
__global__ void two_places(int* out, int n) {
  const int t = threadIdx.x;
  int v = t * 10, r;
  if (t < 16) {
    r = __shfl_sync(0xffffffff, v, (t + 16) & 31);
  } else {
    v += 1;
    r = __shfl_sync(0xffffffff, v + n, (t + 16) & 31);
  }
  out[t] = r + (v - t * 10) * 1000;  // the lane's own value is unchanged
}

// Two rows of 16 lanes with loops of different lengths: the row that ends first waits at the last shuffle for the other.
__global__ void rows(int* out, const int* lengths) {
  const int t = threadIdx.x, y = threadIdx.y;
  int sum = 0;
  const int length = lengths[y];
  for (int i = 0; i < length; i++) {
    const int last = __shfl_sync(0xffffffffu, sum, 15, 16);
    sum = t + i;
    for (int j = 1; j < 16; j *= 2) {
      const int v = __shfl_up_sync(0xffffffffu, sum, j, 16);
      if (t >= j) sum += v;
    }
    sum += last;
  }
  out[y * 16 + t] = __shfl_sync(0xffffffffu, sum, 15, 16);
}

__global__ void half_gone(int* out, int n) {
  const int t = threadIdx.x;
  if (t >= n) return;
  out[t] = __shfl_sync(0xffffffff, t * 3 + 1, (t + 1) % n);
}

// The same in a function that is really called, once from each side.
__device__ __noinline__ int turn(int v, int by) {
  return by > 20 ? v : __shfl_sync(0xffffffff, v, (threadIdx.x + by) & 31);
}
__global__ void called(int* out, int by) {
  const int t = threadIdx.x;
  int (*volatile f)(int, int) = turn;
  int r;
  if (t < 16)
    r = f(t, by);
  else
    r = __shfl_sync(0xffffffff, t + 100, (t + by) & 31);
  out[t] = r;
}

int main() {
  Buffer<int> out(32), lengths(std::vector<int>{2, 3});
  two_places<<<1, 32>>>(out, 5);
  CK(cudaDeviceSynchronize());
  std::vector<int> expected(32);
  for (int t = 0; t < 32; ++t) expected[t] = t < 16 ? (t + 16) * 10 + 6 : (t - 16) * 10 + 1000;
  expect_same("two places", out.get(), expected);
  rows<<<1, dim3(16, 2)>>>(out, lengths);
  CK(cudaDeviceSynchronize());
  for (int t = 0; t < 32; ++t) expected[t] = t < 16 ? 256 : 408;
  expect_same("rows", out.get(), expected);
  half_gone<<<1, 32>>>(out, 16);
  CK(cudaDeviceSynchronize());
  for (int t = 0; t < 16; ++t) expected[t] = (t + 1) % 16 * 3 + 1;
  expect_same("half gone", out.get(), expected);
  called<<<1, 32>>>(out, 16);
  CK(cudaDeviceSynchronize());
  for (int t = 0; t < 32; ++t) expected[t] = t < 16 ? t + 116 : t - 16;
  expect_same("called", out.get(), expected);
  return finish();
}
