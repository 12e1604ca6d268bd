// Arrays that live in local memory: indexed at run time, their address passed on, different in every thread.
#include "check.h"

#define BOTH __host__ __device__

BOTH unsigned histogram_local(int i) {
  unsigned char count[16] = {};
  unsigned v = i * 2654435761u;
  for (int k = 0; k < 40; ++k) {
    ++count[v >> 28];
    v = v * 1664525u + 1013904223u;
  }
  unsigned r = 0;
  for (int k = 0; k < 16; ++k) r = r * 7 + count[(k + i) % 16];
  return r;
}

struct Item {
  short key;
  double weight;
  char tag[3];
};
BOTH __noinline__ void insert(Item* items, int* n, Item item) {
  int at = *n;
  while (at > 0 && items[at - 1].key > item.key) {
    items[at] = items[at - 1];
    --at;
  }
  items[at] = item;
  ++*n;
}
BOTH unsigned insertion_sort(int i) {
  Item items[12];
  int n = 0;
  for (int k = 0; k < 12; ++k) {
    Item item = {static_cast<short>((i * 37 + k * 91) % 50), k * 0.5, {char(k), char(i), 'x'}};
    insert(items, &n, item);
  }
  double sum = 0;
  unsigned r = 0;
  for (int k = 0; k < n; ++k) sum += items[k].weight * k, r = r * 5 + items[k].key + items[k].tag[0];
  return r + static_cast<unsigned>(sum);
}

// An explicit stack: the towers of Hanoi.
BOTH unsigned hanoi(int i) {
  struct Frame {
    signed char n, from, to, via;
  } stack[32];
  int top = 0;
  unsigned r = i;
  stack[top++] = {static_cast<signed char>(1 + i % 7), 0, 2, 1};
  while (top > 0) {
    Frame f = stack[--top];
    if (f.n == 1) {
      r = r * 9 + f.from * 3 + f.to;
      continue;
    }
    const signed char less = f.n - 1;
    stack[top++] = {less, f.via, f.to, f.from};
    stack[top++] = {1, f.from, f.to, f.via};
    stack[top++] = {less, f.from, f.via, f.to};
  }
  return r;
}

BOTH unsigned matrix4(int i) {
  float a[4][4], b[4][4];
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) a[y][x] = (y * 4 + x + i) % 5;
  for (int r = 0; r < 3; ++r) {
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x) {
        float s = 0;
        for (int k = 0; k < 4; ++k) s += a[y][(k + i) % 4] * a[(k + i) % 4][x];
        b[y][x] = s - static_cast<int>(s) / 7 * 7;
      }
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x) a[y][x] = b[x][(y + r) % 4];
  }
  unsigned sum = 0;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) sum = sum * 8 + static_cast<unsigned>(a[y][x]);
  return sum;
}

// A generic access: the pointer is to shared memory in some lanes, global in others, local in the rest.
__global__ void generic(int* out, int* global) {
  __shared__ int shared[96];
  int local[2] = {static_cast<int>(threadIdx.x) * 3, 5};
  int t = threadIdx.x;
  shared[t] = t * 100;
  __syncthreads();
  int* p = t % 3 == 0 ? &shared[95 - t] : t % 3 == 1 ? &global[t] : &local[t % 2];
  *p += 1;
  __syncthreads();
  out[t] = *p + local[1];
}

template <unsigned (*F)(int)>
__global__ void apply(unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = F(i);
}

template <unsigned (*F)(int)>
void check(const char* name) {
  const int n = 500;
  Buffer<unsigned> out(n);
  apply<F><<<(n + 63) / 64, 64>>>(out, n);
  CK_LAUNCH();
  std::vector<unsigned> want(n);
  for (int i = 0; i < n; ++i) want[i] = F(i);
  expect_same(name, out.get(), want);
}

int main() {
  check<histogram_local>("histogram_local");
  check<insertion_sort>("insertion_sort");
  check<hanoi>("hanoi");
  check<matrix4>("matrix4");
  {
    std::vector<int> start(96), want(96);
    for (int t = 0; t < 96; ++t) start[t] = -t;
    Buffer<int> global(start), out(96);
    generic<<<1, 96>>>(out, global);
    CK_LAUNCH();
    for (int t = 0; t < 96; ++t) {
      int local[2] = {t * 3, 5};
      if (t % 3 == 2) ++local[t % 2];
      want[t] = (t % 3 == 0 ? (95 - t) * 100 + 1 : t % 3 == 1 ? -t + 1 : local[t % 2]) + local[1];
    }
    expect_same("generic", out.get(), want);
  }
  return finish();
}
