// SIMD within a word: two 16-bit or four 8-bit lanes in 32 bits. Since Maxwell the hardware has no such instructions
// except vabsdiff4, so these are integer sequences, as in CUDA.
#ifndef DRYWARP_DEVICE_SIMD_H
#define DRYWARP_DEVICE_SIMD_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"

// The top bit of every lane.
#define DRYWARP_TOP2 0x80008000u
#define DRYWARP_TOP4 0x80808080u

// Copies a lane's top bit to the whole lane.
DRYWARP_DEVICE unsigned __drywarp_spread2(unsigned top) { return __nvvm_prmt(top, 0u, 0xbb99u); }
DRYWARP_DEVICE unsigned __drywarp_spread4(unsigned top) { return __nvvm_prmt(top, 0u, 0xba98u); }

#define DRYWARP_SIMD(n, top)                                                                                           \
  /* Addition without carries between lanes: the top bits are added by exclusive or. */                                \
  DRYWARP_DEVICE unsigned __vadd##n(unsigned a, unsigned b) { return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top); }    \
  DRYWARP_DEVICE unsigned __vsub##n(unsigned a, unsigned b) { return ((a | top) - (b & ~top)) ^ ((a ^ ~b) & top); }    \
  DRYWARP_DEVICE unsigned __vneg##n(unsigned a) { return __vsub##n(0u, a); }                                           \
  /* Comparisons: the top bit of each lane is set if a < b, from the borrow of a - b. */                               \
  DRYWARP_DEVICE unsigned __drywarp_ltu##n(unsigned a, unsigned b) {                                                   \
    return ((~a & b) | ((~a | b) & __vsub##n(a, b))) & top;                                                            \
  }                                                                                                                    \
  DRYWARP_DEVICE unsigned __drywarp_lts##n(unsigned a, unsigned b) { return __drywarp_ltu##n(a ^ top, b ^ top); }      \
  DRYWARP_DEVICE unsigned __drywarp_ne##n(unsigned a, unsigned b) {                                                    \
    unsigned d = a ^ b;                                                                                                \
    return (((d & ~top) + ~top) | d) & top;                                                                            \
  }                                                                                                                    \
  DRYWARP_DEVICE unsigned __vcmpltu##n(unsigned a, unsigned b) { return __drywarp_spread##n(__drywarp_ltu##n(a, b)); } \
  DRYWARP_DEVICE unsigned __vcmplts##n(unsigned a, unsigned b) { return __drywarp_spread##n(__drywarp_lts##n(a, b)); } \
  DRYWARP_DEVICE unsigned __vcmpne##n(unsigned a, unsigned b) { return __drywarp_spread##n(__drywarp_ne##n(a, b)); }   \
  DRYWARP_DEVICE unsigned __vcmpeq##n(unsigned a, unsigned b) { return ~__vcmpne##n(a, b); }                           \
  DRYWARP_DEVICE unsigned __vcmpgtu##n(unsigned a, unsigned b) { return __vcmpltu##n(b, a); }                          \
  DRYWARP_DEVICE unsigned __vcmpgts##n(unsigned a, unsigned b) { return __vcmplts##n(b, a); }                          \
  DRYWARP_DEVICE unsigned __vcmpgeu##n(unsigned a, unsigned b) { return ~__vcmpltu##n(a, b); }                         \
  DRYWARP_DEVICE unsigned __vcmpges##n(unsigned a, unsigned b) { return ~__vcmplts##n(a, b); }                         \
  DRYWARP_DEVICE unsigned __vcmpleu##n(unsigned a, unsigned b) { return ~__vcmpltu##n(b, a); }                         \
  DRYWARP_DEVICE unsigned __vcmples##n(unsigned a, unsigned b) { return ~__vcmplts##n(b, a); }                         \
  DRYWARP_DEVICE unsigned __drywarp_pick##n(unsigned mask, unsigned a, unsigned b) {                                   \
    return (a & mask) | (b & ~mask);                                                                                   \
  }                                                                                                                    \
  DRYWARP_DEVICE unsigned __vminu##n(unsigned a, unsigned b) { return __drywarp_pick##n(__vcmpltu##n(a, b), a, b); }   \
  DRYWARP_DEVICE unsigned __vmins##n(unsigned a, unsigned b) { return __drywarp_pick##n(__vcmplts##n(a, b), a, b); }   \
  DRYWARP_DEVICE unsigned __vmaxu##n(unsigned a, unsigned b) { return __drywarp_pick##n(__vcmpltu##n(a, b), b, a); }   \
  DRYWARP_DEVICE unsigned __vmaxs##n(unsigned a, unsigned b) { return __drywarp_pick##n(__vcmplts##n(a, b), b, a); }   \
  DRYWARP_DEVICE unsigned __vabsdiffu##n(unsigned a, unsigned b) {                                                     \
    return __vsub##n(__vmaxu##n(a, b), __vminu##n(a, b));                                                              \
  }                                                                                                                    \
  DRYWARP_DEVICE unsigned __vabsdiffs##n(unsigned a, unsigned b) {                                                     \
    return __vsub##n(__vmaxs##n(a, b), __vmins##n(a, b));                                                              \
  }                                                                                                                    \
  DRYWARP_DEVICE unsigned __vabs##n(unsigned a) {                                                                      \
    unsigned negative = __drywarp_spread##n(a & top);                                                                  \
    return __vsub##n(a ^ negative, negative);                                                                          \
  }                                                                                                                    \
  /* Saturation: an overflow keeps the sign of the first operand and fills the rest. */                                \
  DRYWARP_DEVICE unsigned __drywarp_saturate##n(unsigned r, unsigned overflow, unsigned a) {                           \
    unsigned limit = __drywarp_spread##n(a & top) ^ ~top;                                                              \
    return __drywarp_pick##n(__drywarp_spread##n(overflow & top), limit, r);                                           \
  }                                                                                                                    \
  DRYWARP_DEVICE unsigned __vaddss##n(unsigned a, unsigned b) {                                                        \
    unsigned r = __vadd##n(a, b);                                                                                      \
    return __drywarp_saturate##n(r, ~(a ^ b) & (a ^ r), a);                                                            \
  }                                                                                                                    \
  DRYWARP_DEVICE unsigned __vsubss##n(unsigned a, unsigned b) {                                                        \
    unsigned r = __vsub##n(a, b);                                                                                      \
    return __drywarp_saturate##n(r, (a ^ b) & (a ^ r), a);                                                             \
  }                                                                                                                    \
  DRYWARP_DEVICE unsigned __vnegss##n(unsigned a) { return __vsubss##n(0u, a); }                                       \
  DRYWARP_DEVICE unsigned __vabsss##n(unsigned a) {                                                                    \
    return __drywarp_pick##n(__drywarp_spread##n(a & top), __vnegss##n(a), a);                                         \
  }                                                                                                                    \
  DRYWARP_DEVICE unsigned __vaddus##n(unsigned a, unsigned b) {                                                        \
    unsigned r = __vadd##n(a, b);                                                                                      \
    return r | __vcmpltu##n(r, a);                                                                                     \
  }                                                                                                                    \
  DRYWARP_DEVICE unsigned __vsubus##n(unsigned a, unsigned b) { return __vsub##n(a, b) & ~__vcmpltu##n(a, b); }        \
  /* Averages in the lane's width: rounded up, or down for vhaddu. */                                                  \
  DRYWARP_DEVICE unsigned __vavgu##n(unsigned a, unsigned b) { return __vsub##n(a | b, ((a ^ b) >> 1) & ~top); }       \
  DRYWARP_DEVICE unsigned __vavgs##n(unsigned a, unsigned b) { return __vavgu##n(a ^ top, b ^ top) ^ top; }            \
  DRYWARP_DEVICE unsigned __vhaddu##n(unsigned a, unsigned b) { return (a & b) + (((a ^ b) >> 1) & ~top); }
