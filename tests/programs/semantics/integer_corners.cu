// Integer arithmetic at its edges. Operands come from memory, so that no compiler folds them.
#include <climits>

#include "check.h"

const long long kOperands[][2] = {
    {0, 1}, {1, 0}, {7, -2}, {-7, 2}, {-7, -2}, {INT_MIN, -1}, {INT_MIN, 1}, {INT_MAX, -1}, {INT_MIN, INT_MAX},
    {-1, 31}, {-1, 32}, {-1, 33}, {5, 64}, {0x12345678, 8}, {LLONG_MIN, -1}, {LLONG_MAX, 3}, {-123456789012345ll, 1000},
    {LLONG_MIN, 63}, {0xdeadbeefcafeull, 0x10001}, {-1, -1},
};
constexpr int kCount = sizeof kOperands / sizeof kOperands[0];
constexpr int kResults = 40;

__global__ void compute(unsigned long long* out, const long long* operands) {
  int t = threadIdx.x;
  unsigned long long* o = out + t * kResults;
  long long a = operands[2 * t], b = operands[2 * t + 1];
  int x = static_cast<int>(a), y = static_cast<int>(b);
  unsigned u = x, v = y;
  unsigned long long ua = a, ub = b;
#define ASM32(text, ...) [&] { unsigned r; asm volatile(text : "=r"(r) : __VA_ARGS__); return r; }()
#define ASM64(text, ...) [&] { unsigned long long r; asm volatile(text : "=l"(r) : __VA_ARGS__); return r; }()
  int k = 0;
  o[k++] = ASM32("div.s32 %0, %1, %2;", "r"(x), "r"(y));
  o[k++] = ASM32("div.u32 %0, %1, %2;", "r"(x), "r"(y));
  o[k++] = ASM64("div.s64 %0, %1, %2;", "l"(a), "l"(b));
  o[k++] = ASM64("div.u64 %0, %1, %2;", "l"(a), "l"(b));
  o[k++] = ASM32("shl.b32 %0, %1, %2;", "r"(x), "r"(y));
  o[k++] = ASM32("shr.u32 %0, %1, %2;", "r"(x), "r"(y));
  o[k++] = ASM32("shr.s32 %0, %1, %2;", "r"(x), "r"(y));
  o[k++] = ASM64("shl.b64 %0, %1, %2;", "l"(a), "r"(y));
  o[k++] = ASM64("shr.u64 %0, %1, %2;", "l"(a), "r"(y));
  o[k++] = ASM64("shr.s64 %0, %1, %2;", "l"(a), "r"(y));
  o[k++] = static_cast<unsigned>(__mulhi(x, y));
  o[k++] = __umulhi(u, v);
  o[k++] = __mul64hi(a, b);
  o[k++] = __umul64hi(ua, ub);
  o[k++] = static_cast<unsigned>(__mul24(x, y));
  o[k++] = __umul24(u, v);
  o[k++] = __funnelshift_l(u, v, v);
  o[k++] = __funnelshift_r(u, v, v);
  o[k++] = __funnelshift_lc(u, v, v);
  o[k++] = __funnelshift_rc(u, v, v);
  o[k++] = __clz(x);
  o[k++] = __clzll(a);
  o[k++] = __ffs(x);
  o[k++] = __ffsll(a);
  o[k++] = __popc(u);
  o[k++] = __popcll(ua);
  o[k++] = __brev(u);
  o[k++] = __brevll(ua);
  o[k++] = __byte_perm(u, v, v);
  o[k++] = __sad(x, y, u);
  o[k++] = __usad(u, v, u);
  o[k++] = static_cast<unsigned>(__hadd(x, y));
  o[k++] = static_cast<unsigned>(__rhadd(x, y));
  o[k++] = __uhadd(u, v);
  o[k++] = static_cast<unsigned>(abs(x));
  o[k++] = static_cast<unsigned>(min(x, y));
  o[k++] = max(ua, ub);
  o[k++] = ASM32("bfe.u32 %0, %1, %2, 9;", "r"(x), "r"(y));
  o[k++] = ASM32("bfe.s32 %0, %1, %2, 9;", "r"(x), "r"(y));
  o[k++] = ASM32("bfi.b32 %0, %1, %1, %2, 7;", "r"(x), "r"(y));
}

using S128 = __int128;
using U128 = unsigned __int128;

