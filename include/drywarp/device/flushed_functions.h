// The engine's single precision functions under -ftz=true: the engine handles subnormals, so arguments and results are
// flushed here. Included where the compiler's wrapper headers use these names.
#ifndef DRYWARP_DEVICE_FLUSHED_FUNCTIONS_H
#define DRYWARP_DEVICE_FLUSHED_FUNCTIONS_H
#pragma GCC system_header

#if defined(__CUDA_FTZ) && __CUDA_FTZ
#include "drywarp/device/specifiers.h"

DRYWARP_DEVICE float __drywarp_flushed(float x) { return __nvvm_mul_rn_ftz_f(x, 1.0f); }
// The neighbours of zero are the smallest normal numbers.
DRYWARP_DEVICE float __drywarp_flushed_nextafter(float x, float y) {
  const float next = __drywarp_flushed(__nv_nextafterf(__drywarp_flushed(x), __drywarp_flushed(y)));
  return x == 0.0f && y != 0.0f && y == y ? __builtin_copysignf(1.17549435e-38f, y) : next;
}
#define __nv_nextafterf(x, y) __drywarp_flushed_nextafter(x, y)

#define DRYWARP_FLUSHED(name, x) __drywarp_flushed(name(__drywarp_flushed(x)))
#define DRYWARP_FLUSHED2(name, x, y) __drywarp_flushed(name(__drywarp_flushed(x), __drywarp_flushed(y)))
#define __nv_asinhf(x) DRYWARP_FLUSHED(__nv_asinhf, x)
#define __nv_acoshf(x) DRYWARP_FLUSHED(__nv_acoshf, x)
#define __nv_atanhf(x) DRYWARP_FLUSHED(__nv_atanhf, x)
#define __nv_erfcf(x) DRYWARP_FLUSHED(__nv_erfcf, x)
#define __nv_erfcxf(x) DRYWARP_FLUSHED(__nv_erfcxf, x)
#define __nv_erfinvf(x) DRYWARP_FLUSHED(__nv_erfinvf, x)
#define __nv_erfcinvf(x) DRYWARP_FLUSHED(__nv_erfcinvf, x)
#define __nv_normcdff(x) DRYWARP_FLUSHED(__nv_normcdff, x)
#define __nv_normcdfinvf(x) DRYWARP_FLUSHED(__nv_normcdfinvf, x)
#define __nv_tgammaf(x) DRYWARP_FLUSHED(__nv_tgammaf, x)
#define __nv_lgammaf(x) DRYWARP_FLUSHED(__nv_lgammaf, x)
#define __nv_j0f(x) DRYWARP_FLUSHED(__nv_j0f, x)
#define __nv_j1f(x) DRYWARP_FLUSHED(__nv_j1f, x)
#define __nv_y0f(x) DRYWARP_FLUSHED(__nv_y0f, x)
#define __nv_y1f(x) DRYWARP_FLUSHED(__nv_y1f, x)
#define __nv_cyl_bessel_i0f(x) DRYWARP_FLUSHED(__nv_cyl_bessel_i0f, x)
#define __nv_cyl_bessel_i1f(x) DRYWARP_FLUSHED(__nv_cyl_bessel_i1f, x)
#define __nv_jnf(n, x) __drywarp_flushed(__nv_jnf(n, __drywarp_flushed(x)))
#define __nv_ynf(n, x) __drywarp_flushed(__nv_ynf(n, __drywarp_flushed(x)))
#define __nv_fmodf(x, y) DRYWARP_FLUSHED2(__nv_fmodf, x, y)
#define __nv_remainderf(x, y) DRYWARP_FLUSHED2(__nv_remainderf, x, y)
#define __nv_remquof(x, y, q) __drywarp_flushed(__nv_remquof(__drywarp_flushed(x), __drywarp_flushed(y), q))
#endif

#endif
