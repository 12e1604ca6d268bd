// Calls: recursion, mutual recursion, function pointers that differ from lane to lane, virtual functions, lambdas.
#include "check.h"

#define BOTH __host__ __device__

BOTH __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
BOTH __noinline__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
BOTH int is_odd(int n);
BOTH __noinline__ int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
BOTH __noinline__ int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }

// Quicksort with an array in local memory and recursion on both sides.
BOTH __noinline__ void quicksort(int* v, int lo, int hi) {
  if (lo >= hi) return;
  int pivot = v[(lo + hi) / 2], i = lo, j = hi;
  while (i <= j) {
    while (v[i] < pivot) ++i;
    while (v[j] > pivot) --j;
    if (i <= j) {
      int t = v[i];
      v[i++] = v[j];
      v[j--] = t;
    }
  }
  quicksort(v, lo, j);
  quicksort(v, i, hi);
}
BOTH int sorted_checksum(int seed) {
  int v[24], sum = 0;
  for (int k = 0; k < 24; ++k) v[k] = (seed * 2654435761u + k * 40503u) >> 20;
  quicksort(v, 0, 23);
  for (int k = 0; k < 24; ++k) sum = sum * 31 + v[k];
  return sum;
}

BOTH int recursive(int i) {
  switch (i % 4) {
    case 0: return fibonacci(i % 13);
    case 1: return ackermann(2, i % 5);
    case 2: return is_even(i % 40) * 10 + is_odd(i % 7);
    default: return sorted_checksum(i);
  }
}

using Operation = int (*)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int multiply(int a, int b) { return a * b; }
__device__ __noinline__ int shift(int a, int b) { return a << (b & 7); }
__device__ Operation table[3] = {add, multiply, shift};

__global__ void through_table(int* out) {
  int t = threadIdx.x;
  out[t] = table[t % 3](t, t / 3);
}

// The pointer comes from the host, which read it from the device.
__device__ Operation chosen = multiply;
__global__ void through_argument(int* out, Operation f) { out[threadIdx.x] = f(threadIdx.x, 7); }

struct Shape {
  float side;
  __device__ explicit Shape(float s) : side(s) {}
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 4; }
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  __device__ explicit Square(float s) : Shape(s) {}
  __device__ float area() const override { return side * side; }
};
struct Triangle : Shape {
  float height;
  __device__ Triangle(float s, float h) : Shape(s), height(h) {}
  __device__ float area() const override { return side * height / 2; }
  __device__ int corners() const override { return 3; }
};
__global__ void virtual_calls(float* out) {
  int t = threadIdx.x;
  Shape* shape;
  if (t % 2) shape = new Square(t);
  else shape = new Triangle(t, 6.f);
  out[t] = shape->area() * 10 + shape->corners();
  delete shape;
}

template <typename F>
__global__ void map(int* out, F f) {
  out[threadIdx.x] = f(threadIdx.x);
}
struct Affine {
  int a, b;
  __device__ int operator()(int x) const { return a * x + b; }
};

// Many arguments of every size, and a struct returned by value.
struct Mixed {
  char c;
  double d;
  short s;
  long long l;
};
__device__ __noinline__ Mixed mix(char a, double b, short c, long long d, float e, Mixed m) {
  return {static_cast<char>(a + m.c), b + e + m.d, static_cast<short>(c - m.s), d ^ m.l};
}
__global__ void by_value(Mixed* out) {
  int t = threadIdx.x;
  Mixed m = {static_cast<char>(t), 0.5 * t, static_cast<short>(-t), 1ll << (t % 60)};
  for (int k = 0; k < 3; ++k) m = mix(1, 0.25, 2, 5, 1.f, m);
  out[t] = m;
}

__global__ void apply_recursive(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = recursive(i);
}

int main() {
  CK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  {
    const int n = 200;
    Buffer<int> out(n);
    apply_recursive<<<2, 128>>>(out, n);
    CK_LAUNCH();
    std::vector<int> want(n);
    for (int i = 0; i < n; ++i) want[i] = recursive(i);
    expect_same("recursive", out.get(), want);
  }
  {
    Buffer<int> out(64);
    through_table<<<1, 64>>>(out);
    CK_LAUNCH();
    std::vector<int> want(64);
    for (int t = 0; t < 64; ++t) want[t] = t % 3 == 0 ? t + t / 3 : t % 3 == 1 ? t * (t / 3) : t << (t / 3 & 7);
    expect_same("through_table", out.get(), want);

    Operation f;
    CK(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
    through_argument<<<1, 64>>>(out, f);
    CK_LAUNCH();
    for (int t = 0; t < 64; ++t) want[t] = 7 * t;
    expect_same("through_argument", out.get(), want);

    map<<<1, 64>>>(out.data(), Affine{3, -4});
    CK_LAUNCH();
    for (int t = 0; t < 64; ++t) want[t] = 3 * t - 4;
    expect_same("functor", out.get(), want);
  }
  {
    Buffer<float> out(50);
    virtual_calls<<<1, 50>>>(out);
    CK_LAUNCH();
    std::vector<float> want(50);
    for (int t = 0; t < 50; ++t) want[t] = t % 2 ? t * t * 10.f + 4 : t * 3.f * 10 + 3;
    expect_same("virtual_calls", out.get(), want);
  }
  {
    Buffer<Mixed> out(64);
    by_value<<<1, 64>>>(out);
    CK_LAUNCH();
    std::vector<Mixed> got = out.get();
    for (int t = 0; t < 64; ++t) {
      short s = -t;
      for (int k = 0; k < 3; ++k) s = 2 - s;
      EXPECT(got[t].c == static_cast<char>(t + 3) && got[t].d == 0.5 * t + 3 * 1.25 && got[t].s == s);
      EXPECT(got[t].l == (5 ^ (1ll << (t % 60))));
    }
  }
  return finish();
}
