// Arrays of times that are scanned with vector instructions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "model/memory/server.h"

namespace drywarp::sm {

using memory::Cycles;

inline constexpr Cycles kNever = 0x1p60;  // a float holds it exactly

inline constexpr uint32_t kTimes = 8;  // times in a vector; arrays are padded to a multiple with kNever
using Times = Cycles __attribute__((ext_vector_type(kTimes)));

// Which of the first kTimes are not later than `than`, one bit each.
[[nodiscard]] inline uint32_t not_later(const Cycles* times, Cycles than) {
  using Bits = bool __attribute__((ext_vector_type(kTimes)));
  Times here;
  std::memcpy(&here, times, sizeof here);
  return std::bit_cast<uint8_t>(__builtin_convertvector(here <= than, Bits));
}

// Sets times[i] by writing the pair that it belongs to. A vector that is read soon afterwards then comes from the
// host's store buffer: a processor forwards a store to loads that are no wider than it, and makes wider loads wait for
// the cache. Like the functions above, it needs an array that is padded to whole vectors.
inline void set_time(Cycles* times, size_t i, Cycles at) {
  using Pair = Cycles __attribute__((ext_vector_type(2)));
  using Places = int64_t __attribute__((ext_vector_type(2)));
  Cycles* const place = times + (i & ~size_t{1});
  Pair pair;
  std::memcpy(&pair, place, sizeof pair);
  pair = Places{0, 1} == static_cast<int64_t>(i & 1) ? Pair(at) : pair;
  std::memcpy(place, &pair, sizeof pair);
}

// The minimum of `count` times; kNever if there are none.
[[nodiscard]] inline Cycles least(const Cycles* times, size_t count) {
  Times all = kNever;
  for (size_t i = 0; i < count; i += kTimes) {
    Times next;
    std::memcpy(&next, times + i, sizeof next);
    all = next < all ? next : all;
  }
  const auto half = all.lo < all.hi ? all.lo : all.hi;
  return std::min(std::min(half[0], half[1]), std::min(half[2], half[3]));
}

}  // namespace drywarp::sm
