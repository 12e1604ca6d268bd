// Structs by value, alignment, unions, bit fields, packed layouts, vector types.
#include "check.h"

struct Params {
  char tag;
  double scale;
  int3 shift;
  float matrix[3][3];
  unsigned char bytes[5];
  long long big;
  short half;
};
__global__ void take(Params p, float* out, int after) {
  int t = threadIdx.x;
  out[t] = p.tag + static_cast<float>(p.scale) + p.shift.x * 2 + p.shift.z + p.matrix[t % 3][t / 3 % 3] + p.bytes[t % 5] +
           static_cast<float>(p.big) + p.half + after;
}

// The most bytes of parameters that every GPU takes.
struct Large {
  int v[1000];
};
__global__ void take_large(Large l, int* out) { out[threadIdx.x] = l.v[threadIdx.x * 37 % 1000] + l.v[999]; }

struct __align__(16) Aligned {
  float x, y, z;
  int id;
};
struct Body {  // 20 bytes: copies are not aligned to their size
  float3 position;
  float mass;
  char kind;
};
__global__ void move(Aligned* a, Body* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Aligned v = a[i];
  Body w = b[n - 1 - i];
  v.x += w.position.y;
  v.id = i;
  w.mass *= 2;
  w.kind += 1;
  a[i] = v;
  __threadfence();
  b[n - 1 - i] = w;
}

#pragma pack(push, 1)
struct Packed {
  char c;
  int i;
  double d;
  short s;
};
#pragma pack(pop)
__global__ void packed(Packed* p) {
  Packed v = p[threadIdx.x];
  v.i += v.c;
  v.d *= 2;
  v.s = static_cast<short>(v.i);
  p[threadIdx.x] = v;
}

union Bits {
  float f;
  unsigned u;
  unsigned short h[2];
  unsigned char b[4];
};
__global__ void unions(unsigned* out, const float* in) {
  Bits v;
  v.f = in[threadIdx.x];
  v.b[3] ^= 0x80;
  v.h[0] += 3;
  out[threadIdx.x] = v.u;
}

// A copy of a union keeps the padding bytes of the structure in it.
union Gaps {
  struct {
    char a;
    int b;
    short c;
  } s;
  unsigned char raw[12];
};
__global__ void gaps(Gaps* out, const Gaps* in) {
  Gaps v = in[threadIdx.x];
  v.s.b += 1;
  out[threadIdx.x] = v;
}

// Longer than one copy instruction moves.
template <class T, int kCount>
struct Long {
  T v[kCount];
};

struct Fields {
  unsigned a : 3, b : 7;
  int c : 5;
  unsigned long long d : 40;
};
__global__ void fields(int* out) {
  int t = threadIdx.x;
  Fields f = {};
  f.a = t;
  f.b = t * 3;
  f.c = t;
  f.d = static_cast<unsigned long long>(t) << 37;
  out[t] = f.a + f.b * 8 + f.c * 1000 + static_cast<int>(f.d >> 37) * 100000;
}

template <typename V>
__global__ void vector_copy(V* out, const V* in) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
template <typename V>
void test_vector(const char* name) {
  const int n = 96;
  std::vector<unsigned char> bytes(n * sizeof(V));
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 31 + 7);
  Buffer<unsigned char> in(bytes), out(bytes.size());
  vector_copy<V><<<1, n>>>(reinterpret_cast<V*>(out.data()), reinterpret_cast<const V*>(in.data()));
  CK_LAUNCH();
  expect_same(name, out.get(), bytes);
}
__global__ void vector_math(float4* f, int2* i, double2* d, uchar4* c) {
  int t = threadIdx.x;
  f[t] = make_float4(f[t].w, f[t].z + 1, f[t].y * 2, f[t].x - 3);
  i[t] = make_int2(i[t].y, -i[t].x);
  d[t].x += d[t].y;
  uchar4 v = c[t];
  c[t] = make_uchar4(v.w + 1, v.x, 255 - v.y, v.z << 1);
}

