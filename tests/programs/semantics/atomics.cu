// Every atomic on every type, in global and in shared memory, with its return value and under contention.
#include "check.h"

// One thread applies a chain of operations; each returns the value before.
__global__ void chain_int(int* v, int* old) {
  int k = 0;
  old[k++] = atomicAdd(v, 5);
  old[k++] = atomicSub(v, 7);
  old[k++] = atomicMin(v, -10);
  old[k++] = atomicMax(v, 3);
  old[k++] = atomicAnd(v, 0x6);
  old[k++] = atomicOr(v, 0x70);
  old[k++] = atomicXor(v, 0xff);
  old[k++] = atomicExch(v, 99);
  old[k++] = atomicCAS(v, 98, 1);
  old[k++] = atomicCAS(v, 99, -4);
  old[k++] = *v;
}

__global__ void chain_unsigned(unsigned* v, unsigned* old) {
  int k = 0;
  old[k++] = atomicInc(v, 3);
  old[k++] = atomicInc(v, 3);
  old[k++] = atomicInc(v, 3);
  old[k++] = atomicInc(v, 3);
  old[k++] = atomicDec(v, 5);
  old[k++] = atomicDec(v, 5);
  old[k++] = atomicMin(v, 0xfffffff0u);
  old[k++] = atomicMax(v, 0xfffffff0u);
  old[k++] = atomicDec(v, 100);
  old[k++] = *v;
}

__global__ void chain_u64(unsigned long long* v, unsigned long long* old) {
  int k = 0;
  old[k++] = atomicAdd(v, 0x1ffffffffull);
  old[k++] = atomicMin(v, 0x100000005ull);
  old[k++] = atomicMax(v, 0xf00000000000ull);
  old[k++] = atomicAnd(v, 0xff0000000000ull);
  old[k++] = atomicOr(v, 0x1234ull);
  old[k++] = atomicXor(v, ~0ull);
  old[k++] = atomicExch(v, 7ull);
  old[k++] = atomicCAS(v, 7ull, 1ull << 40);
  old[k++] = *v;
}

__global__ void chain_s64(long long* v, long long* old) {
  old[0] = atomicMin(v, -5ll);
  old[1] = atomicMax(v, -3000000000ll);
  old[2] = atomicMax(v, 12ll);
  old[3] = *v;
}

__global__ void chain_float(float* f, float* old_f, double* d, double* old_d) {
  old_f[0] = atomicAdd(f, 1.5f);
  old_f[1] = atomicAdd(f, -0.25f);
  old_f[2] = atomicExch(f, 8.f);
  old_f[3] = *f;
  old_d[0] = atomicAdd(d, 1e-9);
  old_d[1] = atomicAdd(d, 2.0);
  old_d[2] = *d;
}

__global__ void chain_short(unsigned short* v, unsigned short* old) {
  old[0] = atomicCAS(v, static_cast<unsigned short>(5), static_cast<unsigned short>(77));
  old[1] = atomicCAS(v + 1, static_cast<unsigned short>(4), static_cast<unsigned short>(78));
  old[2] = v[0];
  old[3] = v[1];
}

// All threads at once. Sums do not depend on the order.
struct Totals {
  int add, min, max;
  unsigned inc, bits_or, bits_and, bits_xor;
  unsigned long long wide;
  float f;
  double d;
};
__global__ void contended(Totals* t, int* seen) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int before = atomicAdd(&t->add, 1);
  atomicAdd(&seen[before], 1);
  atomicMin(&t->min, -i);
  atomicMax(&t->max, i);
  atomicInc(&t->inc, 99);
  atomicOr(&t->bits_or, 1u << (i % 19));
  atomicAnd(&t->bits_and, ~(1u << (i % 11)));
  atomicXor(&t->bits_xor, i);
  atomicAdd(&t->wide, 1ull << 33);
  atomicAdd(&t->f, 0.5f);
  atomicAdd(&t->d, 0.25);
}

__global__ void in_shared(int* out, unsigned long long* wide, float* f) {
  __shared__ int count, bins[8], largest;
  __shared__ unsigned long long sum;
  __shared__ float fsum;
  int t = threadIdx.x;
  if (t == 0) count = 0, largest = -1, sum = 0, fsum = 0;
  if (t < 8) bins[t] = 0;
  __syncthreads();
  int ticket = atomicAdd(&count, 1);
  atomicAdd(&bins[t % 8], ticket);
  atomicMax(&largest, t ^ 5);
  atomicAdd(&sum, 1ull << 32 | t);
  atomicAdd(&fsum, 0.125f);
  if (t % 3 == 0) atomicExch(&bins[7], 0);
  __syncthreads();
  if (t == 0) out[8 * blockIdx.x] = count, out[8 * blockIdx.x + 1] = largest, wide[blockIdx.x] = sum, f[blockIdx.x] = fsum;
  if (t == 0) {
    int all = 0;
    for (int b = 0; b < 7; ++b) all += bins[b] >= 0;
    out[8 * blockIdx.x + 2] = all;
  }
}

// Scopes and divergence: only some lanes, different addresses.
__global__ void scoped(int* v) {
  int t = threadIdx.x;
  if (t % 3 == 1) {
    atomicAdd_block(&v[t % 4], 2);
    atomicAdd_system(&v[4 + t % 2], t);
  }
  atomicMax_system(&v[6], t);
  atomicCAS_block(&v[7], 0, 9);
}

