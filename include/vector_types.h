// CUDA's short vectors (char1 .. double4) and dim3: sizes and alignments are those of CUDA's ABI.
#ifndef DRYWARP_VECTOR_TYPES_H
#define DRYWARP_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__

#include "crt/host_defines.h"

// One line a base type: vectors of 1, 2, 3 and 4 elements. Vectors of 2 and 4 are aligned to their size, at most to 16
// bytes.
#define DRYWARP_VECTORS(element, name, align2, align4)      \
  struct name##1 { element x; };                            \
  struct __align__(align2) name##2 { element x, y; };       \
  struct name##3 { element x, y, z; };                      \
  struct __align__(align4) name##4 { element x, y, z, w; }; \
  typedef struct name##1 name##1;                           \
  typedef struct name##2 name##2;                           \
  typedef struct name##3 name##3;                           \
  typedef struct name##4 name##4;

DRYWARP_VECTORS(signed char, char, 2, 4)
DRYWARP_VECTORS(unsigned char, uchar, 2, 4)
DRYWARP_VECTORS(short, short, 4, 8)
DRYWARP_VECTORS(unsigned short, ushort, 4, 8)
DRYWARP_VECTORS(int, int, 8, 16)
DRYWARP_VECTORS(unsigned int, uint, 8, 16)
DRYWARP_VECTORS(long int, long, 16, 16)
DRYWARP_VECTORS(unsigned long int, ulong, 16, 16)
DRYWARP_VECTORS(long long int, longlong, 16, 16)
DRYWARP_VECTORS(unsigned long long int, ulonglong, 16, 16)
DRYWARP_VECTORS(float, float, 8, 16)
DRYWARP_VECTORS(double, double, 16, 16)
#undef DRYWARP_VECTORS

// CUDA 13's names for four 64-bit elements with an explicit alignment.
#define DRYWARP_VECTOR4_ALIGNED(element, name) \
  struct __align__(16) name##_16a {            \
    element x, y, z, w;                        \
  };                                           \
  struct __align__(32) name##_32a {            \
    element x, y, z, w;                        \
  };                                           \
  typedef struct name##_16a name##_16a;        \
  typedef struct name##_32a name##_32a;
DRYWARP_VECTOR4_ALIGNED(long int, long4)
DRYWARP_VECTOR4_ALIGNED(unsigned long int, ulong4)
DRYWARP_VECTOR4_ALIGNED(long long int, longlong4)
DRYWARP_VECTOR4_ALIGNED(unsigned long long int, ulonglong4)
DRYWARP_VECTOR4_ALIGNED(double, double4)
#undef DRYWARP_VECTOR4_ALIGNED

struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
#if __cplusplus >= 201103L
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#else
  __host__ __device__ dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ operator uint3() const {
    uint3 t;
    t.x = x;
    t.y = y;
    t.z = z;
    return t;
  }
#endif
#endif
};
typedef struct dim3 dim3;

#endif
