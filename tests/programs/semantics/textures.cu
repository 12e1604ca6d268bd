// Texture fetches and surface accesses, bit for bit as on an H200: address and filter modes, formats, geometries. Prints a
// digest of the words of each group, which EXPECT-STDOUT has as an H200 (driver 580, CUDA 13) computed them; with an
// argument, all words. docs/textures.md tells which groups differ, and by how much: they have no line here.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                            \
  do {                                                                                         \
    const cudaError_t error_ = (call);                                                            \
    if (error_ != cudaSuccess) {                                                               \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_)); \
      cudaGetLastError();                                                                      \
    }                                                                                          \
  } while (0)

enum Shape { T1, T1Fetch, T2, T3, A1, A2, Cube, ACube, L1, L2, G2, Gather0, Gather1, Gather2, Gather3 };

struct Point {
  float x, y, z, w;
  int layer;
};

template <class V>
__device__ V fetch(cudaTextureObject_t t, Shape s, Point p) {
  switch (s) {
    case T1: return tex1D<V>(t, p.x);
    case T1Fetch: return tex1Dfetch<V>(t, int(p.x));
    case T2: return tex2D<V>(t, p.x, p.y);
    case T3: return tex3D<V>(t, p.x, p.y, p.z);
    case A1: return tex1DLayered<V>(t, p.x, p.layer);
    case A2: return tex2DLayered<V>(t, p.x, p.y, p.layer);
    case Cube: return texCubemap<V>(t, p.x, p.y, p.z);
    case ACube: return texCubemapLayered<V>(t, p.x, p.y, p.z, p.layer);
    case L1: return tex1DLod<V>(t, p.x, p.w);
    case L2: return tex2DLod<V>(t, p.x, p.y, p.w);
    case G2: return tex2DGrad<V>(t, p.x, p.y, make_float2(p.w, 0), make_float2(0, p.z));
    case Gather0: return tex2Dgather<V>(t, p.x, p.y, 0);
    case Gather1: return tex2Dgather<V>(t, p.x, p.y, 1);
    case Gather2: return tex2Dgather<V>(t, p.x, p.y, 2);
    default: return tex2Dgather<V>(t, p.x, p.y, 3);
  }
}
template <class V>
__global__ void sample(cudaTextureObject_t t, Shape s, const Point* points, V* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fetch<V>(t, s, points[i]);
}

bool all_words = false;

// FNV-1a.
struct Digest {
  unsigned long long value = 0xcbf29ce484222325ull;
  void add(unsigned word) { value = (value ^ word) * 0x100000001b3ull; }
};

template <class V>
void show(const char* name, cudaTextureObject_t t, Shape s, const std::vector<Point>& points) {
  const int n = int(points.size());
  Point* p;
  V* out;
  CHECK(cudaMalloc(&p, n * sizeof(Point)));
  CHECK(cudaMalloc(&out, n * sizeof(V)));
  CHECK(cudaMemset(out, 0xee, n * sizeof(V)));
  CHECK(cudaMemcpy(p, points.data(), n * sizeof(Point), cudaMemcpyHostToDevice));
  sample<V><<<(n + 63) / 64, 64>>>(t, s, p, out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::vector<V> host(n);
  CHECK(cudaMemcpy(host.data(), out, n * sizeof(V), cudaMemcpyDeviceToHost));
  Digest digest;
  for (int i = 0; i < n; ++i) {
    unsigned words[4] = {};
    std::memcpy(words, &host[i], sizeof(V));
    if (all_words) std::printf("%g %g %g %g %d:", points[i].x, points[i].y, points[i].z, points[i].w, points[i].layer);
    for (size_t w = 0; w < (sizeof(V) + 3) / 4; ++w) {
      digest.add(words[w]);
      if (all_words) std::printf(" %08x", words[w]);
    }
    if (all_words) std::printf("\n");
  }
  std::printf("%s: %016llx\n", name, digest.value);
  CHECK(cudaFree(p));
  CHECK(cudaFree(out));
}

unsigned state = 12345;
unsigned random_bits() { return state = state * 1664525u + 1013904223u, state >> 8; }

std::vector<unsigned char> data_of(size_t elements, const cudaChannelFormatDesc& d) {
  const int channels = (d.x > 0) + (d.y > 0) + (d.z > 0) + (d.w > 0);
  std::vector<unsigned char> bytes(elements * channels * d.x / 8);
  for (size_t i = 0; i < elements * channels; ++i) {
    const unsigned r = random_bits();
    if (d.f == cudaChannelFormatKindFloat && d.x == 32) {
      const float v = float(int(r % 20000) - 10000) / 777.0f;
      std::memcpy(&bytes[i * 4], &v, 4);
    } else if (d.f == cudaChannelFormatKindFloat) {
      const unsigned short half = (r & 0x8000) | ((10 + r % 10) << 10) | (r >> 6 & 0x3ff);
      std::memcpy(&bytes[i * 2], &half, 2);
    } else {
      for (int b = 0; b < d.x / 8; ++b) bytes[i * d.x / 8 + b] = (unsigned char)(random_bits() >> 4);
    }
  }
  return bytes;
}

cudaArray_t make_array(cudaChannelFormatDesc d, cudaExtent e, unsigned flags) {
  cudaArray_t a = nullptr;
  CHECK(cudaMalloc3DArray(&a, &d, e, flags));
  const size_t h = e.height ? e.height : 1, slices = e.depth ? e.depth : 1;
  const std::vector<unsigned char> bytes = data_of(e.width * h * slices, d);
  cudaMemcpy3DParms c = {};
  c.srcPtr = make_cudaPitchedPtr((void*)bytes.data(), bytes.size() / (h * slices), e.width, h);
  c.dstArray = a;
  c.extent = make_cudaExtent(e.width, h, slices);
  c.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&c));
  return a;
}

