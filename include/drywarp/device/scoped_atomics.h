// __nv_atomic_*: atomic functions that name a memory order and a thread scope (CUDA C++ Programming Guide 12.8,
// "Built-in atomic functions").
#ifndef DRYWARP_DEVICE_SCOPED_ATOMICS_H
#define DRYWARP_DEVICE_SCOPED_ATOMICS_H
#pragma GCC system_header

#include "drywarp/device/scoped_values.h"

DRYWARP_DEVICE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __drywarp_fence(order, scope);
}

#define DRYWARP_ORDER int order, int scope = __NV_THREAD_SCOPE_SYSTEM
template <class T>
DRYWARP_DEVICE void __nv_atomic_load(const T* address, T* value, DRYWARP_ORDER) {
  *value = __drywarp_atomic_load(address, order, scope);
}
template <class T>
DRYWARP_DEVICE T __nv_atomic_load_n(const T* address, DRYWARP_ORDER) {
  T value;
  __nv_atomic_load(address, &value, order, scope);
  return value;
}
template <class T>
DRYWARP_DEVICE void __nv_atomic_store(T* address, T* value, DRYWARP_ORDER) {
  __drywarp_atomic_store(address, *value, order, scope);
}
template <class T, class Value>
DRYWARP_DEVICE void __nv_atomic_store_n(T* address, Value value, DRYWARP_ORDER) {
  T converted = static_cast<T>(value);
  __nv_atomic_store(address, &converted, order, scope);
}
template <class T>
DRYWARP_DEVICE void __nv_atomic_exchange(T* address, T* value, T* before, DRYWARP_ORDER) {
  *before = __drywarp_atomic_exchange(address, *value, order, scope);
}
template <class T, class Value>
DRYWARP_DEVICE T __nv_atomic_exchange_n(T* address, Value value, DRYWARP_ORDER) {
  T converted = static_cast<T>(value), before;
  __nv_atomic_exchange(address, &converted, &before, order, scope);
  return before;
}
template <class T>
DRYWARP_DEVICE bool __nv_atomic_compare_exchange(T* address, T* expected, T* desired, bool weak, int success,
                                                 int failure, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  const int order = success == __NV_ATOMIC_RELEASE && failure == __NV_ATOMIC_ACQUIRE ? __NV_ATOMIC_ACQ_REL
                    : success > failure                                              ? success
                                                                                     : failure;
  return __drywarp_atomic_compare_exchange(address, expected, *desired, order, scope);
}
template <class T, class Value>
DRYWARP_DEVICE bool __nv_atomic_compare_exchange_n(T* address, T* expected, Value desired, bool weak, int success,
                                                   int failure, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  T converted = static_cast<T>(desired);
  return __nv_atomic_compare_exchange(address, expected, &converted, weak, success, failure, scope);
}

#define DRYWARP_SCOPED(name)                                                            \
  template <class T, class Value>                                                           \
  DRYWARP_DEVICE T __nv_atomic_fetch_##name(T* address, Value value, DRYWARP_ORDER) {       \
    return __drywarp_atomic_fetch_##name(address, static_cast<T>(value), order, scope); \
  }                                                                                     \
  template <class T, class Value>                                                           \
  DRYWARP_DEVICE void __nv_atomic_##name(T* address, Value value, DRYWARP_ORDER) {          \
    __nv_atomic_fetch_##name(address, value, order, scope);                             \
  }
DRYWARP_SCOPED(add)
DRYWARP_SCOPED(sub)
DRYWARP_SCOPED(and)
DRYWARP_SCOPED(or)
DRYWARP_SCOPED(xor)
DRYWARP_SCOPED(min)
DRYWARP_SCOPED(max)
#undef DRYWARP_SCOPED
#undef DRYWARP_ORDER

#endif
