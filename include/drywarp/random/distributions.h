// Uniform and normal distributions over the generators, computed as cuRAND computes them.
#ifndef DRYWARP_RANDOM_DISTRIBUTIONS_H
#define DRYWARP_RANDOM_DISTRIBUTIONS_H
#pragma GCC system_header

#include "drywarp/random/box_muller.h"
#include "drywarp/random/mrg32k3a.h"
#include "drywarp/random/philox.h"
#include "drywarp/random/xorwow.h"

#define CURAND_2POW32_INV (2.3283064e-10f)
#define CURAND_2POW32_INV_DOUBLE (2.3283064365386963e-10)
#define CURAND_2POW32_INV_2PI (2.3283064e-10f * 6.2831855f)
#define CURAND_2POW53_INV_DOUBLE (1.1102230246251565e-16)
#define CURAND_PI_DOUBLE (3.1415926535897932)

// In (0, 1].
DRYWARP_DEVICE float __drywarp_uniform(unsigned x) {
  return __builtin_fmaf(static_cast<float>(x), CURAND_2POW32_INV, CURAND_2POW32_INV / 2.0f);
}
DRYWARP_DEVICE double __drywarp_uniform_double(unsigned x, unsigned y) {
  const unsigned long long z = static_cast<unsigned long long>(x) ^ (static_cast<unsigned long long>(y) << (53 - 32));
  return __builtin_fma(static_cast<double>(z), CURAND_2POW53_INV_DOUBLE, CURAND_2POW53_INV_DOUBLE / 2.0);
}
DRYWARP_DEVICE float2 __drywarp_box_muller(unsigned x, unsigned y) {
  const float u = __drywarp_uniform(x);
  const float v = __builtin_fmaf(static_cast<float>(y), CURAND_2POW32_INV_2PI, CURAND_2POW32_INV_2PI / 2.0f);
  return __drywarp_normal_pair(u, v);
}
DRYWARP_DEVICE double2 __drywarp_box_muller_double(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  const double u = __drywarp_uniform_double(x0, x1);
  const unsigned long long z = static_cast<unsigned long long>(y0) ^ (static_cast<unsigned long long>(y1) << (53 - 32));
  const double v = __builtin_fma(static_cast<double>(z), CURAND_2POW53_INV_DOUBLE * 2.0, CURAND_2POW53_INV_DOUBLE);
  return __drywarp_normal_pair(u, v);
}

// Of generators of words; MRG32k3a has its own.
#define DRYWARP_OF_WORDS(State)                                                                    \
  DRYWARP_DEVICE float curand_uniform(State* state) { return __drywarp_uniform(curand(state)); }   \
  DRYWARP_DEVICE float2 curand_normal2(State* state) {                                             \
    const unsigned x = curand(state), y = curand(state);                                           \
    return __drywarp_box_muller(x, y);                                                             \
  }                                                                                                \
  DRYWARP_DEVICE double2 curand_normal2_double(State* state) {                                     \
    const unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state); \
    return __drywarp_box_muller_double(x0, x1, y0, y1);                                            \
  }
DRYWARP_OF_WORDS(curandStateXORWOW_t)
DRYWARP_OF_WORDS(curandStatePhilox4_32_10_t)
#undef DRYWARP_OF_WORDS
#define DRYWARP_OF_NORMALS(State)                                                                 \
  DRYWARP_DEVICE float curand_normal(State* state) {                                              \
    if (state->boxmuller_flag) {                                                                  \
      state->boxmuller_flag = 0;                                                                  \
      return state->boxmuller_extra;                                                              \
    }                                                                                             \
    const float2 pair = curand_normal2(state);                                                    \
    state->boxmuller_extra = pair.y;                                                              \
    state->boxmuller_flag = 1;                                                                    \
    return pair.x;                                                                                \
  }                                                                                               \
  DRYWARP_DEVICE double curand_normal_double(State* state) {                                      \
    if (state->boxmuller_flag_double) {                                                           \
      state->boxmuller_flag_double = 0;                                                           \
      return state->boxmuller_extra_double;                                                       \
    }                                                                                             \
    const double2 pair = curand_normal2_double(state);                                            \
    state->boxmuller_extra_double = pair.y;                                                       \
    state->boxmuller_flag_double = 1;                                                             \
    return pair.x;                                                                                \
  }                                                                                               \
  DRYWARP_DEVICE float curand_log_normal(State* state, float mean, float deviation) {             \
    return expf(mean + deviation * curand_normal(state));                                         \
  }                                                                                               \
  DRYWARP_DEVICE double curand_log_normal_double(State* state, double mean, double deviation) {   \
    return exp(mean + deviation * curand_normal_double(state));                                   \
  }                                                                                               \
  DRYWARP_DEVICE float2 curand_log_normal2(State* state, float mean, float deviation) {           \
    const float2 pair = curand_normal2(state);                                                    \
    return make_float2(expf(mean + deviation * pair.x), expf(mean + deviation * pair.y));         \
  }                                                                                               \
  DRYWARP_DEVICE double2 curand_log_normal2_double(State* state, double mean, double deviation) { \
    const double2 pair = curand_normal2_double(state);                                            \
    return make_double2(exp(mean + deviation * pair.x), exp(mean + deviation * pair.y));          \
  }
DRYWARP_OF_NORMALS(curandStateXORWOW_t)
DRYWARP_OF_NORMALS(curandStatePhilox4_32_10_t)
DRYWARP_OF_NORMALS(curandStateMRG32k3a_t)
#undef DRYWARP_OF_NORMALS
// A double takes two numbers of XORWOW, or one of Philox.
DRYWARP_DEVICE double curand_uniform_double(curandStateXORWOW_t* state) {
  const unsigned x = curand(state), y = curand(state);
  return __drywarp_uniform_double(x, y);
}
DRYWARP_DEVICE double curand_uniform_double(curandStatePhilox4_32_10_t* state) {
  return __builtin_fma(static_cast<double>(curand(state)), CURAND_2POW32_INV_DOUBLE, CURAND_2POW32_INV_DOUBLE);
}

DRYWARP_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return make_float4(__drywarp_uniform(x.x), __drywarp_uniform(x.y), __drywarp_uniform(x.z), __drywarp_uniform(x.w));
}
DRYWARP_DEVICE float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  const float2 a = __drywarp_box_muller(x.x, x.y), b = __drywarp_box_muller(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
DRYWARP_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return make_double2(__drywarp_uniform_double(x.x, x.y), __drywarp_uniform_double(x.z, x.w));
}
DRYWARP_DEVICE double4 curand_uniform4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return make_double4(a.x, a.y, b.x, b.y);
}
DRYWARP_DEVICE double4 curand_normal4_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state), y = curand4(state);
  const double2 a = __drywarp_box_muller_double(x.x, x.y, x.z, x.w),
                b = __drywarp_box_muller_double(y.x, y.y, y.z, y.w);
  return make_double4(a.x, a.y, b.x, b.y);
}
DRYWARP_DEVICE float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float deviation) {
  const float4 x = curand_normal4(state);
  return make_float4(expf(mean + deviation * x.x), expf(mean + deviation * x.y), expf(mean + deviation * x.z),
                     expf(mean + deviation * x.w));
}
DRYWARP_DEVICE double4 curand_log_normal4_double(curandStatePhilox4_32_10_t* state, double mean, double deviation) {
  const double4 x = curand_normal4_double(state);
  return make_double4(exp(mean + deviation * x.x), exp(mean + deviation * x.y), exp(mean + deviation * x.z),
                      exp(mean + deviation * x.w));
}

#endif
