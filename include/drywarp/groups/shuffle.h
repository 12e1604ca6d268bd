// Shuffles of values of any size: types of the warp functions directly, others word by word.
#ifndef DRYWARP_GROUPS_SHUFFLE_H
#define DRYWARP_GROUPS_SHUFFLE_H
#pragma GCC system_header

#include "drywarp/device/specifiers.h"

namespace cooperative_groups {
namespace details {

#define DRYWARP_SHUFFLE(name, function, step)                                                           \
  struct name {                                                                                         \
    template <class T>                                                                                  \
    static __device__ auto direct(unsigned mask, T value, step lane, int width, int)                    \
        -> decltype(static_cast<T>(function(mask, value, lane, width))) {                               \
      return static_cast<T>(function(mask, value, lane, width));                                        \
    }                                                                                                   \
    template <class T>                                                                                  \
    static __device__ T direct(unsigned mask, T value, step lane, int width, long) {                    \
      enum { words = (sizeof(T) + 3) / 4 };                                                             \
      unsigned word[words] = {};                                                                        \
      __builtin_memcpy(word, &value, sizeof(T));                                                        \
      _Pragma("unroll") for (int i = 0; i < words; ++i) word[i] = function(mask, word[i], lane, width); \
      __builtin_memcpy(&value, word, sizeof(T));                                                        \
      return value;                                                                                     \
    }                                                                                                   \
    template <class T>                                                                                  \
    static __device__ T call(unsigned mask, T value, step lane, int width) {                            \
      return direct<T>(mask, value, lane, width, 0);                                                    \
    }                                                                                                   \
  };
DRYWARP_SHUFFLE(shuffle, __shfl_sync, int)
DRYWARP_SHUFFLE(shuffle_up, __shfl_up_sync, unsigned)
DRYWARP_SHUFFLE(shuffle_down, __shfl_down_sync, unsigned)
DRYWARP_SHUFFLE(shuffle_xor, __shfl_xor_sync, int)
#undef DRYWARP_SHUFFLE

DRYWARP_DEVICE unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
DRYWARP_DEVICE unsigned lanes_below() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
DRYWARP_DEVICE unsigned rank_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
DRYWARP_DEVICE unsigned threads_in_block() { return blockDim.x * blockDim.y * blockDim.z; }

// Compresses the bits of `bits` under `mask`: rank i's bit moves to position i.
DRYWARP_DEVICE unsigned gather_bits(unsigned bits, unsigned mask) {
  unsigned packed = 0;
  for (unsigned rank = 0; mask != 0; ++rank, mask &= mask - 1) packed |= ((bits & mask & -mask) != 0 ? 1u : 0u) << rank;
  return packed;
}

}  // namespace details
}  // namespace cooperative_groups

#endif