template <typename T>
T shift_left(T v, unsigned by) { return by >= sizeof(T) * 8 ? 0 : static_cast<T>(v << by); }
template <typename T>
T shift_right(T v, unsigned by) {
  const unsigned bits = sizeof(T) * 8;
  if (by >= bits) return std::is_signed<T>::value && v < 0 ? T(-1) : T(0);
  return v >> by;
}
int bit_count(unsigned long long v) {
  int n = 0;
  for (; v; v &= v - 1) ++n;
  return n;
}
unsigned long long reverse(unsigned long long v, int bits) {
  unsigned long long r = 0;
  for (int i = 0; i < bits; ++i) r |= (v >> i & 1) << (bits - 1 - i);
  return r;
}
int leading_zeros(unsigned long long v, int bits) {
  int n = 0;
  while (n < bits && !(v >> (bits - 1 - n) & 1)) ++n;
  return n;
}
int first_set(unsigned long long v) {
  for (int i = 0; i < 64; ++i)
    if (v >> i & 1) return i + 1;
  return 0;
}
unsigned extract(int v, unsigned position, unsigned length, bool is_signed) {
  position &= 255;
  unsigned r = 0;
  const unsigned top = position + length - 1 > 31 ? 31 : position + length - 1;
  const unsigned sign = is_signed ? unsigned(v) >> top & 1 : 0;
  for (unsigned i = 0; i < 32; ++i) {
    const bool inside = i < length && position + i <= 31;
    r |= (inside ? unsigned(v) >> (position + i) & 1 : sign) << i;
  }
  return r;
}
unsigned insert(unsigned a, unsigned b, unsigned position, unsigned length) {
  position &= 255;
  for (unsigned i = 0; i < length && position + i <= 31; ++i)
    b = (b & ~(1u << (position + i))) | (a >> i & 1) << (position + i);
  return b;
}
unsigned permute(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long both = static_cast<unsigned long long>(b) << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) r |= static_cast<unsigned>(both >> (selector >> 4 * i & 7) * 8 & 255) << 8 * i;
  return r;
}

// The PTX manual's results; where it says "unspecified" (division by zero), the results of NVIDIA's GPUs: all bits set.
std::vector<unsigned long long> reference(long long a, long long b) {
  const int x = static_cast<int>(a), y = static_cast<int>(b);
  const unsigned u = x, v = y;
  const unsigned long long ua = a, ub = b;
  const unsigned long long funnel = static_cast<unsigned long long>(v) << 32 | u;
  const unsigned clamped = v > 32 ? 32 : v;
  std::vector<unsigned long long> o;
  o.push_back(y == 0 ? ~0u : y == -1 ? 0u - u : static_cast<unsigned>(x / y));
  o.push_back(v == 0 ? ~0u : u / v);
  o.push_back(b == 0 ? ~0ull : b == -1 ? 0ull - ua : static_cast<unsigned long long>(a / b));
  o.push_back(ub == 0 ? ~0ull : ua / ub);
  o.push_back(shift_left(u, v));
  o.push_back(shift_right(u, v));
  o.push_back(static_cast<unsigned>(shift_right(x, v)));
  o.push_back(shift_left(ua, v));
  o.push_back(shift_right(ua, v));
  o.push_back(shift_right(a, v));
  o.push_back(static_cast<unsigned>(static_cast<long long>(x) * y >> 32));
  o.push_back(static_cast<unsigned long long>(u) * v >> 32);
  o.push_back(static_cast<unsigned long long>(static_cast<S128>(a) * b >> 64));
  o.push_back(static_cast<unsigned long long>(static_cast<U128>(ua) * ub >> 64));
  const auto low24 = [](int i) { return static_cast<int>(static_cast<unsigned>(i) << 8) >> 8; };
  o.push_back(static_cast<unsigned>(static_cast<long long>(low24(x)) * low24(y)));
  o.push_back((u & 0xffffff) * (v & 0xffffff));
  o.push_back(static_cast<unsigned>(funnel << (v & 31) >> 32));
  o.push_back(static_cast<unsigned>(funnel >> (v & 31)));
  o.push_back(clamped == 32 ? u : static_cast<unsigned>(funnel << clamped >> 32));
  o.push_back(static_cast<unsigned>(funnel >> clamped));
  o.push_back(leading_zeros(u, 32));
  o.push_back(leading_zeros(ua, 64));
  o.push_back(first_set(u));
  o.push_back(first_set(ua));
  o.push_back(bit_count(u));
  o.push_back(bit_count(ua));
  o.push_back(reverse(u, 32));
  o.push_back(reverse(ua, 64));
  o.push_back(permute(u, v, v));
  o.push_back(static_cast<unsigned>((x > y ? u - v : v - u) + u));
  o.push_back(static_cast<unsigned>((u > v ? u - v : v - u) + u));
  o.push_back(static_cast<unsigned>((static_cast<long long>(x) + y) >> 1));
  o.push_back(static_cast<unsigned>((static_cast<long long>(x) + y + 1) >> 1));
  o.push_back((static_cast<unsigned long long>(u) + v) >> 1);
  o.push_back(x < 0 ? 0u - u : u);
  o.push_back(static_cast<unsigned>(x < y ? x : y));
  o.push_back(ua > ub ? ua : ub);
  o.push_back(extract(x, v, 9, false));
  o.push_back(extract(x, v, 9, true));
  o.push_back(insert(u, u, v, 7));
  return o;
}

