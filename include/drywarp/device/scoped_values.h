// Scoped operations on values of any type of 1, 2, 4 or 8 bytes: what has no instruction is a loop of
// compare-and-swaps, and what is smaller than a word is swapped in its word.
#ifndef DRYWARP_DEVICE_SCOPED_VALUES_H
#define DRYWARP_DEVICE_SCOPED_VALUES_H
#pragma GCC system_header

#include "drywarp/device/scoped_operations.h"

// The words that carry a value's bits.
template <int Bytes>
struct __drywarp_carrier;
template <>
struct __drywarp_carrier<1> {
  typedef unsigned char type;
};
template <>
struct __drywarp_carrier<2> {
  typedef unsigned short type;
};
template <>
struct __drywarp_carrier<4> {
  typedef unsigned type;
};
template <>
struct __drywarp_carrier<8> {
  typedef __drywarp_word64 type;
};

// The type whose instructions do for T.
template <class T, int Integer = __is_integral(T) ? static_cast<int>(sizeof(T)) : 0, bool Signed = __is_signed(T)>
struct __drywarp_operand {
  typedef T type;
};
template <class T>
struct __drywarp_operand<T, 4, true> {
  typedef int type;
};
template <class T>
struct __drywarp_operand<T, 4, false> {
  typedef unsigned type;
};
template <class T>
struct __drywarp_operand<T, 8, true> {
  typedef long long type;
};
template <class T>
struct __drywarp_operand<T, 8, false> {
  typedef __drywarp_word64 type;
};

template <class To, class From>
DRYWARP_DEVICE To __drywarp_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "");
  To to;
  __builtin_memcpy(static_cast<void*>(&to), &from, sizeof(To));
  return to;
}

// Bytes in a word.
struct __drywarp_place {
  unsigned *word, shift, mask;
};
template <class T>
DRYWARP_DEVICE __drywarp_place __drywarp_place_of(T* address) {
  const __drywarp_word64 at = reinterpret_cast<__drywarp_word64>(address);
  const unsigned shift = static_cast<unsigned>(at & 3) * 8;
  return {reinterpret_cast<unsigned*>(at & ~3ull), shift, (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift};
}
// Loops of compare-and-swaps, as libcu++ has them: a sequentially consistent one is one that acquires, behind a fence.
// The word's other bytes are swapped for themselves.
DRYWARP_DEVICE int __drywarp_in_loop(int order, int scope) {
  __drywarp_begin(order, scope);
  return order == __NV_ATOMIC_SEQ_CST ? __NV_ATOMIC_ACQUIRE : order;
}
template <class T>
DRYWARP_DEVICE T __drywarp_swap_small(T* address, T expected, T value, int order, int scope) {
  const __drywarp_place at = __drywarp_place_of(address);
  const int each = __drywarp_in_loop(order, scope);
  unsigned seen = __drywarp_load(at.word, __NV_ATOMIC_RELAXED, scope);
  while ((seen & at.mask) == static_cast<unsigned>(expected) << at.shift) {
    const unsigned next = (seen & ~at.mask) | static_cast<unsigned>(value) << at.shift;
    const unsigned before = __drywarp_swap(at.word, seen, next, each, scope);
    if (before == seen) return expected;
    seen = before;
  }
  return static_cast<T>(seen >> at.shift);
}
// `become` gives the new value of an old one.
template <class T, class Become>
DRYWARP_DEVICE T __drywarp_update_small(T* address, int order, int scope, const Become& become) {
  const __drywarp_place at = __drywarp_place_of(address);
  const int each = __drywarp_in_loop(order, scope);
  unsigned seen = __drywarp_load(at.word, __NV_ATOMIC_RELAXED, scope);
  while (true) {
    const T value = become(static_cast<T>(seen >> at.shift));
    const unsigned next = (seen & ~at.mask) | (static_cast<unsigned>(value) << at.shift & at.mask);
    const unsigned before = __drywarp_swap(at.word, seen, next, each, scope);
    if (before == seen) return static_cast<T>(seen >> at.shift);
    seen = before;
  }
}
DRYWARP_DEVICE unsigned char __drywarp_swap(unsigned char* address, unsigned char expected, unsigned char value,
                                            int order, int scope) {
  return __drywarp_swap_small(address, expected, value, order, scope);
}
DRYWARP_DEVICE unsigned short __drywarp_swap(unsigned short* address, unsigned short expected, unsigned short value,
                                             int order, int scope) {
  return __drywarp_swap_small(address, expected, value, order, scope);
}
template <class T>
DRYWARP_DEVICE T __drywarp_exchange(T* address, T value, int order, int scope) {
  return __drywarp_update_small(address, order, scope, [value](T) { return value; });
}

template <class T>
DRYWARP_DEVICE T __drywarp_atomic_load(const T* address, int order, int scope) {
  typedef typename __drywarp_carrier<sizeof(T)>::type Carrier;
  return __drywarp_bits<T>(__drywarp_load(reinterpret_cast<const Carrier*>(address), order, scope));
}
template <class T>
DRYWARP_DEVICE void __drywarp_atomic_store(T* address, T value, int order, int scope) {
  typedef typename __drywarp_carrier<sizeof(T)>::type Carrier;
  __drywarp_store(reinterpret_cast<Carrier*>(address), __drywarp_bits<Carrier>(value), order, scope);
}
template <class T>
DRYWARP_DEVICE T __drywarp_atomic_exchange(T* address, T value, int order, int scope) {
  typedef typename __drywarp_carrier<sizeof(T)>::type Carrier;
  return __drywarp_bits<T>(
      __drywarp_exchange(reinterpret_cast<Carrier*>(address), __drywarp_bits<Carrier>(value), order, scope));
}
// `expected` becomes what was there.
template <class T>
DRYWARP_DEVICE bool __drywarp_atomic_compare_exchange(T* address, T* expected, T value, int order, int scope) {
  typedef typename __drywarp_carrier<sizeof(T)>::type Carrier;
  const Carrier wanted = __drywarp_bits<Carrier>(*expected);
  const Carrier before =
      __drywarp_swap(reinterpret_cast<Carrier*>(address), wanted, __drywarp_bits<Carrier>(value), order, scope);
  if (before == wanted) return true;
  *expected = __drywarp_bits<T>(before);
  return false;
}

// fetch_*: an instruction where there is one for the type, else a loop.
template <bool Small>
struct __drywarp_loop {
  template <class T, class Become>
  DRYWARP_DEVICE static T run(T* address, int order, int scope, const Become& become) {
    T before = __drywarp_atomic_load(address, __NV_ATOMIC_RELAXED, scope);
    while (!__drywarp_atomic_compare_exchange(address, &before, become(before), order, scope)) {
    }
    return before;
  }
};
template <>
struct __drywarp_loop<true> {
  template <class T, class Become>
  DRYWARP_DEVICE static T run(T* address, int order, int scope, const Become& become) {
    typedef typename __drywarp_carrier<sizeof(T)>::type Carrier;
    return __drywarp_bits<T>(__drywarp_update_small(
        reinterpret_cast<Carrier*>(address), order, scope,
        [&become](Carrier before) { return __drywarp_bits<Carrier>(become(__drywarp_bits<T>(before))); }));
  }
};
#define DRYWARP_FETCH(name, result)                                                                    \
  template <class T>                                                                                   \
  DRYWARP_DEVICE T __drywarp_fetch_##name(T* address, T value, int order, int scope) {                 \
    return __drywarp_loop<(sizeof(T) < 4)>::run(address, order, scope,                                 \
                                                [value](T before) { return static_cast<T>(result); }); \
  }                                                                                                    \
  template <class T>                                                                                   \
  DRYWARP_DEVICE T __drywarp_atomic_fetch_##name(T* address, T value, int order, int scope) {          \
    typedef typename __drywarp_operand<T>::type Operand;                                               \
    return static_cast<T>(                                                                             \
        __drywarp_fetch_##name(reinterpret_cast<Operand*>(address), static_cast<Operand>(value), order, scope)); \
  }
