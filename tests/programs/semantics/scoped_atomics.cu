// cuda::atomic_ref of each size, order and operation: what has no instruction is a loop, what is smaller than a word is
// swapped in its word, and its neighbours stay.
#include <cuda/atomic>

#include "check.h"

constexpr int N = 96;
template <class T>
using Device = cuda::atomic_ref<T, cuda::thread_scope_device>;
template <class T>
using Block = cuda::atomic_ref<T, cuda::thread_scope_block>;

struct Values {
  unsigned char bytes[4];
  unsigned short shorts[2];
  signed char lowest, highest;
  short pad;
  int sum, low;
  unsigned bits, high;
  long long wide;
  unsigned long long swapped;
  float total, least;
  double precise;
};

__global__ void update(Values* v) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  Device<unsigned char>(v->bytes[t % 4]).fetch_add(1);
  Device<unsigned short>(v->shorts[t % 2]).fetch_add(3, cuda::memory_order_relaxed);
  Device<signed char>(v->lowest).fetch_min(static_cast<signed char>(-t));
  Device<signed char>(v->highest).fetch_max(static_cast<signed char>(t), cuda::memory_order_release);
  Device<int>(v->sum).fetch_sub(t, cuda::memory_order_acquire);
  Device<int>(v->low).fetch_min(-t);
  Device<unsigned>(v->bits).fetch_or(1u << t % 32, cuda::memory_order_acq_rel);
  Device<unsigned>(v->high).fetch_max(0xfffffff0u + t % 8);
  Device<long long>(v->wide).fetch_add(1ll << 33);
  Device<float>(v->total).fetch_add(0.5f);
  Device<float>(v->least).fetch_min(-0.25f * t);
  Device<double>(v->precise).fetch_sub(0.25);
  Device<unsigned long long> swapped(v->swapped);
  unsigned long long seen = swapped.load(cuda::memory_order_relaxed);
  while (!swapped.compare_exchange_weak(seen, seen + 2)) {
  }
}

__global__ void exchange(Values* v, int* out) {
  if (threadIdx.x != 0) return;
  Block<unsigned char> byte(v->bytes[1]);
  out[0] = byte.exchange(200);
  out[1] = byte.load(cuda::memory_order_acquire);
  byte.store(7, cuda::memory_order_release);
  unsigned char expected = 8;
  out[2] = byte.compare_exchange_strong(expected, 9);
  out[3] = expected;
  out[4] = byte.compare_exchange_strong(expected, 9, cuda::memory_order_release, cuda::memory_order_acquire);
  Block<unsigned short> half(v->shorts[1]);
  out[5] = half.exchange(0xfeed);
  out[6] = half.load();
  __nv_atomic_store_n(&out[7], 11, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_BLOCK);
  out[8] = __nv_atomic_fetch_xor(&out[7], 2, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_SYSTEM);
}

int main() {
  Values* v;
  int* out;
  cudaMallocManaged(&v, sizeof(Values));
  cudaMallocManaged(&out, 16 * sizeof(int));
  *v = {};
  update<<<2, N / 2>>>(v);
  CK_LAUNCH();
  for (const unsigned char b : v->bytes) EXPECT(b == N / 4);
  for (const unsigned short s : v->shorts) EXPECT(s == 3 * N / 2);
  EXPECT(v->lowest == 1 - N && v->highest == N - 1 && v->pad == 0);
  EXPECT(v->sum == -N * (N - 1) / 2 && v->low == 1 - N);
  EXPECT(v->bits == ~0u && v->high == 0xfffffff7u);
  EXPECT(v->wide == static_cast<long long>(N) << 33 && v->swapped == 2 * N);
  EXPECT(v->total == 0.5f * N && v->least == -0.25f * (N - 1) && v->precise == -0.25 * N);
  exchange<<<1, 32>>>(v, out);
  CK_LAUNCH();
  EXPECT(out[0] == N / 4 && out[1] == 200 && out[2] == 0 && out[3] == 7 && out[4] == 1 && v->bytes[1] == 9);
  EXPECT(v->bytes[0] == N / 4 && v->bytes[2] == N / 4);
  EXPECT(out[5] == 3 * N / 2 && out[6] == 0xfeed && v->shorts[0] == 3 * N / 2);
  EXPECT(out[7] == (11 ^ 2) && out[8] == 11);
  return finish();
}
