// Texture fetches from texture objects (tex1D<float>(object, x) ...) and from texture references, as the PTX
// instructions of the same geometry.
#ifndef DRYWARP_DEVICE_TEXTURES_H
#define DRYWARP_DEVICE_TEXTURES_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"
#include "drywarp/device/texture_references.h"
#include "texture_types.h"

// A fetch returns four floats, ints or unsigned ints, depending on the type of the texel.
template <class T>
struct __drywarp_texel;
#define DRYWARP_TEXELS(scalar, vector, four)                                                                \
  template <>                                                                                               \
  struct __drywarp_texel<scalar> {                                                                          \
    typedef four fetched;                                                                                   \
    typedef float normalized;                                                                               \
    template <class Fetched>                                                                                      \
    static __device__ scalar from(Fetched v) {                                                                    \
      return static_cast<scalar>(v.x);                                                                      \
    }                                                                                                       \
  };                                                                                                        \
  template <>                                                                                               \
  struct __drywarp_texel<vector##1> {                                                                       \
    typedef four fetched;                                                                                   \
    typedef float1 normalized;                                                                              \
    template <class Fetched>                                                                                      \
    static __device__ vector##1 from(Fetched v) {                                                                 \
      return make_##vector##1(static_cast<scalar>(v.x));                                                    \
    }                                                                                                       \
  };                                                                                                        \
  template <>                                                                                               \
  struct __drywarp_texel<vector##2> {                                                                       \
    typedef four fetched;                                                                                   \
    typedef float2 normalized;                                                                              \
    template <class Fetched>                                                                                      \
    static __device__ vector##2 from(Fetched v) {                                                                 \
      return make_##vector##2(static_cast<scalar>(v.x), static_cast<scalar>(v.y));                          \
    }                                                                                                       \
  };                                                                                                        \
  template <>                                                                                               \
  struct __drywarp_texel<vector##4> {                                                                       \
    typedef four fetched;                                                                                   \
    typedef float4 normalized;                                                                              \
    template <class Fetched>                                                                                      \
    static __device__ vector##4 from(Fetched v) {                                                                 \
      return make_##vector##4(static_cast<scalar>(v.x), static_cast<scalar>(v.y), static_cast<scalar>(v.z), \
                              static_cast<scalar>(v.w));                                                    \
    }                                                                                                       \
  };
DRYWARP_TEXELS(signed char, char, int4)
DRYWARP_TEXELS(unsigned char, uchar, uint4)
DRYWARP_TEXELS(short, short, int4)
DRYWARP_TEXELS(unsigned short, ushort, uint4)
DRYWARP_TEXELS(int, int, int4)
DRYWARP_TEXELS(unsigned int, uint, uint4)
DRYWARP_TEXELS(float, float, float4)
#undef DRYWARP_TEXELS
template <>
struct __drywarp_texel<char> : __drywarp_texel<signed char> {
  template <class Fetched>
  static __device__ char from(Fetched v) {
    return static_cast<char>(v.x);
  }
};

// A reference is a handle of 64 bits in device code, like an object.
template <class Reference>
DRYWARP_DEVICE cudaTextureObject_t __drywarp_texture_object(Reference reference) {
  cudaTextureObject_t object;
  asm("mov.b64 %0, %1;" : "=l"(object) : "l"(reference));
  return object;
}

#define DRYWARP_PARAMETERS(...) __VA_ARGS__
#define DRYWARP_FETCH_AS(name, four, ptx, constraint, geometry, coordinate, pattern, parameters, inputs)  \
  DRYWARP_DEVICE void __drywarp_##name(four* v, cudaTextureObject_t object, parameters) {                 \
    asm volatile("tex." geometry ".v4." ptx "." coordinate " {%0, %1, %2, %3}, [%4, " pattern ";"         \
                 : "=" constraint(v->x), "=" constraint(v->y), "=" constraint(v->z), "=" constraint(v->w) \
                 : "l"(object), inputs);                                                                  \
  }
