// Atomic functions of 16, 32, 64 and 128 bits in the three scopes: device (no suffix), block and system.
#ifndef DRYWARP_DEVICE_ATOMICS_H
#define DRYWARP_DEVICE_ATOMICS_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"
#include "drywarp/device/synchronization.h"

// One function: the builtin works on `carrier`, of the same size as `type`.
#define DRYWARP_ATOMIC(name, type, carrier, builtin)                                                     \
  DRYWARP_DEVICE type name(type* address, type value) {                                                  \
    return static_cast<type>(builtin(reinterpret_cast<carrier*>(address), static_cast<carrier>(value))); \
  }
#define DRYWARP_ATOMIC_SCOPES(name, type, carrier, operation)              \
  DRYWARP_ATOMIC(name, type, carrier, __nvvm_atom_##operation)             \
  DRYWARP_ATOMIC(name##_block, type, carrier, __nvvm_atom_cta_##operation) \
  DRYWARP_ATOMIC(name##_system, type, carrier, __nvvm_atom_sys_##operation)

typedef unsigned int __drywarp_uint;
typedef unsigned long long __drywarp_ull;

DRYWARP_ATOMIC_SCOPES(atomicAdd, int, int, add_gen_i)
DRYWARP_ATOMIC_SCOPES(atomicAdd, __drywarp_uint, int, add_gen_i)
DRYWARP_ATOMIC_SCOPES(atomicAdd, __drywarp_ull, long long, add_gen_ll)
DRYWARP_ATOMIC_SCOPES(atomicAdd, float, float, add_gen_f)
DRYWARP_ATOMIC_SCOPES(atomicAdd, double, double, add_gen_d)
DRYWARP_ATOMIC_SCOPES(atomicExch, int, int, xchg_gen_i)
DRYWARP_ATOMIC_SCOPES(atomicExch, __drywarp_uint, int, xchg_gen_i)
DRYWARP_ATOMIC_SCOPES(atomicExch, __drywarp_ull, long long, xchg_gen_ll)
DRYWARP_ATOMIC_SCOPES(atomicMin, int, int, min_gen_i)
DRYWARP_ATOMIC_SCOPES(atomicMin, __drywarp_uint, unsigned, min_gen_ui)
DRYWARP_ATOMIC_SCOPES(atomicMin, long long, long long, min_gen_ll)
DRYWARP_ATOMIC_SCOPES(atomicMin, __drywarp_ull, unsigned long long, min_gen_ull)
DRYWARP_ATOMIC_SCOPES(atomicMax, int, int, max_gen_i)
DRYWARP_ATOMIC_SCOPES(atomicMax, __drywarp_uint, unsigned, max_gen_ui)
DRYWARP_ATOMIC_SCOPES(atomicMax, long long, long long, max_gen_ll)
DRYWARP_ATOMIC_SCOPES(atomicMax, __drywarp_ull, unsigned long long, max_gen_ull)
DRYWARP_ATOMIC_SCOPES(atomicInc, __drywarp_uint, unsigned, inc_gen_ui)
DRYWARP_ATOMIC_SCOPES(atomicDec, __drywarp_uint, unsigned, dec_gen_ui)
#define DRYWARP_ATOMIC_BITS(name, operation)                            \
  DRYWARP_ATOMIC_SCOPES(name, int, int, operation##_gen_i)              \
  DRYWARP_ATOMIC_SCOPES(name, __drywarp_uint, int, operation##_gen_i)   \
  DRYWARP_ATOMIC_SCOPES(name, long long, long long, operation##_gen_ll) \
  DRYWARP_ATOMIC_SCOPES(name, __drywarp_ull, long long, operation##_gen_ll)
DRYWARP_ATOMIC_BITS(atomicAnd, and)
DRYWARP_ATOMIC_BITS(atomicOr, or)
DRYWARP_ATOMIC_BITS(atomicXor, xor)
#undef DRYWARP_ATOMIC_BITS
#undef DRYWARP_ATOMIC_SCOPES
#undef DRYWARP_ATOMIC

// Subtraction is the addition of the negated value, as nvcc compiles it; float exchange moves bits.
#define DRYWARP_ATOMIC_DERIVED(suffix)                                                                         \
  DRYWARP_DEVICE int atomicSub##suffix(int* address, int value) {                                              \
    return atomicAdd##suffix(address, static_cast<int>(0u - static_cast<unsigned>(value)));                    \
  }                                                                                                            \
  DRYWARP_DEVICE unsigned atomicSub##suffix(unsigned* address, unsigned value) {                               \
    return atomicAdd##suffix(address, 0u - value);                                                             \
  }                                                                                                            \
  DRYWARP_DEVICE float atomicExch##suffix(float* address, float value) {                                       \
    return __nvvm_bitcast_i2f(atomicExch##suffix(reinterpret_cast<int*>(address), __nvvm_bitcast_f2i(value))); \
  }
DRYWARP_ATOMIC_DERIVED()
DRYWARP_ATOMIC_DERIVED(_block)
DRYWARP_ATOMIC_DERIVED(_system)
#undef DRYWARP_ATOMIC_DERIVED

#define DRYWARP_CAS(name, type, carrier, builtin)                                                                  \
  DRYWARP_DEVICE type name(type* address, type compare, type value) {                                              \
    return static_cast<type>(                                                                                      \
        builtin(reinterpret_cast<carrier*>(address), static_cast<carrier>(compare), static_cast<carrier>(value))); \
  }
#define DRYWARP_CAS_SCOPES(suffix, scope, dot)                                                     \
  DRYWARP_CAS(atomicCAS##suffix, int, int, __nvvm_atom_##scope##cas_gen_i)                         \
  DRYWARP_CAS(atomicCAS##suffix, unsigned, int, __nvvm_atom_##scope##cas_gen_i)                    \
  DRYWARP_CAS(atomicCAS##suffix, unsigned long long, long long, __nvvm_atom_##scope##cas_gen_ll)   \
  DRYWARP_DEVICE unsigned short atomicCAS##suffix(unsigned short* address, unsigned short compare, \
                                                  unsigned short value) {                          \
    unsigned short r;                                                                              \
    asm volatile("atom" dot ".cas.b16 %0, [%1], %2, %3;"                                           \
                 : "=h"(r)                                                                         \
                 : "l"(address), "h"(compare), "h"(value)                                          \
                 : "memory");                                                                      \
    return r;                                                                                      \
  }
DRYWARP_CAS_SCOPES(, , "")
DRYWARP_CAS_SCOPES(_block, cta_, ".cta")
DRYWARP_CAS_SCOPES(_system, sys_, ".sys")
#undef DRYWARP_CAS_SCOPES
#undef DRYWARP_CAS

// Vectors of floats in global memory (compute capability 9.0).
#define DRYWARP_ATOMIC_VECTOR(suffix, dot)                                                                        \
  DRYWARP_DEVICE float2 atomicAdd##suffix(float2* address, float2 value) {                                        \
    float2 r;                                                                                                     \
    asm volatile("atom" dot ".global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"                                        \
                 : "=f"(r.x), "=f"(r.y)                                                                           \
                 : "l"(__cvta_generic_to_global(address)), "f"(value.x), "f"(value.y)                             \
                 : "memory");                                                                                     \
    return r;                                                                                                     \
  }                                                                                                               \
  DRYWARP_DEVICE float4 atomicAdd##suffix(float4* address, float4 value) {                                        \
    float4 r;                                                                                                     \
    asm volatile("atom" dot ".global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"                        \
                 : "=f"(r.x), "=f"(r.y), "=f"(r.z), "=f"(r.w)                                                     \
                 : "l"(__cvta_generic_to_global(address)), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w) \
                 : "memory");                                                                                     \
    return r;                                                                                                     \
  }
DRYWARP_ATOMIC_VECTOR(, "")
DRYWARP_ATOMIC_VECTOR(_block, ".cta")
DRYWARP_ATOMIC_VECTOR(_system, ".sys")
#undef DRYWARP_ATOMIC_VECTOR

#endif