cudaTextureDesc sampler(cudaTextureAddressMode mode, cudaTextureFilterMode filter, bool normalized,
                        cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc t;
  std::memset(&t, 0, sizeof t);
  t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = mode;
  t.filterMode = filter;
  t.normalizedCoords = normalized;
  t.readMode = read;
  return t;
}

cudaTextureObject_t make_texture(cudaResourceDesc r, const cudaTextureDesc& t) {
  cudaTextureObject_t o = 0;
  CHECK(cudaCreateTextureObject(&o, &r, &t, nullptr));
  return o;
}
cudaResourceDesc of_array(cudaArray_t a) {
  cudaResourceDesc r;
  std::memset(&r, 0, sizeof r);
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  return r;
}
const char* const kModes[] = {"wrap", "clamp", "mirror", "border"};
const char* const kFilters[] = {"point", "linear"};

std::vector<Point> grid(float from, float to, float step, float y = 0.25f) {
  std::vector<Point> all;
  for (float x = from; x <= to; x += step) all.push_back({x, y + 0.37f * x, 0.5f * x, 0, int(x)});
  return all;
}
void label(char* out, const char* what, int m, int f, int n) {
  std::sprintf(out, "%s %s %s %s", what, kModes[m], kFilters[f], n ? "normalized" : "texels");
}

template <class V>
void all_modes(const char* what, cudaArray_t a, Shape s, const std::vector<Point>& texels,
               const std::vector<Point>& unit, cudaTextureReadMode read = cudaReadModeElementType, bool linear = true) {
  for (int n = 0; n < 2; ++n)
    for (int m = 0; m < 4; ++m)
      for (int f = 0; f < (linear ? 2 : 1); ++f) {
        char name[100];
        label(name, what, m, f, n);
        cudaTextureDesc d = sampler(cudaTextureAddressMode(m), cudaTextureFilterMode(f), n, read);
        d.borderColor[0] = 0.5f, d.borderColor[1] = -3, d.borderColor[2] = 7, d.borderColor[3] = 1;
        const cudaTextureObject_t t = make_texture(of_array(a), d);
        if (t) show<V>(name, t, s, n ? unit : texels);
        if (t) CHECK(cudaDestroyTextureObject(t));
      }
}