#define DRYWARP_UNSIGNED(name)                                                                                \
  DRYWARP_DEVICE int __drywarp_fetch_##name(int* address, int value, int order, int scope) {                  \
    return static_cast<int>(__drywarp_fetch_##name(reinterpret_cast<unsigned*>(address),                      \
                                                   static_cast<unsigned>(value), order, scope));              \
  }                                                                                                           \
  DRYWARP_WIDE_UNSIGNED(name)
#define DRYWARP_WIDE_UNSIGNED(name)                                                                           \
  DRYWARP_DEVICE long long __drywarp_fetch_##name(long long* address, long long value, int order, int scope) { \
    return static_cast<long long>(__drywarp_fetch_##name(reinterpret_cast<__drywarp_word64*>(address),        \
                                                         static_cast<__drywarp_word64>(value), order, scope)); \
  }
DRYWARP_WIDE_UNSIGNED(add)
DRYWARP_UNSIGNED(and)
DRYWARP_UNSIGNED(or)
DRYWARP_UNSIGNED(xor)
DRYWARP_FETCH(add, before + value)
DRYWARP_FETCH(and, before & value)
DRYWARP_FETCH(or, before | value)
DRYWARP_FETCH(xor, before ^ value)
DRYWARP_FETCH(min, value < before ? value : before)
DRYWARP_FETCH(max, before < value ? value : before)
#undef DRYWARP_WIDE_UNSIGNED
#undef DRYWARP_UNSIGNED
#undef DRYWARP_FETCH
template <class T>
DRYWARP_DEVICE T __drywarp_atomic_fetch_sub(T* address, T value, int order, int scope) {
  return __drywarp_atomic_fetch_add(address, static_cast<T>(T() - value), order, scope);
}

#endif
