// Loads, stores, atomics and fences with a memory order and a scope: the instructions that nvcc and libcu++ make of
// them. They are inline PTX, because clang 19 drops the scope of its own atomics; addresses are generic, as libcu++'s.
// Orders and scopes have the numbers of __NV_ATOMIC_* and __NV_THREAD_SCOPE_*; std::memory_order's are the same.
#ifndef DRYWARP_DEVICE_SCOPED_OPERATIONS_H
#define DRYWARP_DEVICE_SCOPED_OPERATIONS_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"

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

// The instruction `before` + order + scope + `after`, with its operands. The narrowest scope is a block's.
#define DRYWARP_IN_SCOPE(before, order_text, after, ...)                          \
  do {                                                                            \
    if (scope == __NV_THREAD_SCOPE_SYSTEM)                                        \
      asm volatile(before order_text ".sys" after : __VA_ARGS__ : "memory");      \
    else if (scope == __NV_THREAD_SCOPE_DEVICE)                                   \
      asm volatile(before order_text ".gpu" after : __VA_ARGS__ : "memory");      \
    else if (scope == __NV_THREAD_SCOPE_CLUSTER)                                  \
      asm volatile(before order_text ".cluster" after : __VA_ARGS__ : "memory");  \
    else                                                                          \
      asm volatile(before order_text ".cta" after : __VA_ARGS__ : "memory");      \
  } while (0)
// A read-modify-write. A sequentially consistent operation is one that acquires, behind a fence.
#define DRYWARP_UPDATE(after, ...)                         \
  do {                                                     \
    __drywarp_begin(order, scope);                         \
    if (order == __NV_ATOMIC_RELAXED)                      \
      DRYWARP_IN_SCOPE("atom", ".relaxed", after, __VA_ARGS__); \
    else if (order == __NV_ATOMIC_RELEASE)                 \
      DRYWARP_IN_SCOPE("atom", ".release", after, __VA_ARGS__); \
    else if (order == __NV_ATOMIC_ACQ_REL)                 \
      DRYWARP_IN_SCOPE("atom", ".acq_rel", after, __VA_ARGS__); \
    else                                                   \
      DRYWARP_IN_SCOPE("atom", ".acquire", after, __VA_ARGS__); \
  } while (0)

DRYWARP_DEVICE void __drywarp_begin(int order, int scope) {
  if (order == __NV_ATOMIC_SEQ_CST) DRYWARP_IN_SCOPE("fence", ".sc", ";", : );
}
DRYWARP_DEVICE void __drywarp_fence(int order, int scope) {
  if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD) return;
  __drywarp_begin(order, scope);
  if (order != __NV_ATOMIC_SEQ_CST) DRYWARP_IN_SCOPE("fence", ".acq_rel", ";", : );
}

#define DRYWARP_PLAIN(type, bits, letter, Register)                                                             \
  DRYWARP_DEVICE type __drywarp_load(const type* address, int order, int scope) {                     \
    Register value;                                                                                       \
    __drywarp_begin(order, scope);                                                                    \
    if (order == __NV_ATOMIC_RELAXED)                                                                 \
      DRYWARP_IN_SCOPE("ld", ".relaxed", bits " %0, [%1];", "=" letter(value) : "l"(address));        \
    else                                                                                              \
      DRYWARP_IN_SCOPE("ld", ".acquire", bits " %0, [%1];", "=" letter(value) : "l"(address));        \
    return static_cast<type>(value);                                                                                     \
  }                                                                                                   \
  DRYWARP_DEVICE void __drywarp_store(type* address, type value, int order, int scope) {              \
    __drywarp_begin(order, scope);                                                                    \
    if (order == __NV_ATOMIC_RELAXED || order == __NV_ATOMIC_SEQ_CST)                                 \
      DRYWARP_IN_SCOPE("st", ".relaxed", bits " [%0], %1;", : "l"(address), letter(static_cast<Register>(value)));           \
    else                                                                                              \
      DRYWARP_IN_SCOPE("st", ".release", bits " [%0], %1;", : "l"(address), letter(static_cast<Register>(value)));           \
  }
#define DRYWARP_SWAP(type, bits, letter)                                                                    \
  DRYWARP_DEVICE type __drywarp_exchange(type* address, type value, int order, int scope) {                 \
    type before;                                                                                            \
    DRYWARP_UPDATE(".exch" bits " %0, [%1], %2;", "=" letter(before) : "l"(address), letter(value));        \
    return before;                                                                                          \
  }                                                                                                         \
  DRYWARP_DEVICE type __drywarp_swap(type* address, type expected, type value, int order, int scope) {      \
    type before;                                                                                            \
    DRYWARP_UPDATE(".cas" bits " %0, [%1], %2, %3;",                                                        \
                   "=" letter(before) : "l"(address), letter(expected), letter(value));                     \
    return before;                                                                                          \
  }
#define DRYWARP_FETCH(name, type, text, letter)                                                             \
  DRYWARP_DEVICE type __drywarp_fetch_##name(type* address, type value, int order, int scope) {             \
    type before;                                                                                            \
    DRYWARP_UPDATE(text " %0, [%1], %2;", "=" letter(before) : "l"(address), letter(value));                \
    return before;                                                                                          \
  }
typedef unsigned long long __drywarp_word64;
DRYWARP_PLAIN(unsigned char, ".u8", "r", unsigned)
DRYWARP_PLAIN(unsigned short, ".u16", "h", unsigned short)
DRYWARP_PLAIN(unsigned, ".b32", "r", unsigned)
DRYWARP_PLAIN(__drywarp_word64, ".b64", "l", __drywarp_word64)
DRYWARP_SWAP(unsigned, ".b32", "r")
DRYWARP_SWAP(__drywarp_word64, ".b64", "l")
DRYWARP_FETCH(add, int, ".add.s32", "r")
DRYWARP_FETCH(add, unsigned, ".add.u32", "r")
DRYWARP_FETCH(add, __drywarp_word64, ".add.u64", "l")
DRYWARP_FETCH(add, float, ".add.f32", "f")
DRYWARP_FETCH(add, double, ".add.f64", "d")
DRYWARP_FETCH(and, unsigned, ".and.b32", "r")
DRYWARP_FETCH(and, __drywarp_word64, ".and.b64", "l")
DRYWARP_FETCH(or, unsigned, ".or.b32", "r")
DRYWARP_FETCH(or, __drywarp_word64, ".or.b64", "l")
DRYWARP_FETCH(xor, unsigned, ".xor.b32", "r")
DRYWARP_FETCH(xor, __drywarp_word64, ".xor.b64", "l")
DRYWARP_FETCH(min, int, ".min.s32", "r")
DRYWARP_FETCH(min, unsigned, ".min.u32", "r")
DRYWARP_FETCH(min, long long, ".min.s64", "l")
DRYWARP_FETCH(min, __drywarp_word64, ".min.u64", "l")
DRYWARP_FETCH(max, int, ".max.s32", "r")
DRYWARP_FETCH(max, unsigned, ".max.u32", "r")
DRYWARP_FETCH(max, long long, ".max.s64", "l")
DRYWARP_FETCH(max, __drywarp_word64, ".max.u64", "l")
#undef DRYWARP_FETCH
#undef DRYWARP_SWAP
#undef DRYWARP_PLAIN
#undef DRYWARP_UPDATE
#undef DRYWARP_IN_SCOPE

#endif
