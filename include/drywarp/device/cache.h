// Loads and stores with a cache operator, and __ldg for the types that the compiler's header lacks.
#ifndef DRYWARP_DEVICE_CACHE_H
#define DRYWARP_DEVICE_CACHE_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"
#include "drywarp/device/synchronization.h"

#define DRYWARP_LOAD1(name, op, type, carrier, ptx, constraint) \
  DRYWARP_DEVICE type name(const type* p) {                     \
    carrier r;                                                  \
    asm volatile("ld.global" op "." ptx " %0, [%1];"            \
                 : "=" constraint(r)                            \
                 : "l"(__cvta_generic_to_global(p))             \
                 : "memory");                                   \
    return static_cast<type>(r);                                \
  }
#define DRYWARP_LOAD2(name, op, type, carrier, ptx, constraint) \
  DRYWARP_DEVICE type name(const type* p) {                     \
    carrier x, y;                                               \
    asm volatile("ld.global" op ".v2." ptx " {%0, %1}, [%2];"   \
                 : "=" constraint(x), "=" constraint(y)         \
                 : "l"(__cvta_generic_to_global(p))             \
                 : "memory");                                   \
    type r;                                                     \
    r.x = x;                                                    \
    r.y = y;                                                    \
    return r;                                                   \
  }
#define DRYWARP_LOAD4(name, op, type, carrier, ptx, constraint)                               \
  DRYWARP_DEVICE type name(const type* p) {                                                   \
    carrier x, y, z, w;                                                                       \
    asm volatile("ld.global" op ".v4." ptx " {%0, %1, %2, %3}, [%4];"                         \
                 : "=" constraint(x), "=" constraint(y), "=" constraint(z), "=" constraint(w) \
                 : "l"(__cvta_generic_to_global(p))                                           \
                 : "memory");                                                                 \
    type r;                                                                                   \
    r.x = x;                                                                                  \
    r.y = y;                                                                                  \
    r.z = z;                                                                                  \
    r.w = w;                                                                                  \
    return r;                                                                                 \
  }
#define DRYWARP_STORE1(name, op, type, carrier, ptx, constraint)                         \
  DRYWARP_DEVICE void name(type* p, type v) {                                            \
    asm volatile("st.global" op "." ptx " [%0], %1;"                                     \
                 :                                                                       \
                 : "l"(__cvta_generic_to_global(p)), constraint(static_cast<carrier>(v)) \
                 : "memory");                                                            \
  }
#define DRYWARP_STORE2(name, op, type, carrier, ptx, constraint)                            \
  DRYWARP_DEVICE void name(type* p, type v) {                                               \
    asm volatile("st.global" op ".v2." ptx " [%0], {%1, %2};"                               \
                 :                                                                          \
                 : "l"(__cvta_generic_to_global(p)), constraint(static_cast<carrier>(v.x)), \
                   constraint(static_cast<carrier>(v.y))                                    \
                 : "memory");                                                               \
  }
#define DRYWARP_STORE4(name, op, type, carrier, ptx, constraint)                                 \
  DRYWARP_DEVICE void name(type* p, type v) {                                                    \
    asm volatile("st.global" op ".v4." ptx " [%0], {%1, %2, %3, %4};"                            \
                 :                                                                               \
                 : "l"(__cvta_generic_to_global(p)), constraint(static_cast<carrier>(v.x)),      \
                   constraint(static_cast<carrier>(v.y)), constraint(static_cast<carrier>(v.z)), \
                   constraint(static_cast<carrier>(v.w))                                         \
                 : "memory");                                                                    \
  }

// Every type: its register type (16 bits for bytes), its PTX type, its asm constraint.
#define DRYWARP_CACHED_TYPES(access, name, op)                                                                         \
  access##1(name, op, char, short, "s8", "h")access##1(name, op, signed char, short, "s8", "h")access##1(              \
      name, op, unsigned char, unsigned short, "u8",                                                                   \
      "h")access##1(name, op, short, short, "s16", "h")access##1(name, op, unsigned short, unsigned short, "u16",      \
                                                                 "h")access##1(name, op, int, int, "s32", "r")         \
      access##1(name, op, unsigned int, unsigned int, "u32", "r")access##1(name, op, long, long, "s64", "l")access##1( \
          name, op, unsigned long, unsigned long, "u64",                                                               \
          "l")access##1(name, op, long long, long long, "s64",                                                         \
                        "l")access##1(name, op, unsigned long long, unsigned long long, "u64",                         \
                                      "l")access##1(name, op, float, float, "f32", "f")access##1(name, op, double,     \
                                                                                                 double, "f64", "d")   \
          access##2(name, op, char2, short, "s8", "h")access##2(name, op, uchar2, unsigned short, "u8", "h")access##2( \
              name, op, short2, short, "s16", "h")access##2(name, op, ushort2, unsigned short, "u16", "h")             \
              access##2(name, op, int2, int, "s32", "r")access##2(name, op, uint2, unsigned int, "u32", "r")access##2( \
                  name, op, longlong2, long long, "s64", "l")access##2(name, op, ulonglong2, unsigned long long,       \
                                                                       "u64", "l")access##2(name, op, float2, float,   \
                                                                                            "f32", "f")                \
                  access##2(name, op, double2, double, "f64", "d")access##4(                                           \
                      name, op, char4, short, "s8", "h")access##4(name, op, uchar4, unsigned short, "u8",              \
                                                                  "h")access##4(name, op, short4, short, "s16", "h")   \
                      access##4(name, op, ushort4, unsigned short, "u16", "h")access##4(                               \
                          name, op, int4, int, "s32", "r")access##4(name, op, uint4, unsigned int, "u32",              \
                                                                    "r")access##4(name, op, float4, float, "f32", "f")

DRYWARP_CACHED_TYPES(DRYWARP_LOAD, __ldca, ".ca")
DRYWARP_CACHED_TYPES(DRYWARP_LOAD, __ldcg, ".cg")
DRYWARP_CACHED_TYPES(DRYWARP_LOAD, __ldcs, ".cs")
DRYWARP_CACHED_TYPES(DRYWARP_LOAD, __ldlu, ".lu")
DRYWARP_CACHED_TYPES(DRYWARP_LOAD, __ldcv, ".cv")
DRYWARP_CACHED_TYPES(DRYWARP_STORE, __stwb, ".wb")
DRYWARP_CACHED_TYPES(DRYWARP_STORE, __stcg, ".cg")
DRYWARP_CACHED_TYPES(DRYWARP_STORE, __stcs, ".cs")
DRYWARP_CACHED_TYPES(DRYWARP_STORE, __stwt, ".wt")

#undef DRYWARP_CACHED_TYPES
#undef DRYWARP_LOAD1
#undef DRYWARP_LOAD2
#undef DRYWARP_LOAD4
#undef DRYWARP_STORE1
#undef DRYWARP_STORE2
#undef DRYWARP_STORE4

#endif
