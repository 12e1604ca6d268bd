// Operations on 32 lanes at once; each compiles to a few dozen vector instructions. Comparing every lane with every
// other is cheaper than hashing or sorting 32 values, and has no branches to mispredict.
//
// Private to this folder. Everything here is inlined into functions that are compiled once per instruction set.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "base/access/per_cpu.h"

#define DW_LANES_INLINE inline __attribute__((always_inline))

namespace drywarp::lanes {

using U8 = uint8_t __attribute__((ext_vector_type(32)));
using U32 = uint32_t __attribute__((ext_vector_type(32)));
using U64 = uint64_t __attribute__((ext_vector_type(32)));
using Bits = bool __attribute__((ext_vector_type(32)));

template <class V>
DW_LANES_INLINE uint32_t mask_of(const V& truth) {  // lanes that are not zero
  return __builtin_bit_cast(uint32_t, __builtin_convertvector(truth != 0, Bits));
}

// Every pair of lanes once: bit i of equal[r] compares lanes i and i + r (cyclic), r = 1 ... 16.
struct Pairs {
  uint32_t equal[17];
};

template <unsigned R>
DW_LANES_INLINE void rotate_by(const U32& v, U32& out) {
  out = __builtin_shufflevector(v, v, R + 0, R + 1, R + 2, R + 3, R + 4, R + 5, R + 6, R + 7, R + 8, R + 9, R + 10,
                                R + 11, R + 12, R + 13, R + 14, R + 15, R + 16, R + 17, R + 18, R + 19, R + 20, R + 21,
                                R + 22, R + 23, R + 24, R + 25, R + 26, R + 27, R + 28, R + 29, R + 30, R + 31);
}
template <unsigned R>
DW_LANES_INLINE uint32_t equal_rotated(const U32& keys) {
  U32 others;
  rotate_by<R>(keys, others);
  return mask_of(U32(keys == others));
}
template <unsigned... R>
DW_LANES_INLINE void compare_pairs(const U32& keys, Pairs& out, std::integer_sequence<unsigned, R...>) {
  ((out.equal[R + 1] = equal_rotated<R + 1>(keys)), ...);
}
DW_LANES_INLINE void compare_pairs(const U32& keys, Pairs& out) {
  compare_pairs(keys, out, std::make_integer_sequence<unsigned, 16>());
}

// The later lanes of the pairs of equal[r] with both lanes in `lanes`: r (near) or 32 - r (far) above their partners. A
// lane may be in both.
struct Later {
  uint32_t near, far;
};
DW_LANES_INLINE Later later(const Pairs& pairs, unsigned r, uint32_t lanes) {
  const uint32_t both = pairs.equal[r] & lanes & std::rotr(lanes, static_cast<int>(r));
  return {both << r, r == 16 ? 0 : both & ~0u << (32 - r)};
}
// Lanes whose key an earlier lane holds too; the number of the other lanes is the number of distinct keys.
DW_LANES_INLINE uint32_t repeats(const Pairs& pairs, uint32_t lanes) {
  uint32_t seen = 0;
#pragma clang loop unroll(full)
  for (unsigned r = 1; r <= 16; ++r) {
    const Later l = later(pairs, r, lanes);
    seen |= l.near | l.far;
  }
  return seen;
}
DW_LANES_INLINE uint32_t repeats(const U32& keys) {
  Pairs pairs;
  compare_pairs(keys, pairs);
  return repeats(pairs, ~0u);
}
DW_LANES_INLINE uint32_t repeats(const U64& keys) {
  uint32_t seen = 0;
  for (unsigned i = 0; i < 31; ++i) seen |= mask_of(keys == U64(keys[i])) & (~0u << i << 1);
  return seen;
}

// For each lane, how many earlier lanes hold its key.
DW_LANES_INLINE void earlier(const Pairs& pairs, uint32_t lanes, U8& count) {
  count = 0;
#pragma clang loop unroll(full)
  for (unsigned r = 1; r <= 16; ++r) {
    const Later l = later(pairs, r, lanes);
    count += __builtin_convertvector(__builtin_bit_cast(Bits, l.near), U8);
    if (r != 16) count += __builtin_convertvector(__builtin_bit_cast(Bits, l.far), U8);
  }
}

// For each lane, how many lanes hold its value. (By reference: returning a vector would fix one instruction set's ABI.)
DW_LANES_INLINE void population(const U8& values, U8& count) {
  count = 0;
#pragma clang loop unroll(full)
  for (unsigned i = 0; i < 32; ++i) count -= U8(values == U8(values[i]));
}
}  // namespace drywarp::lanes
