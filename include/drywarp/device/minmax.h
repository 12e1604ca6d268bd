// min and max over all arithmetic types in the global namespace, for host and device. The compiler's headers have the
// device forms for two ints.
#ifndef DRYWARP_DEVICE_MINMAX_H
#define DRYWARP_DEVICE_MINMAX_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"

static __host__ __inline__ int min(int a, int b) { return a < b ? a : b; }
static __host__ __inline__ int max(int a, int b) { return a > b ? a : b; }
static __host__ __inline__ unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
static __host__ __inline__ unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
static __host__ __inline__ long long llmin(long long a, long long b) { return a < b ? a : b; }
static __host__ __inline__ long long llmax(long long a, long long b) { return a > b ? a : b; }
static __host__ __inline__ unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
static __host__ __inline__ unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}

#define DRYWARP_MINMAX(result, left, right)                                                                   \
  DRYWARP_BOTH result min(left a, right b) {                                                                  \
    return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
  }                                                                                                           \
  DRYWARP_BOTH result max(left a, right b) {                                                                  \
    return static_cast<result>(a) > static_cast<result>(b) ? static_cast<result>(a) : static_cast<result>(b); \
  }
// For a signed and an unsigned type, C++'s conversion to unsigned applies.
#define DRYWARP_MINMAX_INTEGERS(type)                         \
  DRYWARP_MINMAX(unsigned type, unsigned type, unsigned type) \
  DRYWARP_MINMAX(unsigned type, unsigned type, type)          \
  DRYWARP_MINMAX(unsigned type, type, unsigned type)
DRYWARP_MINMAX_INTEGERS(int)
DRYWARP_MINMAX_INTEGERS(long)
DRYWARP_MINMAX_INTEGERS(long long)
DRYWARP_MINMAX(long, long, long)
DRYWARP_MINMAX(long long, long long, long long)
#undef DRYWARP_MINMAX_INTEGERS
#undef DRYWARP_MINMAX

// fmin and fmax instead of comparisons: of a NaN and a number, the result is the number.
#define DRYWARP_MINMAX_FLOATS(result, left, right, suffix)                          \
  DRYWARP_BOTH result min(left a, right b) { return __builtin_fmin##suffix(a, b); } \
  DRYWARP_BOTH result max(left a, right b) { return __builtin_fmax##suffix(a, b); }
DRYWARP_MINMAX_FLOATS(float, float, float, f)
DRYWARP_MINMAX_FLOATS(double, double, double, )
DRYWARP_MINMAX_FLOATS(double, float, double, )
DRYWARP_MINMAX_FLOATS(double, double, float, )
#undef DRYWARP_MINMAX_FLOATS

#endif
