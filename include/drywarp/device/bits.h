// Bit casts, integer intrinsics and dot products.
#ifndef DRYWARP_DEVICE_BITS_H
#define DRYWARP_DEVICE_BITS_H
#pragma GCC system_header

#include "drywarp/device/arithmetic.h"
#include "drywarp/device/specifiers.h"

DRYWARP_DEVICE int __float_as_int(float a) { return __nvvm_bitcast_f2i(a); }
DRYWARP_DEVICE unsigned __float_as_uint(float a) { return static_cast<unsigned>(__nvvm_bitcast_f2i(a)); }
DRYWARP_DEVICE float __int_as_float(int a) { return __nvvm_bitcast_i2f(a); }
DRYWARP_DEVICE float __uint_as_float(unsigned a) { return __nvvm_bitcast_i2f(static_cast<int>(a)); }
DRYWARP_DEVICE long long __double_as_longlong(double a) { return __nvvm_bitcast_d2ll(a); }
DRYWARP_DEVICE double __longlong_as_double(long long a) { return __nvvm_bitcast_ll2d(a); }
DRYWARP_DEVICE int __double2hiint(double a) { return __nvvm_d2i_hi(a); }
DRYWARP_DEVICE int __double2loint(double a) { return __nvvm_d2i_lo(a); }
DRYWARP_DEVICE double __hiloint2double(int hi, int lo) { return __nvvm_lohi_i2d(lo, hi); }

DRYWARP_DEVICE unsigned __brev(unsigned a) { return __builtin_bitreverse32(a); }
DRYWARP_DEVICE unsigned long long __brevll(unsigned long long a) { return __builtin_bitreverse64(a); }
DRYWARP_BOTH unsigned short __nv_bswap16(unsigned short a) { return __builtin_bswap16(a); }
DRYWARP_BOTH unsigned __nv_bswap32(unsigned a) { return __builtin_bswap32(a); }
DRYWARP_BOTH unsigned long long __nv_bswap64(unsigned long long a) { return __builtin_bswap64(a); }
DRYWARP_DEVICE int __clz(int a) { return __builtin_clzg(static_cast<unsigned>(a), 32); }
DRYWARP_DEVICE int __clzll(long long a) { return __builtin_clzg(static_cast<unsigned long long>(a), 64); }
DRYWARP_DEVICE int __popc(unsigned a) { return __builtin_popcount(a); }
DRYWARP_DEVICE int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
// The position of the lowest set bit, counted from 1; 0 if there is none: 32 minus the zeros above that bit.
DRYWARP_DEVICE int __ffs(int a) { return 32 - __clz(a & -static_cast<unsigned>(a)); }
DRYWARP_DEVICE int __ffsll(long long a) { return 64 - __clzll(a & -static_cast<unsigned long long>(a)); }
DRYWARP_DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  return __nvvm_prmt(a, b, selector & 0x7777u);
}

DRYWARP_DEVICE int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
DRYWARP_DEVICE unsigned __umulhi(unsigned a, unsigned b) { return __nvvm_mulhi_ui(a, b); }
DRYWARP_DEVICE long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
DRYWARP_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return __nvvm_mulhi_ull(a, b);
}
DRYWARP_DEVICE int mulhi(int a, int b) { return __mulhi(a, b); }
DRYWARP_DEVICE unsigned mulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
DRYWARP_DEVICE unsigned mulhi(int a, unsigned b) { return __umulhi(a, b); }
DRYWARP_DEVICE unsigned mulhi(unsigned a, int b) { return __umulhi(a, b); }
DRYWARP_DEVICE long long mul64hi(long long a, long long b) { return __mul64hi(a, b); }
DRYWARP_DEVICE unsigned long long mul64hi(unsigned long long a, unsigned long long b) { return __umul64hi(a, b); }
DRYWARP_DEVICE int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
DRYWARP_DEVICE unsigned __umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
DRYWARP_DEVICE int mul24(int a, int b) { return __mul24(a, b); }
DRYWARP_DEVICE unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }
DRYWARP_DEVICE unsigned __sad(int a, int b, unsigned c) {
  return static_cast<unsigned>(__nvvm_sad_i(a, b, static_cast<int>(c)));
}
DRYWARP_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) { return __nvvm_sad_ui(a, b, c); }
DRYWARP_DEVICE int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
DRYWARP_DEVICE int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
DRYWARP_DEVICE unsigned __uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
DRYWARP_DEVICE unsigned __urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }
DRYWARP_DEVICE int float2int(float a, cudaRoundMode mode = cudaRoundZero) {
  return mode == cudaRoundNearest  ? __float2int_rn(a)
         : mode == cudaRoundPosInf ? __float2int_ru(a)
         : mode == cudaRoundMinInf ? __float2int_rd(a)
                                   : __float2int_rz(a);
}

#define DRYWARP_DOT(name, instruction, result, wide, narrow)                \
  DRYWARP_DEVICE result name(wide a, narrow b, result c) {                  \
    result r;                                                               \
    asm(instruction " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); \
    return r;                                                               \
  }
DRYWARP_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
DRYWARP_DOT(__dp4a, "dp4a.u32.u32", unsigned, unsigned, unsigned)
DRYWARP_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
DRYWARP_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned, unsigned, unsigned)
DRYWARP_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
DRYWARP_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned, unsigned, unsigned)
#undef DRYWARP_DOT
DRYWARP_DEVICE int __drywarp_word(char4 v) { return __builtin_bit_cast(int, v); }
DRYWARP_DEVICE unsigned __drywarp_word(uchar4 v) { return __builtin_bit_cast(unsigned, v); }
DRYWARP_DEVICE int __drywarp_word(short2 v) { return __builtin_bit_cast(int, v); }
DRYWARP_DEVICE unsigned __drywarp_word(ushort2 v) { return __builtin_bit_cast(unsigned, v); }
DRYWARP_DEVICE int __dp4a(char4 a, char4 b, int c) { return __dp4a(__drywarp_word(a), __drywarp_word(b), c); }
DRYWARP_DEVICE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return __dp4a(__drywarp_word(a), __drywarp_word(b), c);
}
DRYWARP_DEVICE int __dp2a_lo(short2 a, char4 b, int c) { return __dp2a_lo(__drywarp_word(a), __drywarp_word(b), c); }
DRYWARP_DEVICE int __dp2a_hi(short2 a, char4 b, int c) { return __dp2a_hi(__drywarp_word(a), __drywarp_word(b), c); }
DRYWARP_DEVICE unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
  return __dp2a_lo(__drywarp_word(a), __drywarp_word(b), c);
}
DRYWARP_DEVICE unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
  return __dp2a_hi(__drywarp_word(a), __drywarp_word(b), c);
}

#endif
