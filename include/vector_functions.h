// make_<vector>() for every short vector.
#ifndef DRYWARP_VECTOR_FUNCTIONS_H
#define DRYWARP_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__

#include "crt/host_defines.h"
#include "vector_types.h"

#if defined(__cplusplus) && __cplusplus >= 201103L
#define DRYWARP_MAKE static __host__ __device__ __forceinline__ constexpr
#else
#define DRYWARP_MAKE static __host__ __device__ __forceinline__
#endif

#if defined(__cplusplus) && __cplusplus >= 201103L
#define DRYWARP_RETURN(type, ...) \
  return type { __VA_ARGS__ }
#else
#define DRYWARP_RETURN(type, ...) \
  type t = {__VA_ARGS__};         \
  return t
#endif

#define DRYWARP_MAKE_VECTORS(element, name)                                                                  \
  DRYWARP_MAKE name##1 make_##name##1(element x) { DRYWARP_RETURN(name##1, x); }                             \
  DRYWARP_MAKE name##2 make_##name##2(element x, element y) { DRYWARP_RETURN(name##2, x, y); }               \
  DRYWARP_MAKE name##3 make_##name##3(element x, element y, element z) { DRYWARP_RETURN(name##3, x, y, z); } \
  DRYWARP_MAKE name##4 make_##name##4(element x, element y, element z, element w) {                          \
    DRYWARP_RETURN(name##4, x, y, z, w);                                                                     \
  }

DRYWARP_MAKE_VECTORS(signed char, char)
DRYWARP_MAKE_VECTORS(unsigned char, uchar)
DRYWARP_MAKE_VECTORS(short, short)
DRYWARP_MAKE_VECTORS(unsigned short, ushort)
DRYWARP_MAKE_VECTORS(int, int)
DRYWARP_MAKE_VECTORS(unsigned int, uint)
DRYWARP_MAKE_VECTORS(long int, long)
DRYWARP_MAKE_VECTORS(unsigned long int, ulong)
DRYWARP_MAKE_VECTORS(long long int, longlong)
DRYWARP_MAKE_VECTORS(unsigned long long int, ulonglong)
DRYWARP_MAKE_VECTORS(float, float)
DRYWARP_MAKE_VECTORS(double, double)

#define DRYWARP_MAKE_ALIGNED(element, name) \
  DRYWARP_MAKE name make_##name(element x, element y, element z, element w) { DRYWARP_RETURN(name, x, y, z, w); }
DRYWARP_MAKE_ALIGNED(long int, long4_16a)
DRYWARP_MAKE_ALIGNED(long int, long4_32a)
DRYWARP_MAKE_ALIGNED(unsigned long int, ulong4_16a)
DRYWARP_MAKE_ALIGNED(unsigned long int, ulong4_32a)
DRYWARP_MAKE_ALIGNED(long long int, longlong4_16a)
DRYWARP_MAKE_ALIGNED(long long int, longlong4_32a)
DRYWARP_MAKE_ALIGNED(unsigned long long int, ulonglong4_16a)
DRYWARP_MAKE_ALIGNED(unsigned long long int, ulonglong4_32a)
DRYWARP_MAKE_ALIGNED(double, double4_16a)
DRYWARP_MAKE_ALIGNED(double, double4_32a)

#undef DRYWARP_MAKE_ALIGNED
#undef DRYWARP_MAKE_VECTORS
#undef DRYWARP_RETURN
#undef DRYWARP_MAKE

#endif
