// 8- and 16-bit loads, stores and arithmetic: sign and zero extension, wrapping, booleans.
#include "check.h"

template <typename T>
__global__ void wrap(T* out, const T* in) {
  int t = threadIdx.x;
  T v = in[t];
  v = static_cast<T>(v + 100);
  v = static_cast<T>(v * 3);
  if (v < 0) v = static_cast<T>(v >> 1);
  out[t] = static_cast<T>(v - static_cast<T>(t));
}
template <typename T>
T wrap_host(T v, int t) {
  v = static_cast<T>(v + 100);
  v = static_cast<T>(v * 3);
  if (v < 0) v = static_cast<T>(v >> 1);
  return static_cast<T>(v - static_cast<T>(t));
}
template <typename T>
void test(const char* name) {
  std::vector<T> in(256), want(256);
  for (int i = 0; i < 256; ++i) in[i] = static_cast<T>(i * 257 + (i << 5)), want[i] = wrap_host(in[i], i);
  Buffer<T> device_in(in), out(256);
  wrap<T><<<1, 256>>>(out.data(), device_in.data());
  CK_LAUNCH();
  expect_same(name, out.get(), want);
}

// Widening to 32 and 64 bits, and into floating point.
__global__ void widen(long long* out, const signed char* sc, const unsigned char* uc, const short* ss, const unsigned short* us) {
  int t = threadIdx.x;
  long long* o = out + 8 * t;
  o[0] = sc[t], o[1] = uc[t], o[2] = ss[t], o[3] = us[t];
  o[4] = static_cast<long long>(static_cast<float>(sc[t]) * 4);
  o[5] = static_cast<long long>(static_cast<double>(us[t]) * 2);
  o[6] = static_cast<int>(sc[t]) * us[t];
  o[7] = static_cast<unsigned>(sc[t]);
}

__global__ void flags(bool* out, const int* in) {
  int t = threadIdx.x;
  bool a = in[t] > 10, b = in[t] % 2;
  out[t] = (a && !b) || (a ^ b);
}

// Bytes that neighbours in the warp write side by side, and a shared array of them.
__global__ void reverse(unsigned char* out, const unsigned char* in) {
  __shared__ unsigned char s[300];
  int t = threadIdx.x, n = blockDim.x;
  s[t] = in[blockIdx.x * n + t];
  __syncthreads();
  out[blockIdx.x * n + t] = s[n - 1 - t];
}

int main() {
  test<signed char>("signed char");
  test<unsigned char>("unsigned char");
  test<short>("short");
  test<unsigned short>("unsigned short");
  test<char>("char");
  {
    std::vector<signed char> sc(256);
    std::vector<unsigned char> uc(256);
    std::vector<short> ss(256);
    std::vector<unsigned short> us(256);
    std::vector<long long> want;
    for (int i = 0; i < 256; ++i) {
      sc[i] = static_cast<signed char>(i), uc[i] = i, ss[i] = static_cast<short>(i * 300), us[i] = i * 300;
      for (long long v : {static_cast<long long>(sc[i]), static_cast<long long>(uc[i]), static_cast<long long>(ss[i]),
                          static_cast<long long>(us[i]), sc[i] * 4ll, us[i] * 2ll, static_cast<long long>(sc[i] * us[i]),
                          static_cast<long long>(static_cast<unsigned>(sc[i]))})
        want.push_back(v);
    }
    Buffer<signed char> a(sc);
    Buffer<unsigned char> b(uc);
    Buffer<short> c(ss);
    Buffer<unsigned short> d(us);
    Buffer<long long> out(256 * 8);
    widen<<<1, 256>>>(out, a, b, c, d);
    CK_LAUNCH();
    expect_same("widen", out.get(), want);
  }
  {
    std::vector<int> in(64);
    for (int i = 0; i < 64; ++i) in[i] = i % 23;
    Buffer<int> device_in(in);
    Buffer<unsigned char> out(64);
    flags<<<1, 64>>>(reinterpret_cast<bool*>(out.data()), device_in);
    CK_LAUNCH();
    std::vector<unsigned char> want(64);
    for (int i = 0; i < 64; ++i) {
      bool a = in[i] > 10, b = in[i] % 2;
      want[i] = (a && !b) || (a ^ b);
    }
    expect_same("flags", out.get(), want);
  }
  {
    std::vector<unsigned char> in(900), want(900);
    for (int i = 0; i < 900; ++i) in[i] = static_cast<unsigned char>(i * 7);
    for (int i = 0; i < 900; ++i) want[i] = in[i / 300 * 300 + 299 - i % 300];
    Buffer<unsigned char> device_in(in), out(900);
    reverse<<<3, 300>>>(out, device_in);
    CK_LAUNCH();
    expect_same("reverse", out.get(), want);
  }
  return finish();
}