// ---- surfaces
enum Boundary { Trap, Clamp, Zero };
template <class T>
__global__ void surface_2d(cudaSurfaceObject_t s, T* out, int x0, int y0, int w, int h, int zero) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x >= w || y >= h) return;
  out[y * w + x] = zero ? surf2Dread<T>(s, (x + x0) * int(sizeof(T)), y + y0, cudaBoundaryModeZero)
                        : surf2Dread<T>(s, (x + x0) * int(sizeof(T)), y + y0, cudaBoundaryModeClamp);
}
template <class T>
__global__ void surface_2d_write(cudaSurfaceObject_t s, T base, int x0, int y0, int zero) {
  const int x = threadIdx.x + x0, y = threadIdx.y + y0;
  const T v = base + T(threadIdx.y * 16 + threadIdx.x);
  if (zero)
    surf2Dwrite(v, s, x * int(sizeof(T)), y, cudaBoundaryModeZero);
  else if (x >= 0 && y >= 0 && x < 5 && y < 4)
    surf2Dwrite(v, s, x * int(sizeof(T)), y);
}
__global__ void surface_others(cudaSurfaceObject_t s1, cudaSurfaceObject_t s3, cudaSurfaceObject_t layered,
                               float4* out) {
  const int i = threadIdx.x;
  surf1Dwrite(i * 1.5f, s1, i * 4);
  surf3Dwrite(make_float2(i, -i), s3, i % 3 * 8, i / 3 % 2, i / 6);
  surf2DLayeredwrite(make_uchar4(i, i + 1, i + 2, i + 3), layered, i % 4 * 4, 0, i / 4);
  __syncthreads();
  const float2 b = surf3Dread<float2>(s3, i % 3 * 8, i / 3 % 2, i / 6);
  const uchar4 c = surf2DLayeredread<uchar4>(layered, i % 4 * 4, 0, i / 4);
  out[i] = make_float4(surf1Dread<float>(s1, (i - 2) * 4, cudaBoundaryModeZero), b.x, b.y, c.x * 1000 + c.w);
}
cudaSurfaceObject_t make_surface(cudaArray_t a) {
  cudaResourceDesc r = of_array(a);
  cudaSurfaceObject_t s = 0;
  CHECK(cudaCreateSurfaceObject(&s, &r));
  return s;
}
void print_words(const char* name, const void* device, size_t bytes) {
  std::vector<unsigned> words((bytes + 3) / 4);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(words.data(), device, bytes, cudaMemcpyDeviceToHost));
  Digest digest;
  for (const unsigned word : words) {
    digest.add(word);
    if (all_words) std::printf("%08x\n", word);
  }
  std::printf("%s: %016llx\n", name, digest.value);
}
template <class T>
void surfaces_of(const char* name, T base) {
  const cudaArray_t a = make_array(cudaCreateChannelDesc<T>(), make_cudaExtent(5, 4, 0), cudaArraySurfaceLoadStore);
  const cudaSurfaceObject_t s = make_surface(a);
  T* out;
  CHECK(cudaMalloc(&out, 9 * 8 * sizeof(T)));
  CHECK(cudaMemset(out, 0, 9 * 8 * sizeof(T)));
  char label[100];
  for (int zero = 0; zero < 2; ++zero) {
    surface_2d<T><<<1, dim3(16, 8)>>>(s, out, -2, -2, 9, 8, zero);
    std::sprintf(label, "surf2Dread %s %s", name, zero ? "zero" : "clamp");
    print_words(label, out, 9 * 8 * sizeof(T));
  }
  for (int zero = 0; zero < 2; ++zero) {
    surface_2d_write<T><<<1, dim3(9, 8)>>>(s, T(base + zero), -2 + zero, -2 + zero, zero);
    surface_2d<T><<<1, dim3(16, 8)>>>(s, out, 0, 0, 5, 4, 1);
    std::sprintf(label, "surf2Dwrite %s %s", name, zero ? "zero" : "inside");
    print_words(label, out, 5 * 4 * sizeof(T));
  }
  CHECK(cudaFree(out));
  CHECK(cudaDestroySurfaceObject(s));
  CHECK(cudaFreeArray(a));
}