// `reference` is the texture type that a reference of this geometry has.
#define DRYWARP_FETCH(name, reference, geometry, coordinate, pattern, parameters, arguments, inputs)                \
  DRYWARP_FETCH_AS(name, float4, "f32", "f", geometry, coordinate, pattern, DRYWARP_PARAMETERS(parameters),         \
                   DRYWARP_PARAMETERS(inputs))                                                                      \
  DRYWARP_FETCH_AS(name, int4, "s32", "r", geometry, coordinate, pattern, DRYWARP_PARAMETERS(parameters),           \
                   DRYWARP_PARAMETERS(inputs))                                                                      \
  DRYWARP_FETCH_AS(name, uint4, "u32", "r", geometry, coordinate, pattern, DRYWARP_PARAMETERS(parameters),          \
                   DRYWARP_PARAMETERS(inputs))                                                                      \
  template <class T>                                                                                                \
  DRYWARP_DEVICE T name(cudaTextureObject_t object, parameters) {                                                   \
    typename __drywarp_texel<T>::fetched v;                                                                         \
    __drywarp_##name(&v, object, arguments);                                                                        \
    return __drywarp_texel<T>::from(v);                                                                             \
  }                                                                                                                 \
  template <class T>                                                                                                \
  DRYWARP_DEVICE void name(T* result, cudaTextureObject_t object, parameters) {                                     \
    *result = name<T>(object, arguments);                                                                           \
  }                                                                                                                 \
  template <class T>                                                                                                \
  DRYWARP_DEVICE T name(__drywarp_texture<T, reference, cudaReadModeElementType> t, parameters) {                   \
    return name<T>(__drywarp_texture_object(t), arguments);                                                         \
  }                                                                                                                 \
  template <class T>                                                                                                \
  DRYWARP_DEVICE typename __drywarp_texel<T>::normalized name(                                                      \
      __drywarp_texture<T, reference, cudaReadModeNormalizedFloat> t, parameters) {                                 \
    return name<typename __drywarp_texel<T>::normalized>(__drywarp_texture_object(t), arguments);                   \
  }
#define DRYWARP_P DRYWARP_PARAMETERS
DRYWARP_FETCH(tex1Dfetch, cudaTextureType1D, "1d", "s32", "{%5}]", int x, x, "r"(x))
DRYWARP_FETCH(tex1D, cudaTextureType1D, "1d", "f32", "{%5}]", float x, x, "f"(x))
DRYWARP_FETCH(tex2D, cudaTextureType2D, "2d", "f32", "{%5, %6}]", DRYWARP_P(float x, float y), DRYWARP_P(x, y), DRYWARP_P("f"(x), "f"(y)))
DRYWARP_FETCH(tex3D, cudaTextureType3D, "3d", "f32", "{%5, %6, %7, %7}]", DRYWARP_P(float x, float y, float z), DRYWARP_P(x, y, z),
              DRYWARP_P("f"(x), "f"(y), "f"(z)))
DRYWARP_FETCH(texCubemap, cudaTextureTypeCubemap, "cube", "f32", "{%5, %6, %7, %7}]", DRYWARP_P(float x, float y, float z),
              DRYWARP_P(x, y, z), DRYWARP_P("f"(x), "f"(y), "f"(z)))
DRYWARP_FETCH(tex1DLayered, cudaTextureType1DLayered, "a1d", "f32", "{%6, %5}]", DRYWARP_P(float x, int layer), DRYWARP_P(x, layer),
              DRYWARP_P("f"(x), "r"(layer)))
DRYWARP_FETCH(tex2DLayered, cudaTextureType2DLayered, "a2d", "f32", "{%7, %5, %6, %6}]", DRYWARP_P(float x, float y, int layer),
              DRYWARP_P(x, y, layer), DRYWARP_P("f"(x), "f"(y), "r"(layer)))
DRYWARP_FETCH(texCubemapLayered, cudaTextureTypeCubemapLayered, "acube", "f32", "{%8, %5, %6, %7}]",
              DRYWARP_P(float x, float y, float z, int layer), DRYWARP_P(x, y, z, layer), DRYWARP_P("f"(x), "f"(y), "f"(z), "r"(layer)))
DRYWARP_FETCH(tex1DLod, cudaTextureType1D, "level.1d", "f32", "{%5}], %6", DRYWARP_P(float x, float level), DRYWARP_P(x, level),
              DRYWARP_P("f"(x), "f"(level)))
