// Complex numbers as pairs of floats or doubles, with functions that overflow only if the result does.
#ifndef DRYWARP_CUCOMPLEX_H
#define DRYWARP_CUCOMPLEX_H
#define CU_COMPLEX_H_

#include <math.h>

#include "vector_functions.h"
#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

__host__ __device__ static __inline__ cuFloatComplex make_cuFloatComplex(float r, float i) {
  cuFloatComplex c;
  c.x = r;
  c.y = i;
  return c;
}
__host__ __device__ static __inline__ cuDoubleComplex make_cuDoubleComplex(double r, double i) {
  cuDoubleComplex c;
  c.x = r;
  c.y = i;
  return c;
}
__host__ __device__ static __inline__ cuComplex make_cuComplex(float r, float i) { return make_cuFloatComplex(r, i); }
__host__ __device__ static __inline__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) {
  return make_cuDoubleComplex((double)c.x, (double)c.y);
}
__host__ __device__ static __inline__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
  return make_cuFloatComplex((float)c.x, (float)c.y);
}

// The same functions for both: the float ones end in f.
#define DRYWARP_COMPLEX(complex, real, suffix, make, magnitude, root)                                        \
  __host__ __device__ static __inline__ real cuCreal##suffix(complex x) { return x.x; }                      \
  __host__ __device__ static __inline__ real cuCimag##suffix(complex x) { return x.y; }                      \
  __host__ __device__ static __inline__ complex cuConj##suffix(complex x) { return make(x.x, -x.y); }        \
  __host__ __device__ static __inline__ complex cuCadd##suffix(complex a, complex b) {                       \
    return make(a.x + b.x, a.y + b.y);                                                                       \
  }                                                                                                          \
  __host__ __device__ static __inline__ complex cuCsub##suffix(complex a, complex b) {                       \
    return make(a.x - b.x, a.y - b.y);                                                                       \
  }                                                                                                          \
  __host__ __device__ static __inline__ complex cuCmul##suffix(complex a, complex b) {                       \
    return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                               \
  }                                                                                                          \
  __host__ __device__ static __inline__ complex cuCdiv##suffix(complex a, complex b) {                       \
    const real scale = 1 / (magnitude(b.x) + magnitude(b.y));                                                \
    const real ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;                       \
    const real over = 1 / (br * br + bi * bi);                                                               \
    return make((ar * br + ai * bi) * over, (ai * br - ar * bi) * over);                                     \
  }                                                                                                          \
  __host__ __device__ static __inline__ real cuCabs##suffix(complex x) {                                     \
    const real a = magnitude(x.x), b = magnitude(x.y);                                                       \
    const real large = a > b ? a : b, small = a > b ? b : a, ratio = small / large;                          \
    if (large == 0 || large > (sizeof(real) == 4 ? (real)3.402823466e38 : (real)1.79769313486231570e+308) || \
        small > (sizeof(real) == 4 ? (real)3.402823466e38 : (real)1.79769313486231570e+308))                 \
      return large + small;                                                                                  \
    return large * root(1 + ratio * ratio);                                                                  \
  }
DRYWARP_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex, fabsf, sqrtf)
DRYWARP_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex, fabs, sqrt)
#undef DRYWARP_COMPLEX

__host__ __device__ static __inline__ cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) {
  return cuCaddf(cuCmulf(a, b), c);
}
__host__ __device__ static __inline__ cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
  return cuCadd(cuCmul(a, b), c);
}

#endif
