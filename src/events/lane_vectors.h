// Questions about 32 lanes at once, written so that the compiler turns each into a few dozen vector instructions:
// comparing every lane with every other costs less than any hashing or sorting of 32 values, and never mispredicts.
//
// Private to this folder. Everything here is inlined into functions that are compiled once per instruction set.
#pragma once

#include <cstdint>

#define DW_LANES_INLINE inline __attribute__((always_inline))
// One copy of a function for each level of x86-64, chosen by the loader.
#define DW_PER_CPU __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))

namespace drywarp::lanes {

using U8 = uint8_t __attribute__((ext_vector_type(32)));
using U32 = uint32_t __attribute__((ext_vector_type(32)));
using U64 = uint64_t __attribute__((ext_vector_type(32)));
using Bits = bool __attribute__((ext_vector_type(32)));

// later[i]: the lanes above i.
struct LaterLanes {
  alignas(128) uint32_t u32[32][32];
  constexpr LaterLanes() : u32{} {
    for (unsigned i = 0; i < 32; ++i)
      for (unsigned j = 0; j < 32; ++j) u32[i][j] = j > i ? ~0u : 0u;
  }
};
inline constexpr LaterLanes kLater;

template <class V>
DW_LANES_INLINE uint32_t mask_of(const V& truth) {  // lanes that are not zero
  return __builtin_bit_cast(uint32_t, __builtin_convertvector(truth != 0, Bits));
}

// Lanes whose key an earlier lane has too: 32 minus their number is the number of distinct keys.
DW_LANES_INLINE uint32_t repeats(const U32& keys) {
  U32 seen = 0;
#pragma clang loop unroll(full)
  for (unsigned i = 0; i < 31; ++i) seen |= U32(keys == U32(keys[i])) & *reinterpret_cast<const U32*>(kLater.u32[i]);
  return mask_of(seen);
}
DW_LANES_INLINE uint32_t repeats(const U64& keys) {
  uint32_t seen = 0;
  for (unsigned i = 0; i < 31; ++i) seen |= mask_of(keys == U64(keys[i])) & (~0u << i << 1);
  return seen;
}

// For each lane, how many lanes hold its value. (By reference: returning a vector would fix one instruction set's ABI.)
DW_LANES_INLINE void population(const U8& values, U8& count) {
  count = 0;
#pragma clang loop unroll(full)
  for (unsigned i = 0; i < 32; ++i) count -= U8(values == U8(values[i]));
}
DW_LANES_INLINE void population(const U32& values, U32& count) {
  count = 0;
#pragma clang loop unroll(full)
  for (unsigned i = 0; i < 32; ++i) count -= U32(values == U32(values[i]));
}

}  // namespace drywarp::lanes