// An atomic that CUDA does not have, built from compare-and-swap.
__device__ float atomic_multiply(float* address, float by) {
  int* as_int = reinterpret_cast<int*>(address);
  int old = *as_int, assumed;
  do {
    assumed = old;
    old = atomicCAS(as_int, assumed, __float_as_int(__int_as_float(assumed) * by));
  } while (assumed != old);
  return __int_as_float(old);
}
__global__ void multiply(float* v) { atomic_multiply(v, threadIdx.x % 2 ? 2.f : 0.5f); }

int main() {
  {
    Buffer<int> v(1), old(11);
    chain_int<<<1, 1>>>(v, old);
    CK_LAUNCH();
    expect_same("chain_int", old.get(), {0, 5, -2, -10, 3, 2, 0x72, 0x8d, 99, 99, -4});
  }
  {
    Buffer<unsigned> v(std::vector<unsigned>{2}), old(10);
    chain_unsigned<<<1, 1>>>(v, old);
    CK_LAUNCH();
    // inc: 2 -> 3 -> 0 -> 1 -> 2; dec: 2 -> 1 -> 0; max; dec above its limit: the limit
    expect_same("chain_unsigned", old.get(), {2, 3, 0, 1, 2, 1, 0, 0, 0xfffffff0u, 100});
  }
  {
    Buffer<unsigned long long> v(std::vector<unsigned long long>{7}), old(9);
    chain_u64<<<1, 1>>>(v, old);
    CK_LAUNCH();
    const unsigned long long a = 7 + 0x1ffffffffull, b = 0x100000005ull, c = 0xf00000000000ull, d = c & 0xff0000000000ull;
    expect_same("chain_u64", old.get(), {7, a, b, c, d, d | 0x1234, ~(d | 0x1234), 7, 1ull << 40});
  }
  {
    Buffer<long long> v(std::vector<long long>{-4000000000ll}), old(4);
    chain_s64<<<1, 1>>>(v, old);
    CK_LAUNCH();
    expect_same("chain_s64", old.get(), {-4000000000ll, -4000000000ll, -3000000000ll, 12ll});
  }
  {
    Buffer<float> f(std::vector<float>{1.f}), old_f(4);
    Buffer<double> d(std::vector<double>{1.0}), old_d(3);
    chain_float<<<1, 1>>>(f, old_f, d, old_d);
    CK_LAUNCH();
    expect_same("chain_float", old_f.get(), {1.f, 2.5f, 2.25f, 8.f});
    expect_same("chain_double", old_d.get(), {1.0, 1.0 + 1e-9, (1.0 + 1e-9) + 2.0});
  }
  {
    using U16 = unsigned short;
    Buffer<U16> v(std::vector<U16>{5, 6}), old(4);
    chain_short<<<1, 1>>>(v, old);
    CK_LAUNCH();
    expect_same("chain_short", old.get(), {U16(5), U16(6), U16(77), U16(6)});
  }
  {
    const int n = 40 * 160;
    std::vector<Totals> zero(1);
    std::memset(zero.data(), 0, sizeof(Totals));
    zero[0].bits_and = ~0u;
    Buffer<Totals> totals(zero);
    Buffer<int> seen(n);
    contended<<<40, 160>>>(totals, seen);
    CK_LAUNCH();
    const Totals t = totals.get()[0];
    unsigned x = 0;
    for (int i = 0; i < n; ++i) x ^= i;
    EXPECT(t.add == n);
    EXPECT(t.min == -(n - 1) && t.max == n - 1);
    EXPECT(t.inc == n % 100);
    EXPECT(t.bits_or == (1u << 19) - 1 && t.bits_and == ~((1u << 11) - 1) && t.bits_xor == x);
    EXPECT(t.wide == static_cast<unsigned long long>(n) << 33);
    EXPECT(t.f == 0.5f * n && t.d == 0.25 * n);
    expect_same("contended: every old value once", seen.get(), std::vector<int>(n, 1));
  }
  {
    Buffer<int> out(8 * 3);
    Buffer<unsigned long long> wide(3);
    Buffer<float> f(3);
    in_shared<<<3, 200>>>(out, wide, f);
    CK_LAUNCH();
    int largest = 0;
    for (int t = 0; t < 200; ++t) largest = (t ^ 5) > largest ? t ^ 5 : largest;
    for (int b = 0; b < 3; ++b) {
      EXPECT(out.get()[8 * b] == 200 && out.get()[8 * b + 1] == largest && out.get()[8 * b + 2] == 7);
      EXPECT(wide.get()[b] == (200ull << 32 | 199 * 200 / 2));
      EXPECT(f.get()[b] == 25.f);
    }
  }
  {
    Buffer<int> v(8);
    scoped<<<1, 64>>>(v);
    CK_LAUNCH();
    std::vector<int> want(8, 0);
    for (int t = 0; t < 64; ++t)
      if (t % 3 == 1) want[t % 4] += 2, want[4 + t % 2] += t;
    want[6] = 63, want[7] = 9;
    expect_same("scoped", v.get(), want);
  }
  {
    Buffer<float> v(std::vector<float>{3.f});
    multiply<<<3, 64>>>(v);
    CK_LAUNCH();
    expect_same("multiply", v.get(), {3.f});
  }
  return finish();
}