DRYWARP_SIMD(2, DRYWARP_TOP2)
DRYWARP_SIMD(4, DRYWARP_TOP4)
#undef DRYWARP_SIMD

// __vset*: 1 in each lane where __vcmp* sets all bits.
#define DRYWARP_SET(condition)                                           \
  DRYWARP_DEVICE unsigned __vset##condition##2(unsigned a, unsigned b) { \
    return __vcmp##condition##2(a, b) & 0x00010001u;                     \
  }                                                                      \
  DRYWARP_DEVICE unsigned __vset##condition##4(unsigned a, unsigned b) { \
    return __vcmp##condition##4(a, b) & 0x01010101u;                     \
  }
DRYWARP_SET(eq)
DRYWARP_SET(ne)
DRYWARP_SET(ltu)
DRYWARP_SET(lts)
DRYWARP_SET(leu)
DRYWARP_SET(les)
DRYWARP_SET(gtu)
DRYWARP_SET(gts)
DRYWARP_SET(geu)
DRYWARP_SET(ges)
#undef DRYWARP_SET

// Sums of absolute differences over the lanes.
DRYWARP_DEVICE unsigned __vsadu4(unsigned a, unsigned b) {
  unsigned r;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0u));
  return r;
}
DRYWARP_DEVICE unsigned __vsads4(unsigned a, unsigned b) {
  unsigned r;
  asm("vabsdiff4.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0u));
  return r;
}
DRYWARP_DEVICE unsigned __vsadu2(unsigned a, unsigned b) {
  unsigned d = __vabsdiffu2(a, b);
  return (d & 0xffffu) + (d >> 16);
}
DRYWARP_DEVICE unsigned __vsads2(unsigned a, unsigned b) {
  unsigned d = __vabsdiffs2(a, b);
  return (d & 0xffffu) + (d >> 16);
}

// CUDA 12's functions, also for the host: the minimum or maximum of two or three values, or of a sum and a third; at
// least zero for "relu"; for "vib", also which of the two it was (the first, if they are equal).
DRYWARP_BOTH int __drywarp_add(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
DRYWARP_BOTH unsigned __drywarp_add(unsigned a, unsigned b) { return a + b; }
DRYWARP_BOTH short __drywarp_add(short a, short b) { return (short)(a + b); }
DRYWARP_BOTH unsigned short __drywarp_add(unsigned short a, unsigned short b) { return (unsigned short)(a + b); }
DRYWARP_BOTH unsigned __drywarp_pair(unsigned low, unsigned high) { return (low & 0xffffu) | high << 16; }
#define DRYWARP_THREE(type, suffix)                                                                      \
  DRYWARP_BOTH type __drywarp_min_##suffix(type a, type b) { return a < b ? a : b; }                     \
  DRYWARP_BOTH type __drywarp_max_##suffix(type a, type b) { return a > b ? a : b; }                     \
  DRYWARP_BOTH type __vimin3_##suffix(type a, type b, type c) {                                          \
    return __drywarp_min_##suffix(__drywarp_min_##suffix(a, b), c);                                      \
  }                                                                                                      \
  DRYWARP_BOTH type __vimax3_##suffix(type a, type b, type c) {                                          \
    return __drywarp_max_##suffix(__drywarp_max_##suffix(a, b), c);                                      \
  }                                                                                                      \
  DRYWARP_BOTH type __viaddmin_##suffix(type a, type b, type c) {                                        \
    return __drywarp_min_##suffix(__drywarp_add(a, b), c);                                               \
  }                                                                                                      \
  DRYWARP_BOTH type __viaddmax_##suffix(type a, type b, type c) {                                        \
    return __drywarp_max_##suffix(__drywarp_add(a, b), c);                                               \
  }                                                                                                      \
  DRYWARP_BOTH type __vibmin_##suffix(type a, type b, bool* first) { return (*first = a <= b) ? a : b; } \
  DRYWARP_BOTH type __vibmax_##suffix(type a, type b, bool* first) { return (*first = a >= b) ? a : b; }
