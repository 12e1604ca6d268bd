// Warp matches by type: the compiler's __clang_cuda_intrinsics.h includes this file after it has defined the 32- and
// 64-bit forms.
#ifndef DRYWARP_CRT_SM_70_RT_HPP
#define DRYWARP_CRT_SM_70_RT_HPP

#define DRYWARP_MATCH(type, bits, carrier)                                                                        \
  static __device__ __inline__ unsigned __match_any_sync(unsigned mask, type value) {                             \
    return __match##bits##_any_sync(mask, __builtin_bit_cast(carrier, value));                                    \
  }                                                                                                               \
  static __device__ __inline__ unsigned __match_all_sync(unsigned mask, type value, int* predicate) {             \
    return __match##bits##_all_sync(mask, __builtin_bit_cast(carrier, value), predicate);                         \
  }
DRYWARP_MATCH(unsigned, 32, unsigned)
DRYWARP_MATCH(int, 32, unsigned)
DRYWARP_MATCH(unsigned long, 64, unsigned long long)
DRYWARP_MATCH(long, 64, unsigned long long)
DRYWARP_MATCH(unsigned long long, 64, unsigned long long)
DRYWARP_MATCH(long long, 64, unsigned long long)
DRYWARP_MATCH(float, 32, unsigned)
DRYWARP_MATCH(double, 64, unsigned long long)
#undef DRYWARP_MATCH

#endif