int main(int count, char**) {
  all_words = count > 1;
  const cudaChannelFormatDesc f1 = cudaCreateChannelDesc<float>(), f2 = cudaCreateChannelDesc<float2>(),
                              f4 = cudaCreateChannelDesc<float4>();
  std::vector<Point> texels = grid(-2.75f, 7.5f, 0.1875f), unit = grid(-1.3f, 2.4f, 0.0859375f);
  for (float x : {0.0f, 0.5f, 1.0f, 1.5f, 4.0f, 4.5f, 5.0f, -0.5f, -1.0f, 2.001953125f, 2.0029296875f}) {
    texels.push_back({x, x, x, 0, int(x)});
    unit.push_back({x, x, x, 0, int(x)});
  }

  // Weights: values 0 and 1, and large differences.
  {
    cudaArray_t a;
    CHECK(cudaMallocArray(&a, &f1, 2, 0));
    std::vector<Point> fine;
    for (int i = -3; i <= 1027; i += i < 40 || i > 1000 ? 1 : 7) fine.push_back({0.5f + i / 1024.0f, 0, 0, 0, 0});
    for (const auto& pair : {make_float2(0, 1), make_float2(1, 0), make_float2(1e10f, 1), make_float2(0.1f, 0.7f),
                             make_float2(-3.3333f, 1234.567f)}) {
      CHECK(cudaMemcpy2DToArray(a, 0, 0, &pair, 8, 8, 1, cudaMemcpyHostToDevice));
      const cudaTextureObject_t t = make_texture(of_array(a), sampler(cudaAddressModeClamp, cudaFilterModeLinear, false));
      char name[100];
      std::sprintf(name, "weights %g %g", pair.x, pair.y);
      show<float>(name, t, T1, fine);
      CHECK(cudaDestroyTextureObject(t));
    }
    CHECK(cudaFreeArray(a));
  }

  const cudaArray_t one = make_array(f1, make_cudaExtent(5, 0, 0), 0);
  all_modes<float>("1d float", one, T1, texels, unit);
  const cudaArray_t two = make_array(f1, make_cudaExtent(5, 4, 0), cudaArrayTextureGather);
  all_modes<float>("2d float", two, T2, texels, unit);
  const cudaArray_t two4 = make_array(f4, make_cudaExtent(4, 3, 0), cudaArrayTextureGather);
  all_modes<float4>("2d float4", two4, T2, texels, unit);
  const cudaArray_t two2 = make_array(f2, make_cudaExtent(4, 3, 0), 0);
  all_modes<float2>("2d float2", two2, T2, texels, unit);
  const cudaArray_t three = make_array(f1, make_cudaExtent(5, 4, 3), 0);
  all_modes<float>("3d float", three, T3, texels, unit);
  const cudaArray_t a1 = make_array(f1, make_cudaExtent(5, 0, 3), cudaArrayLayered);
  all_modes<float>("1d layered float", a1, A1, texels, unit);
  const cudaArray_t a2 = make_array(f1, make_cudaExtent(5, 4, 3), cudaArrayLayered);
  all_modes<float>("2d layered float", a2, A2, texels, unit);

  // Formats.
  const cudaArray_t bytes = make_array(cudaCreateChannelDesc<uchar4>(), make_cudaExtent(4, 4, 0), cudaArrayTextureGather);
  all_modes<uchar4>("2d uchar4", bytes, T2, texels, unit, cudaReadModeElementType, false);
  all_modes<float4>("2d uchar4 as float", bytes, T2, texels, unit, cudaReadModeNormalizedFloat);
  const cudaArray_t signeds = make_array(cudaCreateChannelDesc<char2>(), make_cudaExtent(4, 4, 0), 0);
  all_modes<char2>("2d char2", signeds, T2, texels, unit, cudaReadModeElementType, false);
  all_modes<float2>("2d char2 as float", signeds, T2, texels, unit, cudaReadModeNormalizedFloat);
  const cudaArray_t shorts = make_array(cudaCreateChannelDesc<ushort1>(), make_cudaExtent(4, 4, 0), 0);
  all_modes<ushort1>("2d ushort", shorts, T2, texels, unit, cudaReadModeElementType, false);
  all_modes<float>("2d ushort as float", shorts, T2, texels, unit, cudaReadModeNormalizedFloat);
  const cudaArray_t shorts4 = make_array(cudaCreateChannelDesc<short4>(), make_cudaExtent(4, 4, 0), 0);
  all_modes<float4>("2d short4 as float", shorts4, T2, texels, unit, cudaReadModeNormalizedFloat);
  const cudaArray_t ints = make_array(cudaCreateChannelDesc<int4>(), make_cudaExtent(4, 4, 0), 0);
  all_modes<int4>("2d int4", ints, T2, texels, unit, cudaReadModeElementType, false);
  const cudaArray_t halves = make_array(cudaCreateChannelDescHalf4(), make_cudaExtent(4, 4, 0), 0);
  all_modes<float4>("2d half4", halves, T2, texels, unit);
  for (int f = 0; f < 2; ++f) {
    cudaTextureDesc d = sampler(cudaAddressModeClamp, cudaTextureFilterMode(f), true, cudaReadModeNormalizedFloat);
    d.sRGB = 1;
    show<float4>(f ? "srgb linear" : "srgb point", make_texture(of_array(bytes), d), T2, unit);
  }
  // All 256 values of a byte, normalized and sRGB; one channel each.
  {
    cudaChannelFormatDesc d = cudaCreateChannelDesc<uchar4>();
    cudaArray_t a;
    CHECK(cudaMallocArray(&a, &d, 256, 0));
    std::vector<unsigned char> all;
    for (int i = 0; i < 1024; ++i) all.push_back(i / 4);
    CHECK(cudaMemcpy2DToArray(a, 0, 0, all.data(), 1024, 1024, 1, cudaMemcpyHostToDevice));
    std::vector<Point> each;
    for (int i = 0; i < 256; ++i) each.push_back({i + 0.5f, 0, 0, 0, 0});
    for (int srgb = 0; srgb < 2; ++srgb) {
      cudaTextureDesc t = sampler(cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat);
      t.sRGB = srgb;
      show<float4>(srgb ? "bytes srgb" : "bytes", make_texture(of_array(a), t), T1, each);
    }
    std::vector<Point> fine;
    for (int i = 0; i < 300; ++i) fine.push_back({100.5f + i * 0.0107f, 0, 0, 0, 0});
    show<float4>("bytes linear", make_texture(of_array(a), sampler(cudaAddressModeClamp, cudaFilterModeLinear, false, cudaReadModeNormalizedFloat)), T1, fine);
  }

  // Linear and pitch-linear memory.
  {
    float* linear;
    CHECK(cudaMalloc(&linear, 64 * sizeof(float)));
    std::vector<float> values(64);
    for (float& v : values) v = float(random_bits() % 1000) / 3;
    CHECK(cudaMemcpy(linear, values.data(), 256, cudaMemcpyHostToDevice));
    cudaResourceDesc r;
    std::memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = linear;
    r.res.linear.desc = f1;
    r.res.linear.sizeInBytes = 40 * 4;
    std::vector<Point> index;
    for (int i = -3; i < 44; ++i) index.push_back({float(i), 0, 0, 0, 0});
    show<float>("linear", make_texture(r, sampler(cudaAddressModeClamp, cudaFilterModePoint, false)), T1Fetch, index);
    float* pitched;
    size_t pitch;
    CHECK(cudaMallocPitch(&pitched, &pitch, 5 * 4, 4));
    CHECK(cudaMemcpy2D(pitched, pitch, values.data(), 20, 20, 4, cudaMemcpyHostToDevice));
    std::memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = pitched;
    r.res.pitch2D.desc = f1;
    r.res.pitch2D.width = 5;
    r.res.pitch2D.height = 4;
    r.res.pitch2D.pitchInBytes = pitch;
    for (int n = 0; n < 2; ++n)
      for (int m = 0; m < 4; ++m)
        for (int f = 0; f < 2; ++f) {
          char name[100];
          label(name, "pitched", m, f, n);
          const cudaTextureObject_t t = make_texture(r, sampler(cudaTextureAddressMode(m), cudaTextureFilterMode(f), n));
          if (t) show<float>(name, t, T2, n ? unit : texels);
        }
  }

  // Cubemaps.
  {
    const cudaArray_t cube = make_array(f1, make_cudaExtent(4, 4, 6), cudaArrayCubemap);
    const cudaArray_t cubes = make_array(f1, make_cudaExtent(4, 4, 12), cudaArrayCubemap | cudaArrayLayered);
    std::vector<Point> directions;
    for (int i = 0; i < 150; ++i)
      directions.push_back({float(int(random_bits() % 2001) - 1000) / 512, float(int(random_bits() % 2001) - 1000) / 512,
                            float(int(random_bits() % 2001) - 1000) / 512, 0, int(random_bits() % 5) - 1});
    for (int x = -1; x <= 1; ++x)
      for (int y = -1; y <= 1; ++y)
        for (int z = -1; z <= 1; ++z) directions.push_back({float(x), float(y), float(z), 0, 1});
    for (int f = 0; f < 2; ++f) {
      const cudaTextureDesc d = sampler(cudaAddressModeWrap, cudaTextureFilterMode(f), true);
      show<float>(f ? "cubemap linear" : "cubemap point", make_texture(of_array(cube), d), Cube, directions);
      show<float>(f ? "layered cubemap linear" : "layered cubemap point", make_texture(of_array(cubes), d), ACube, directions);
    }
  }

  // Gather.
  for (int m = 0; m < 4; ++m)
    for (int c = 0; c < 4; ++c) {
      char name[100];
      label(name, "gather", m, 0, 1);
      std::sprintf(name + std::strlen(name), " %d", c);
      show<float4>(name, make_texture(of_array(two4), sampler(cudaTextureAddressMode(m), cudaFilterModePoint, true)),
                   Shape(Gather0 + c), unit);
    }

  // Mipmaps.
  {
    cudaMipmappedArray_t chain;
    CHECK(cudaMallocMipmappedArray(&chain, &f1, make_cudaExtent(8, 8, 0), 4, 0));
    for (unsigned level = 0; level < 4; ++level) {
      cudaArray_t a;
      CHECK(cudaGetMipmappedArrayLevel(&a, chain, level));
      const size_t side = 8 >> level;
      const std::vector<unsigned char> values = data_of(side * side, f1);
      CHECK(cudaMemcpy2DToArray(a, 0, 0, values.data(), side * 4, side * 4, side, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc r;
    std::memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = chain;
    std::vector<Point> levels;
    for (float w = -0.5f; w < 4; w += 0.1f) levels.push_back({0.3f + w / 10, 0.6f - w / 20, w / 8, w / 16, 0});
    std::vector<Point> lods;
    for (float w = -0.5f; w < 4; w += 0.0625f) lods.push_back({0.3f + w / 10, 0.6f - w / 20, 0, w, 0});
    for (int f = 0; f < 2; ++f)
      for (int between = 0; between < 2; ++between) {
        cudaTextureDesc d = sampler(cudaAddressModeWrap, cudaTextureFilterMode(f), true);
        d.mipmapFilterMode = cudaTextureFilterMode(between);
        d.maxMipmapLevelClamp = 3;
        char name[100];
        std::sprintf(name, "lod %s between %s", kFilters[f], kFilters[between]);
        show<float>(name, make_texture(r, d), L2, lods);
        std::sprintf(name, "grad %s between %s", kFilters[f], kFilters[between]);
        show<float>(name, make_texture(r, d), G2, levels);
      }
  }

  // Channels that the format lacks.
  for (int f = 0; f < 2; ++f) {
    const std::vector<Point> inside = {{1.2f, 1.3f, 0, 0, 0}, {2.7f, 0.6f, 0, 0, 0}, {-3, 9, 0, 0, 0}};
    for (int m : {1, 3}) {
      const cudaTextureDesc d = sampler(cudaTextureAddressMode(m), cudaTextureFilterMode(f), false);
      const cudaTextureDesc n = sampler(cudaTextureAddressMode(m), cudaTextureFilterMode(f), false, cudaReadModeNormalizedFloat);
      show<float4>("one float channel read as four", make_texture(of_array(two), d), T2, inside);
      show<float4>("two float channels read as four", make_texture(of_array(two2), d), T2, inside);
      show<float4>("one short channel read as four floats", make_texture(of_array(shorts), n), T2, inside);
      if (f == 0) show<int4>("one short channel read as four", make_texture(of_array(shorts), d), T2, inside);
      if (f == 0) show<int4>("two char channels read as four", make_texture(of_array(signeds), d), T2, inside);
    }
  }
  surfaces_of<unsigned char>("uchar", 17);
  surfaces_of<short>("short", -300);
  surfaces_of<float>("float", 0.5f);
  surfaces_of<unsigned>("uint", 1000000);
  {
    const cudaArray_t s1 = make_array(f1, make_cudaExtent(12, 0, 0), cudaArraySurfaceLoadStore),
                      s3 = make_array(f2, make_cudaExtent(3, 2, 2), cudaArraySurfaceLoadStore),
                      layered = make_array(cudaCreateChannelDesc<uchar4>(), make_cudaExtent(4, 1, 3),
                                           cudaArraySurfaceLoadStore | cudaArrayLayered);
    float4* out;
    CHECK(cudaMalloc(&out, 12 * sizeof(float4)));
    surface_others<<<1, 12>>>(make_surface(s1), make_surface(s3), make_surface(layered), out);
    print_words("surfaces 1d, 3d, layered", out, 12 * sizeof(float4));
  }
  return 0;
}