DRYWARP_THREE(int, s32)
DRYWARP_THREE(unsigned, u32)
DRYWARP_THREE(short, s16)
DRYWARP_THREE(unsigned short, u16)
#undef DRYWARP_THREE
#define DRYWARP_RELU(type, suffix)                                                                             \
  DRYWARP_BOTH type __vimin_##suffix##_relu(type a, type b) { return __vimax3_##suffix(a < b ? a : b, 0, 0); } \
  DRYWARP_BOTH type __vimax_##suffix##_relu(type a, type b) { return __vimax3_##suffix(a, b, 0); }             \
  DRYWARP_BOTH type __vimin3_##suffix##_relu(type a, type b, type c) {                                         \
    return __vimax3_##suffix(__vimin3_##suffix(a, b, c), 0, 0);                                                \
  }                                                                                                            \
  DRYWARP_BOTH type __vimax3_##suffix##_relu(type a, type b, type c) {                                         \
    return __vimax3_##suffix(__vimax3_##suffix(a, b, c), 0, 0);                                                \
  }                                                                                                            \
  DRYWARP_BOTH type __viaddmin_##suffix##_relu(type a, type b, type c) {                                       \
    return __vimax3_##suffix(__viaddmin_##suffix(a, b, c), 0, 0);                                              \
  }                                                                                                            \
  DRYWARP_BOTH type __viaddmax_##suffix##_relu(type a, type b, type c) {                                       \
    return __vimax3_##suffix(__viaddmax_##suffix(a, b, c), 0, 0);                                              \
  }