// Carry chains, wide products and 128-bit arithmetic as the compiler lowers it.
__global__ void wide(unsigned long long* out, const unsigned long long* in) {
  int t = threadIdx.x;
  unsigned long long a = in[2 * t], b = in[2 * t + 1];
  unsigned __int128 p = static_cast<unsigned __int128>(a) * b;
  p += static_cast<unsigned __int128>(b) << 64 | a;
  unsigned lo, hi;
  asm("add.cc.u32 %0, %2, %4; addc.u32 %1, %3, %5;"
      : "=&r"(lo), "=&r"(hi)
      : "r"(unsigned(a)), "r"(unsigned(a >> 32)), "r"(unsigned(b)), "r"(unsigned(b >> 32)));
  out[4 * t] = static_cast<unsigned long long>(p);
  out[4 * t + 1] = static_cast<unsigned long long>(p >> 64);
  out[4 * t + 2] = static_cast<unsigned long long>(hi) << 32 | lo;
  asm("sub.cc.u32 %0, %2, %4; subc.u32 %1, %3, %5;"
      : "=&r"(lo), "=&r"(hi)
      : "r"(unsigned(a)), "r"(unsigned(a >> 32)), "r"(unsigned(b)), "r"(unsigned(b >> 32)));
  out[4 * t + 3] = static_cast<unsigned long long>(hi) << 32 | lo;
}

__global__ void packed(int* out, const int* in) {
  int t = threadIdx.x;
  int a = in[t], b = in[t + 1], c = in[t + 2];
  int* o = out + 6 * t;
  o[0] = __dp4a(a, b, c);
  o[1] = __dp4a(static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c));
  o[2] = __dp2a_lo(a, b, c);
  o[3] = __dp2a_hi(static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c));
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(o[4]) : "r"(a), "r"(b), "r"(c));
  o[5] = __vadd4(a, b);
}

int main() {
  {
    std::vector<long long> operands;
    std::vector<unsigned long long> want;
    for (const auto& pair : kOperands) {
      operands.push_back(pair[0]);
      operands.push_back(pair[1]);
      for (unsigned long long v : reference(pair[0], pair[1])) want.push_back(v);
    }
    Buffer<long long> in(operands);
    Buffer<unsigned long long> out(kCount * kResults);
    compute<<<1, kCount>>>(out, in);
    CK_LAUNCH();
    expect_same("compute (40 results for each operand pair)", out.get(), want);
  }
  {
    std::vector<unsigned long long> in, want;
    for (const auto& pair : kOperands) {
      unsigned long long a = pair[0], b = pair[1];
      in.push_back(a), in.push_back(b);
      U128 p = static_cast<U128>(a) * b + (static_cast<U128>(b) << 64 | a);
      want.push_back(static_cast<unsigned long long>(p));
      want.push_back(static_cast<unsigned long long>(p >> 64));
      want.push_back(a + b);
      want.push_back(a - b);
    }
    Buffer<unsigned long long> device_in(in), out(kCount * 4);
    wide<<<1, kCount>>>(out, device_in);
    CK_LAUNCH();
    expect_same("wide", out.get(), want);
  }
  {
    const int n = 64;
    std::vector<int> in(n + 2), want;
    for (int i = 0; i < n + 2; ++i) in[i] = static_cast<int>(i * 2654435761u ^ 0x80ff017fu);
    const auto sb = [](int v, int k) { return static_cast<signed char>(v >> 8 * k); };
    const auto ub = [](int v, int k) { return static_cast<unsigned char>(v >> 8 * k); };
    for (int t = 0; t < n; ++t) {
      int a = in[t], b = in[t + 1], c = in[t + 2];
      unsigned s = c, u = c, lo = c, hi = c, d = c, add = 0;
      for (int k = 0; k < 4; ++k) {
        s += sb(a, k) * sb(b, k);
        u += ub(a, k) * ub(b, k);
        d += std::abs(ub(a, k) - ub(b, k));
        add |= static_cast<unsigned>(static_cast<unsigned char>(ub(a, k) + ub(b, k))) << 8 * k;
      }
      for (int k = 0; k < 2; ++k) {
        lo += static_cast<short>(a >> 16 * k) * sb(b, k);
        hi += static_cast<unsigned short>(a >> 16 * k) * static_cast<unsigned>(ub(b, k + 2));
      }
      for (unsigned v : {s, u, lo, hi, d, add}) want.push_back(static_cast<int>(v));
    }
    Buffer<int> device_in(in), out(6 * n);
    packed<<<1, n>>>(out, device_in);
    CK_LAUNCH();
    expect_same("packed", out.get(), want);
  }
  return finish();
}
