// Functions that are new in CUDA 12: __nv_atomic_*, three-operand minima and maxima on words and halves, conversions
// between half and bfloat16; and code for which nvcc only warns.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cuda/atomic>

#include "check.h"

constexpr int kThreads = 3 * 200;

struct Sums {
  int add, sub, low, high, bits, last, taken;
  unsigned long long wide;
  float f;
};

__global__ void atomics(Sums* s, int* seen) {
  register int t = blockIdx.x * blockDim.x + threadIdx.x;
  seen[__nv_atomic_fetch_add(&s->add, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)] += 1;
  __nv_atomic_sub(&s->sub, t, __NV_ATOMIC_SEQ_CST);
  __nv_atomic_min(&s->low, -t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
  __nv_atomic_fetch_max(&s->high, t, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_or(&s->bits, 1 << t % 31, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_add(&s->wide, 1ull << 40, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_add(&s->f, 0.5f, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  // One thread is the first to find -1.
  int expected = -1;
  if (__nv_atomic_compare_exchange_n(&s->last, &expected, t, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_ACQUIRE,
                                     __NV_THREAD_SCOPE_DEVICE))
    __nv_atomic_store_n(&s->taken, t, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  else if (expected != __nv_atomic_load_n(&s->last, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE))
    __nv_atomic_exchange_n(&s->taken, -2, __NV_ATOMIC_RELAXED);
}

__global__ void through_volatile(volatile cuda::atomic<int>* a, int* out) {
  const cuda::atomic<int> two(2);  // which has no copies
  a->fetch_add(two, cuda::memory_order_relaxed);
  if (threadIdx.x == 0) *out = a->load() >= 2;
}

constexpr int kWords = 22;
__host__ __device__ void words(unsigned a, unsigned b, unsigned c, unsigned* o) {
  bool high, low;
  *o++ = __vimin3_s32(a, b, c), *o++ = __vimax3_u32(a, b, c);
  *o++ = __viaddmax_s32(a, b, c), *o++ = __viaddmin_u32(a, b, c), *o++ = __viaddmin_s32_relu(a, b, c);
  *o++ = __vimax_s32_relu(a, b), *o++ = __vimin_s16x2_relu(a, b), *o++ = __vimax_s16x2_relu(a, b);
  *o++ = __vimin3_s16x2(a, b, c), *o++ = __vimin3_u16x2(a, b, c), *o++ = __vimax3_s16x2(a, b, c);
  *o++ = __vimax3_u16x2(a, b, c), *o++ = __vimax3_s16x2_relu(a, b, c), *o++ = __vimin3_s16x2_relu(a, b, c);
  *o++ = __viaddmax_s16x2(a, b, c), *o++ = __viaddmax_u16x2(a, b, c), *o++ = __viaddmin_s16x2(a, b, c);
  *o++ = __viaddmin_u16x2(a, b, c), *o++ = __viaddmax_s16x2_relu(a, b, c);
  *o++ = __vibmax_s16x2(a, b, &high, &low), *o++ = high * 2 + low;
  *o++ = __vibmin_u32(a, b, &low) + low;
}
__global__ void device_words(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) words(in[i], in[(i + 1) % n], in[(i + 5) % n], out + kWords * i);
}

// The same, half by half in 64 bits.
long long sign16(unsigned x) { return x & 0x8000 ? (long long)(x & 0xffff) - 65536 : (long long)(x & 0xffff); }
long long sign32(unsigned x) { return x & 0x80000000 ? (long long)x - 4294967296ll : (long long)x; }
template <class F>
unsigned halves(unsigned a, unsigned b, unsigned c, bool is_signed, F f) {
  unsigned r = 0;
  for (int shift : {0, 16}) {
    const unsigned x = a >> shift & 0xffff, y = b >> shift & 0xffff, z = c >> shift & 0xffff;
    const long long v = is_signed ? f(sign16(x), sign16(y), sign16(z), sign16(x + y)) : f(x, y, z, (x + y) & 0xffff);
    r |= unsigned(v & 0xffff) << shift;
  }
  return r;
}
std::vector<unsigned> expected_words(unsigned a, unsigned b, unsigned c) {
  using L = long long;
  const L x = sign32(a), y = sign32(b), z = sign32(c), zero = 0;
  auto min3 = [](L p, L q, L r, L) { return std::min({p, q, r}); };
  auto max3 = [](L p, L q, L r, L) { return std::max({p, q, r}); };
  auto addmax = [](L, L, L r, L sum) { return std::max(sum, r); };
  auto addmin = [](L, L, L r, L sum) { return std::min(sum, r); };
  auto cut = [](auto f) { return [f](L p, L q, L r, L sum) { return std::max<L>(f(p, q, r, sum), 0); }; };
  const bool high = sign16(a >> 16) >= sign16(b >> 16), low = sign16(a) >= sign16(b);
  return {unsigned(std::min({x, y, z})),
          std::max({a, b, c}),
          unsigned(std::max(sign32(a + b), z)),
          std::min(a + b, c),
          unsigned(std::max(std::min(sign32(a + b), z), zero)),
          unsigned(std::max({x, y, zero})),
          halves(a, b, 0, true, [](L p, L q, L, L) { return std::max<L>(std::min(p, q), 0); }),
          halves(a, b, 0, true, max3),
          halves(a, b, c, true, min3),
          halves(a, b, c, false, min3),
          halves(a, b, c, true, max3),
          halves(a, b, c, false, max3),
          halves(a, b, c, true, cut(max3)),
          halves(a, b, c, true, cut(min3)),
          halves(a, b, c, true, addmax),
          halves(a, b, c, false, addmax),
          halves(a, b, c, true, addmin),
          halves(a, b, c, false, addmin),
          halves(a, b, c, true, cut(addmax)),
          halves(a, b, 0x80008000u, true, max3),
          high * 2u + low,
          std::min(a, b) + (a <= b)};
}

__global__ void convert(const float* in, float* out) {
  const int i = threadIdx.x;
  out[2 * i] = __half2float(static_cast<__half>(__float2bfloat16(in[i])));
  out[2 * i + 1] = __bfloat162float(static_cast<__nv_bfloat16>(__float2half(in[i])));
}

int main() {
  {
    Buffer<Sums> sums(std::vector<Sums>{{0, 0, 0, 0, 0, -1, 0, 0, 0.f}});
    Buffer<int> seen(kThreads);
    atomics<<<3, kThreads / 3>>>(sums, seen);
    CK_LAUNCH();
    const Sums s = sums.get()[0];
    EXPECT(s.add == kThreads && s.sub == -kThreads * (kThreads - 1) / 2);
    EXPECT(s.low == -(kThreads - 1) && s.high == kThreads - 1 && s.bits == 0x7fffffff);
    EXPECT(s.wide == 600ull << 40 && s.f == kThreads * 0.5f);
    EXPECT(s.last >= 0 && s.last < kThreads && s.taken == s.last);
    expect_same("every old value once", seen.get(), std::vector<int>(kThreads, 1));
  }
  {
    Buffer<int> value(std::vector<int>{0}), out(1);
    through_volatile<<<1, 64>>>(reinterpret_cast<cuda::atomic<int>*>(value.data()), out);
    CK_LAUNCH();
    EXPECT(value.get()[0] == 128 && out.get()[0] == 1);
  }
  {
    const std::vector<unsigned> in = {0,          1,          0xffffffff, 0x7fffffff, 0x80000000,
                                      0x7fff8000, 0x80007fff, 0x12345678, 0x87654321, 0xfffe0001,
                                      0x0001ffff, 0xdeadbeef, 0x00007fff, 0x80008000};
    const int n = int(in.size());
    Buffer<unsigned> device_in(in), out(n * kWords);
    device_words<<<1, 32>>>(device_in, out, n);
    CK_LAUNCH();
    std::vector<unsigned> want, host(n * kWords);
    for (int i = 0; i < n; ++i) {
      const unsigned a = in[i], b = in[(i + 1) % n], c = in[(i + 5) % n];
      words(a, b, c, &host[kWords * i]);
      for (unsigned w : expected_words(a, b, c)) want.push_back(w);
    }
    expect_same("words on the device", out.get(), want);
    expect_same("words on the host", host, want);
  }
  {
    const std::vector<float> in = {0.f, -1.5f, 3.140625f, 65280.f, 1e30f, 6.1e-5f, -0.f, 1.00390625f};
    Buffer<float> device_in(in), out(2 * in.size());
    convert<<<1, unsigned(in.size())>>>(device_in, out);
    CK_LAUNCH();
    std::vector<float> want;
    for (float v : in) {
      want.push_back(__half2float(__float2half(__bfloat162float(__float2bfloat16(v)))));
      want.push_back(__bfloat162float(__float2bfloat16(__half2float(__float2half(v)))));
    }
    expect_same("half and bfloat16", out.get(), want);
    EXPECT(want[4] == 3.140625f && want[8] == INFINITY && want[14] == 1.0f);
  }
  return finish();
}