int main() {
  {
    Params p = {'A', 0.5, {10, 20, 30}, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, {1, 2, 3, 4, 5}, 1 << 20, -9};
    Buffer<float> out(45);
    take<<<1, 45>>>(p, out, 11);
    CK_LAUNCH();
    std::vector<float> want(45);
    for (int t = 0; t < 45; ++t)
      want[t] = 'A' + 0.5f + 20 + 30 + p.matrix[t % 3][t / 3 % 3] + p.bytes[t % 5] + (1 << 20) - 9 + 11;
    expect_same("take", out.get(), want);
  }
  {
    Large l;
    for (int i = 0; i < 1000; ++i) l.v[i] = i * 5 - 7;
    Buffer<int> out(64);
    take_large<<<1, 64>>>(l, out);
    CK_LAUNCH();
    std::vector<int> want(64);
    for (int t = 0; t < 64; ++t) want[t] = l.v[t * 37 % 1000] + l.v[999];
    expect_same("take_large", out.get(), want);
  }
  {
    const int n = 70;
    std::vector<Aligned> a(n);
    std::vector<Body> b(n);
    std::memset(b.data(), 0, n * sizeof(Body));
    for (int i = 0; i < n; ++i) a[i] = {float(i), 0, 1, 0}, b[i].position = {0, float(i * 2), 0}, b[i].mass = i, b[i].kind = i;
    Buffer<Aligned> device_a(a);
    Buffer<Body> device_b(b);
    move<<<2, 40>>>(device_a, device_b, n);
    CK_LAUNCH();
    std::vector<Aligned> got_a = device_a.get();
    std::vector<Body> got_b = device_b.get();
    bool right = true;
    for (int i = 0; i < n; ++i) {
      right = right && got_a[i].x == i + (n - 1 - i) * 2 && got_a[i].id == i && got_a[i].z == 1;
      right = right && got_b[i].mass == 2 * i && got_b[i].kind == i + 1 && got_b[i].position.y == 2 * i;
    }
    EXPECT(right);
  }
  {
    std::vector<Packed> p(40);
    for (int i = 0; i < 40; ++i) p[i] = {char(i), i * 1000, i * 0.25, 0};
    Buffer<Packed> device(p);
    packed<<<1, 40>>>(device);
    CK_LAUNCH();
    bool right = true;
    for (int i = 0; i < 40; ++i) {
      const Packed got = device.get()[i];
      right = right && got.i == i * 1001 && got.d == i * 0.5 && got.s == static_cast<short>(i * 1001);
    }
    EXPECT(right);
  }
  {
    std::vector<float> in(32);
    std::vector<unsigned> want(32);
    for (int i = 0; i < 32; ++i) {
      in[i] = i * 1.37f - 9;
      unsigned u;
      std::memcpy(&u, &in[i], 4);
      u ^= 0x80000000u;
      want[i] = (u & 0xffff0000u) | ((u + 3) & 0xffffu);
    }
    Buffer<float> device_in(in);
    Buffer<unsigned> out(32);
    unions<<<1, 32>>>(out, device_in);
    CK_LAUNCH();
    expect_same("unions", out.get(), want);
  }
  {
    Buffer<int> out(64);
    fields<<<1, 64>>>(out);
    CK_LAUNCH();
    std::vector<int> want(64);
    for (int t = 0; t < 64; ++t) {
      int c = t & 31;
      if (c >= 16) c -= 32;
      want[t] = (t & 7) + (t * 3 & 127) * 8 + c * 1000 + (t & 7) * 100000;
    }
    expect_same("fields", out.get(), want);
  }
  {
    std::vector<Gaps> in(32), want(32);
    for (int i = 0; i < 32; ++i)
      for (int k = 0; k < 12; ++k) in[i].raw[k] = static_cast<unsigned char>(i * 12 + k * 5);
    for (int i = 0; i < 32; ++i) want[i] = in[i], want[i].s.b += 1;
    Buffer<Gaps> device_in(in), out(32);
    gaps<<<1, 32>>>(out, device_in);
    CK_LAUNCH();
    EXPECT(std::memcmp(out.get().data(), want.data(), 32 * sizeof(Gaps)) == 0);
  }
  test_vector<Long<char, 131>>("131 char");
  test_vector<Long<short, 77>>("77 short");
  test_vector<Long<float, 40>>("40 float");
  test_vector<Long<double, 33>>("33 double");
  test_vector<Long<float4, 9>>("9 float4");
  test_vector<Long<float4, 40>>("40 float4");
  test_vector<char1>("char1");
  test_vector<uchar2>("uchar2");
  test_vector<uchar3>("uchar3");
  test_vector<char4>("char4");
  test_vector<short2>("short2");
  test_vector<ushort3>("ushort3");
  test_vector<short4>("short4");
  test_vector<int1>("int1");
  test_vector<int2>("int2");
  test_vector<int3>("int3");
  test_vector<uint4>("uint4");
  test_vector<longlong2>("longlong2");
  test_vector<float2>("float2");
  test_vector<float3>("float3");
  test_vector<float4>("float4");
  test_vector<double2>("double2");
  test_vector<Body>("Body");
  test_vector<Packed>("Packed");
  {
    std::vector<float4> f(32, make_float4(1, 2, 3, 4));
    std::vector<int2> i(32, make_int2(5, 6));
    std::vector<double2> d(32, make_double2(1.5, 2.5));
    std::vector<uchar4> c(32, make_uchar4(1, 2, 3, 255));
    Buffer<float4> df(f);
    Buffer<int2> di(i);
    Buffer<double2> dd(d);
    Buffer<uchar4> dc(c);
    vector_math<<<1, 32>>>(df, di, dd, dc);
    CK_LAUNCH();
    expect_same("float4", df.get(), std::vector<float4>(32, make_float4(4, 4, 4, -2)));
    expect_same("int2", di.get(), std::vector<int2>(32, make_int2(6, -5)));
    expect_same("double2", dd.get(), std::vector<double2>(32, make_double2(4, 2.5)));
    expect_same("uchar4", dc.get(), std::vector<uchar4>(32, make_uchar4(0, 1, 253, 6)));
  }
  EXPECT(sizeof(float3) == 12 && alignof(float4) == 16 && alignof(double2) == 16 && alignof(float2) == 8 && alignof(int3) == 4);
  return finish();
}
