// Surface reads and writes. The x coordinate is in bytes; the boundary mode defines accesses outside the surface.
#ifndef DRYWARP_DEVICE_SURFACES_H
#define DRYWARP_DEVICE_SURFACES_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"
#include "drywarp/device/texture_references.h"
#include "surface_types.h"

template <class Reference>
DRYWARP_DEVICE cudaSurfaceObject_t __drywarp_surface_object(Reference reference) {
  cudaSurfaceObject_t object;
  asm("mov.b64 %0, %1;" : "=l"(object) : "l"(reference));
  return object;
}

// Elements are transferred as words of 1, 2 or 4 bytes, or as two or four 4-byte words.
template <int bytes>
struct __drywarp_surface_word;
template <>
struct __drywarp_surface_word<1> {
  typedef unsigned char type;
};
template <>
struct __drywarp_surface_word<2> {
  typedef unsigned short type;
};
template <>
struct __drywarp_surface_word<4> {
  typedef unsigned int type;
};
template <>
struct __drywarp_surface_word<8> {
  typedef uint2 type;
};
template <>
struct __drywarp_surface_word<16> {
  typedef uint4 type;
};

#define DRYWARP_PARAMETERS(...) __VA_ARGS__
#define DRYWARP_P DRYWARP_PARAMETERS
#define DRYWARP_SURFACE_MODE(name, mode, geometry, pattern, parameters, inputs)                                      \
  DRYWARP_DEVICE void __drywarp_##name##read_##mode(unsigned char* v, cudaSurfaceObject_t s, parameters) {           \
    unsigned short w;                                                                                                \
    asm volatile("suld.b." geometry ".b8." #mode " %0, [%1, " pattern "];" : "=h"(w) : "l"(s), inputs : "memory");   \
    *v = static_cast<unsigned char>(w);                                                                              \
  }                                                                                                                  \
  DRYWARP_DEVICE void __drywarp_##name##read_##mode(unsigned short* v, cudaSurfaceObject_t s, parameters) {          \
    asm volatile("suld.b." geometry ".b16." #mode " %0, [%1, " pattern "];" : "=h"(*v) : "l"(s), inputs : "memory"); \
  }                                                                                                                  \
  DRYWARP_DEVICE void __drywarp_##name##read_##mode(unsigned* v, cudaSurfaceObject_t s, parameters) {                \
    asm volatile("suld.b." geometry ".b32." #mode " %0, [%1, " pattern "];" : "=r"(*v) : "l"(s), inputs : "memory"); \
  }                                                                                                                  \
  DRYWARP_DEVICE void __drywarp_##name##write_##mode(unsigned char v, cudaSurfaceObject_t s, parameters) {           \
    unsigned short w = v;                                                                                            \
    asm volatile("sust.b." geometry ".b8." #mode " [%1, " pattern "], %0;" ::"h"(w), "l"(s), inputs : "memory");     \
  }                                                                                                                  \
  DRYWARP_DEVICE void __drywarp_##name##write_##mode(unsigned short v, cudaSurfaceObject_t s, parameters) {          \
    asm volatile("sust.b." geometry ".b16." #mode " [%1, " pattern "], %0;" ::"h"(v), "l"(s), inputs : "memory");    \
  }                                                                                                                  \
  DRYWARP_DEVICE void __drywarp_##name##write_##mode(unsigned v, cudaSurfaceObject_t s, parameters) {                \
    asm volatile("sust.b." geometry ".b32." #mode " [%1, " pattern "], %0;" ::"r"(v), "l"(s), inputs : "memory");    \
  }
#define DRYWARP_SURFACE_WIDE(name, mode, geometry, pattern2, pattern4, parameters, inputs)                          \
  DRYWARP_DEVICE void __drywarp_##name##read_##mode(uint2* v, cudaSurfaceObject_t s, parameters) {                  \
    asm volatile("suld.b." geometry ".v2.b32." #mode " {%0, %1}, [%2, " pattern2 "];"                               \
                 : "=r"(v->x), "=r"(v->y)                                                                           \
                 : "l"(s), inputs                                                                                   \
                 : "memory");                                                                                       \
  }                                                                                                                 \
  DRYWARP_DEVICE void __drywarp_##name##read_##mode(uint4* v, cudaSurfaceObject_t s, parameters) {                  \
    asm volatile("suld.b." geometry ".v4.b32." #mode " {%0, %1, %2, %3}, [%4, " pattern4 "];"                       \
                 : "=r"(v->x), "=r"(v->y), "=r"(v->z), "=r"(v->w)                                                   \
                 : "l"(s), inputs                                                                                   \
                 : "memory");                                                                                       \
  }                                                                                                                 \
  DRYWARP_DEVICE void __drywarp_##name##write_##mode(uint2 v, cudaSurfaceObject_t s, parameters) {                  \
    asm volatile("sust.b." geometry ".v2.b32." #mode " [%2, " pattern2 "], {%0, %1};" ::"r"(v.x), "r"(v.y), "l"(s), \
                 inputs                                                                                             \
                 : "memory");                                                                                       \
  }                                                                                                                 \
  DRYWARP_DEVICE void __drywarp_##name##write_##mode(uint4 v, cudaSurfaceObject_t s, parameters) {                  \
    asm volatile("sust.b." geometry ".v4.b32." #mode " [%4, " pattern4 "], {%0, %1, %2, %3};" ::"r"(v.x), "r"(v.y), \
                 "r"(v.z), "r"(v.w), "l"(s), inputs                                                                 \
                 : "memory");                                                                                       \
  }