DRYWARP_FETCH(tex2DLod, cudaTextureType2D, "level.2d", "f32", "{%5, %6}], %7", DRYWARP_P(float x, float y, float level),
              DRYWARP_P(x, y, level), DRYWARP_P("f"(x), "f"(y), "f"(level)))
DRYWARP_FETCH(tex3DLod, cudaTextureType3D, "level.3d", "f32", "{%5, %6, %7, %7}], %8",
              DRYWARP_P(float x, float y, float z, float level), DRYWARP_P(x, y, z, level), DRYWARP_P("f"(x), "f"(y), "f"(z), "f"(level)))
DRYWARP_FETCH(tex2DLayeredLod, cudaTextureType2DLayered, "level.a2d", "f32", "{%7, %5, %6, %6}], %8",
              DRYWARP_P(float x, float y, int layer, float level), DRYWARP_P(x, y, layer, level),
              DRYWARP_P("f"(x), "f"(y), "r"(layer), "f"(level)))
DRYWARP_FETCH(texCubemapLod, cudaTextureTypeCubemap, "level.cube", "f32", "{%5, %6, %7, %7}], %8",
              DRYWARP_P(float x, float y, float z, float level), DRYWARP_P(x, y, z, level), DRYWARP_P("f"(x), "f"(y), "f"(z), "f"(level)))
DRYWARP_FETCH(tex1DGrad, cudaTextureType1D, "grad.1d", "f32", "{%5}], {%6}, {%7}", DRYWARP_P(float x, float dx, float dy),
              DRYWARP_P(x, dx, dy), DRYWARP_P("f"(x), "f"(dx), "f"(dy)))
DRYWARP_FETCH(tex2DGrad, cudaTextureType2D, "grad.2d", "f32", "{%5, %6}], {%7, %8}, {%9, %10}",
              DRYWARP_P(float x, float y, float2 dx, float2 dy), DRYWARP_P(x, y, dx, dy),
              DRYWARP_P("f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)))
#undef DRYWARP_P
#undef DRYWARP_FETCH
#undef DRYWARP_FETCH_AS

// Gather: one component of the four texels around a point.
#define DRYWARP_GATHER(four, ptx, constraint)                                                                       \
  DRYWARP_DEVICE void __drywarp_tex2Dgather(four* v, cudaTextureObject_t object, float x, float y, int component) { \
    if (component == 0)                                                                                             \
      asm volatile("tld4.r.2d.v4." ptx ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                                     \
                   : "=" constraint(v->x), "=" constraint(v->y), "=" constraint(v->z), "=" constraint(v->w)         \
                   : "l"(object), "f"(x), "f"(y));                                                                  \
    else if (component == 1)                                                                                        \
      asm volatile("tld4.g.2d.v4." ptx ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                                     \
                   : "=" constraint(v->x), "=" constraint(v->y), "=" constraint(v->z), "=" constraint(v->w)         \
                   : "l"(object), "f"(x), "f"(y));                                                                  \
    else if (component == 2)                                                                                        \
      asm volatile("tld4.b.2d.v4." ptx ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                                     \
                   : "=" constraint(v->x), "=" constraint(v->y), "=" constraint(v->z), "=" constraint(v->w)         \
                   : "l"(object), "f"(x), "f"(y));                                                                  \
    else                                                                                                            \
      asm volatile("tld4.a.2d.v4." ptx ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                                     \
                   : "=" constraint(v->x), "=" constraint(v->y), "=" constraint(v->z), "=" constraint(v->w)         \
                   : "l"(object), "f"(x), "f"(y));                                                                  \
  }
DRYWARP_GATHER(float4, "f32", "f")
DRYWARP_GATHER(int4, "s32", "r")
DRYWARP_GATHER(uint4, "u32", "r")
#undef DRYWARP_GATHER
template <class T>
DRYWARP_DEVICE T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) {
  typename __drywarp_texel<T>::fetched v;
  __drywarp_tex2Dgather(&v, object, x, y, component);
  return __drywarp_texel<T>::from(v);
}
#undef DRYWARP_PARAMETERS

#endif
