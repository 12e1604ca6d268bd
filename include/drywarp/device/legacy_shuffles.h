// Shuffles without a mask, as before Volta: among the active threads.
#ifndef DRYWARP_DEVICE_LEGACY_SHUFFLES_H
#define DRYWARP_DEVICE_LEGACY_SHUFFLES_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"

template <class T>
DRYWARP_DEVICE T __shfl(T value, int lane, int width = 32) {
  return __shfl_sync(__activemask(), value, lane, width);
}
template <class T>
DRYWARP_DEVICE T __shfl_up(T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(__activemask(), value, delta, width);
}
template <class T>
DRYWARP_DEVICE T __shfl_down(T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(__activemask(), value, delta, width);
}
template <class T>
DRYWARP_DEVICE T __shfl_xor(T value, int lane_mask, int width = 32) {
  return __shfl_xor_sync(__activemask(), value, lane_mask, width);
}

#endif
