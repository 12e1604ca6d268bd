// __nv_atomic_*: atomic functions that name a memory order and a thread scope (CUDA C++ Programming Guide 12.8,
// "Built-in atomic functions"), over the compiler's atomics, which become atomic instructions. Orders are at least as
// strong as requested: all but relaxed operations are fenced.
#ifndef DRYWARP_DEVICE_SCOPED_ATOMICS_H
#define DRYWARP_DEVICE_SCOPED_ATOMICS_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"
#include "drywarp/device/synchronization.h"

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

DRYWARP_DEVICE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD) return;
  if (scope == __NV_THREAD_SCOPE_BLOCK)
    __threadfence_block();
  else if (scope == __NV_THREAD_SCOPE_SYSTEM)
    __threadfence_system();
  else
    __threadfence();
}

#define DRYWARP_ORDER int order, int scope = __NV_THREAD_SCOPE_SYSTEM
template <class T>
DRYWARP_DEVICE void __nv_atomic_load(const T* address, T* value, DRYWARP_ORDER) {
  if (order == __NV_ATOMIC_SEQ_CST) __nv_atomic_thread_fence(order, scope);
  __atomic_load(const_cast<T*>(address), value, __ATOMIC_RELAXED);
  __nv_atomic_thread_fence(order, scope);
}
template <class T>
DRYWARP_DEVICE T __nv_atomic_load_n(const T* address, DRYWARP_ORDER) {
  T value;
  __nv_atomic_load(address, &value, order, scope);
  return value;
}
template <class T>
DRYWARP_DEVICE void __nv_atomic_store(T* address, T* value, DRYWARP_ORDER) {
  __nv_atomic_thread_fence(order, scope);
  __atomic_store(address, value, __ATOMIC_RELAXED);
}
template <class T, class Value>
DRYWARP_DEVICE void __nv_atomic_store_n(T* address, Value value, DRYWARP_ORDER) {
  T converted = static_cast<T>(value);
  __nv_atomic_store(address, &converted, order, scope);
}
template <class T>
DRYWARP_DEVICE void __nv_atomic_exchange(T* address, T* value, T* before, DRYWARP_ORDER) {
  __nv_atomic_thread_fence(order, scope);
  __atomic_exchange(address, value, before, __ATOMIC_RELAXED);
  __nv_atomic_thread_fence(order, scope);
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
  const int order = success > failure ? success : failure;
  __nv_atomic_thread_fence(order, scope);
  const bool done = __atomic_compare_exchange(address, expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  __nv_atomic_thread_fence(order, scope);
  return done;
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
    __nv_atomic_thread_fence(order, scope);                                             \
    T before = __atomic_fetch_##name(address, static_cast<T>(value), __ATOMIC_RELAXED); \
    __nv_atomic_thread_fence(order, scope);                                             \
    return before;                                                                      \
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