#define DRYWARP_SURFACE(name, geometry, pattern, pattern2, pattern4, parameters, arguments, inputs)                    \
  DRYWARP_SURFACE_MODE(name, trap, geometry, pattern, DRYWARP_P(parameters), DRYWARP_P(inputs))                                        \
  DRYWARP_SURFACE_MODE(name, clamp, geometry, pattern, DRYWARP_P(parameters), DRYWARP_P(inputs))                                       \
  DRYWARP_SURFACE_MODE(name, zero, geometry, pattern, DRYWARP_P(parameters), DRYWARP_P(inputs))                                        \
  DRYWARP_SURFACE_WIDE(name, trap, geometry, pattern2, pattern4, DRYWARP_P(parameters), DRYWARP_P(inputs))                             \
  DRYWARP_SURFACE_WIDE(name, clamp, geometry, pattern2, pattern4, DRYWARP_P(parameters), DRYWARP_P(inputs))                            \
  DRYWARP_SURFACE_WIDE(name, zero, geometry, pattern2, pattern4, DRYWARP_P(parameters), DRYWARP_P(inputs))                             \
  template <class T>                                                                                                   \
  DRYWARP_DEVICE T name##read(cudaSurfaceObject_t s, parameters,                                                       \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                   \
    typename __drywarp_surface_word<sizeof(T)>::type v;                                                                \
    if (mode == cudaBoundaryModeClamp)                                                                                 \
      __drywarp_##name##read_clamp(&v, s, arguments);                                                                  \
    else if (mode == cudaBoundaryModeZero)                                                                             \
      __drywarp_##name##read_zero(&v, s, arguments);                                                                   \
    else                                                                                                               \
      __drywarp_##name##read_trap(&v, s, arguments);                                                                   \
    return __builtin_bit_cast(T, v);                                                                                   \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  DRYWARP_DEVICE void name##read(T* result, cudaSurfaceObject_t s, parameters,                                         \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                \
    *result = name##read<T>(s, arguments, mode);                                                                       \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  DRYWARP_DEVICE void name##write(T value, cudaSurfaceObject_t s, parameters,                                          \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                               \
    typedef typename __drywarp_surface_word<sizeof(T)>::type word;                                                     \
    const word v = __builtin_bit_cast(word, value);                                                                    \
    if (mode == cudaBoundaryModeClamp)                                                                                 \
      __drywarp_##name##write_clamp(v, s, arguments);                                                                  \
    else if (mode == cudaBoundaryModeZero)                                                                             \
      __drywarp_##name##write_zero(v, s, arguments);                                                                   \
    else                                                                                                               \
      __drywarp_##name##write_trap(v, s, arguments);                                                                   \
  }                                                                                                                    \
  template <class T, int dim>                                                                                          \
  DRYWARP_DEVICE T name##read(__drywarp_surface<void, dim> s, parameters,                                              \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                   \
    return name##read<T>(__drywarp_surface_object(s), arguments, mode);                                                \
  }                                                                                                                    \
  template <class T, int dim>                                                                                          \
  DRYWARP_DEVICE void name##read(T* result, __drywarp_surface<void, dim> s, parameters,                                \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                \
    *result = name##read<T>(__drywarp_surface_object(s), arguments, mode);                                             \
  }                                                                                                                    \
  template <class T, int dim>                                                                                          \
  DRYWARP_DEVICE void name##write(T value, __drywarp_surface<void, dim> s, parameters,                                 \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                               \
    name##write(value, __drywarp_surface_object(s), arguments, mode);                                                  \
  }
DRYWARP_SURFACE(surf1D, "1d", "{%2}", "{%3}", "{%5}", DRYWARP_P(int x), DRYWARP_P(x), DRYWARP_P("r"(x)))
DRYWARP_SURFACE(surf2D, "2d", "{%2, %3}", "{%3, %4}", "{%5, %6}", DRYWARP_P(int x, int y), DRYWARP_P(x, y), DRYWARP_P("r"(x), "r"(y)))
DRYWARP_SURFACE(surf3D, "3d", "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", "{%5, %6, %7, %7}", DRYWARP_P(int x, int y, int z),
                DRYWARP_P(x, y, z), DRYWARP_P("r"(x), "r"(y), "r"(z)))
DRYWARP_SURFACE(surf1DLayered, "a1d", "{%3, %2}", "{%4, %3}", "{%6, %5}", DRYWARP_P(int x, int layer), DRYWARP_P(x, layer),
                DRYWARP_P("r"(x), "r"(layer)))
DRYWARP_SURFACE(surf2DLayered, "a2d", "{%4, %2, %3, %3}", "{%5, %3, %4, %4}", "{%7, %5, %6, %6}",
                DRYWARP_P(int x, int y, int layer), DRYWARP_P(x, y, layer), DRYWARP_P("r"(x), "r"(y), "r"(layer)))
DRYWARP_SURFACE(surfCubemap, "a2d", "{%4, %2, %3, %3}", "{%5, %3, %4, %4}", "{%7, %5, %6, %6}",
                DRYWARP_P(int x, int y, int face), DRYWARP_P(x, y, face), DRYWARP_P("r"(x), "r"(y), "r"(face)))
#undef DRYWARP_SURFACE
#undef DRYWARP_SURFACE_WIDE
#undef DRYWARP_SURFACE_MODE
#undef DRYWARP_PARAMETERS
#undef DRYWARP_P

#endif
