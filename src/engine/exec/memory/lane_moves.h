// Moves values between memory and 32 lanes. Values are element-major: 32 lanes of element 0, then of element 1, ...
#pragma once

#include <cstdint>
#include <cstring>

#include "base/access/lanes.h"

namespace drywarp::exec {

// Races between threads of a kernel are the kernel's, not ours.
#pragma clang attribute push(__attribute__((no_sanitize("thread"))), apply_to = function)

namespace lane_moves {

template <class T, uint32_t Count>
void gather(const uint64_t* addresses, uint32_t mask, void* out) {
  auto* values = static_cast<T*>(out);
  for_lanes(mask, [&](uint32_t lane) {
    for (uint32_t c = 0; c < Count; ++c)
      std::memcpy(&values[c * 32 + lane], reinterpret_cast<const T*>(addresses[lane]) + c, sizeof(T));
  });
}

template <class T, uint32_t Count>
void scatter(const uint64_t* addresses, uint32_t mask, const void* in) {
  const auto* values = static_cast<const T*>(in);
  for_lanes(mask, [&](uint32_t lane) {
    for (uint32_t c = 0; c < Count; ++c)
      std::memcpy(reinterpret_cast<T*>(addresses[lane]) + c, &values[c * 32 + lane], sizeof(T));
  });
}

template <class T>
struct Moves {
  static void in(const uint64_t* addresses, uint32_t mask, uint32_t count, void* out) {
    switch (count) {
      case 1:
        return gather<T, 1>(addresses, mask, out);
      case 2:
        return gather<T, 2>(addresses, mask, out);
      case 4:
        return gather<T, 4>(addresses, mask, out);
      default:
        return gather<T, 8>(addresses, mask, out);
    }
  }
  static void out(const uint64_t* addresses, uint32_t mask, uint32_t count, const void* in) {
    switch (count) {
      case 1:
        return scatter<T, 1>(addresses, mask, in);
      case 2:
        return scatter<T, 2>(addresses, mask, in);
      case 4:
        return scatter<T, 4>(addresses, mask, in);
      default:
        return scatter<T, 8>(addresses, mask, in);
    }
  }
};

template <class T>
void copy(const uint64_t* to, const uint64_t* from, uint32_t mask) {
  for_lanes(mask, [&](uint32_t lane) {
    T value;
    std::memcpy(&value, reinterpret_cast<const T*>(from[lane]), sizeof(T));
    std::memcpy(reinterpret_cast<T*>(to[lane]), &value, sizeof(T));
  });
}

}  // namespace lane_moves

// 4, 8 or 16 bytes a lane from one place in memory to another.
inline void copy_lanes(const uint64_t* to, const uint64_t* from, uint32_t mask, uint32_t bytes) {
  using namespace lane_moves;
  if (bytes == 4) return copy<uint32_t>(to, from, mask);
  if (bytes == 8) return copy<uint64_t>(to, from, mask);
  copy<unsigned __int128>(to, from, mask);
}

// The same for the first sizes[lane] bytes only; the rest becomes zero.
inline void copy_partially(const uint64_t* to, const uint64_t* from, uint32_t mask, const uint32_t* sizes,
                           uint32_t bytes) {
  for_lanes(mask, [&](uint32_t lane) {
    auto* target = reinterpret_cast<uint8_t*>(to[lane]);
    const uint32_t copied = sizes[lane] < bytes ? sizes[lane] : bytes;
    std::memcpy(target, reinterpret_cast<const void*>(from[lane]), copied);
    std::memset(target + copied, 0, bytes - copied);
  });
}

// Elements of 1, 2, 4, 8 or 16 bytes; 1, 2, 4 or 8 of them a lane.
inline void load_lanes(const uint64_t* addresses, uint32_t mask, uint32_t bytes, uint32_t elements, void* out) {
  using namespace lane_moves;
  switch (bytes) {
    case 1:
      return Moves<uint8_t>::in(addresses, mask, elements, out);
    case 2:
      return Moves<uint16_t>::in(addresses, mask, elements, out);
    case 4:
      return Moves<uint32_t>::in(addresses, mask, elements, out);
    case 8:
      return Moves<uint64_t>::in(addresses, mask, elements, out);
    default:
      return Moves<unsigned __int128>::in(addresses, mask, elements, out);
  }
}

inline void store_lanes(const uint64_t* addresses, uint32_t mask, uint32_t bytes, uint32_t elements, const void* in) {
  using namespace lane_moves;
  switch (bytes) {
    case 1:
      return Moves<uint8_t>::out(addresses, mask, elements, in);
    case 2:
      return Moves<uint16_t>::out(addresses, mask, elements, in);
    case 4:
      return Moves<uint32_t>::out(addresses, mask, elements, in);
    case 8:
      return Moves<uint64_t>::out(addresses, mask, elements, in);
    default:
      return Moves<unsigned __int128>::out(addresses, mask, elements, in);
  }
}

#pragma clang attribute pop

}  // namespace drywarp::exec