DRYWARP_RELU(int, s32)
DRYWARP_RELU(short, s16)
#undef DRYWARP_RELU
// The same on both halves of a word.
#define DRYWARP_HALVES2(name, suffix, type, ending)                                          \
  DRYWARP_BOTH unsigned name##suffix##x2##ending(unsigned a, unsigned b) {                   \
    return __drywarp_pair((unsigned)name##suffix##ending((type)a, (type)b),                  \
                          (unsigned)name##suffix##ending((type)(a >> 16), (type)(b >> 16))); \
  }
#define DRYWARP_HALVES3(name, suffix, type, ending)                                                           \
  DRYWARP_BOTH unsigned name##suffix##x2##ending(unsigned a, unsigned b, unsigned c) {                        \
    return __drywarp_pair((unsigned)name##suffix##ending((type)a, (type)b, (type)c),                          \
                          (unsigned)name##suffix##ending((type)(a >> 16), (type)(b >> 16), (type)(c >> 16))); \
  }
#define DRYWARP_HALVES_CHOICE(name, suffix, type)                                                     \
  DRYWARP_BOTH unsigned name##suffix##x2(unsigned a, unsigned b, bool* first_high, bool* first_low) { \
    const unsigned low = (unsigned)name##suffix((type)a, (type)b, first_low);                         \
    return __drywarp_pair(low, (unsigned)name##suffix((type)(a >> 16), (type)(b >> 16), first_high)); \
  }
DRYWARP_HALVES2(__vimin_, s16, short, _relu)
DRYWARP_HALVES2(__vimax_, s16, short, _relu)
#define DRYWARP_HALVES(name)                   \
  DRYWARP_HALVES3(name, s16, short, )          \
  DRYWARP_HALVES3(name, u16, unsigned short, ) \
  DRYWARP_HALVES3(name, s16, short, _relu)
DRYWARP_HALVES(__vimin3_)
DRYWARP_HALVES(__vimax3_)
DRYWARP_HALVES(__viaddmin_)
DRYWARP_HALVES(__viaddmax_)
DRYWARP_HALVES_CHOICE(__vibmin_, s16, short)
DRYWARP_HALVES_CHOICE(__vibmin_, u16, unsigned short)
DRYWARP_HALVES_CHOICE(__vibmax_, s16, short)
DRYWARP_HALVES_CHOICE(__vibmax_, u16, unsigned short)
#undef DRYWARP_HALVES
#undef DRYWARP_HALVES2
#undef DRYWARP_HALVES3
#undef DRYWARP_HALVES_CHOICE

#undef DRYWARP_TOP2
#undef DRYWARP_TOP4

#endif
