// Box and Muller's pair of normal numbers, of u in (0, 1] and an angle, for every generator.
#ifndef DRYWARP_RANDOM_BOX_MULLER_H
#define DRYWARP_RANDOM_BOX_MULLER_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"

// `angle` in radians.
DRYWARP_DEVICE float2 __drywarp_normal_pair(float u, float angle) {
  const float s = sqrtf(-2.0f * logf(u));
  float2 result;
  __sincosf(angle, &result.x, &result.y);
  result.x *= s;
  result.y *= s;
  return result;
}
// `angle` in half turns.
DRYWARP_DEVICE double2 __drywarp_normal_pair(double u, double angle) {
  const double s = sqrt(-2.0 * log(u));
  double2 result;
  sincospi(angle, &result.x, &result.y);
  result.x *= s;
  result.y *= s;
  return result;
}

#endif
