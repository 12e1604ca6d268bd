// A set of lines that is filled once and asked at each request: open addressing, at most half full.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "model/memory/cache.h"

namespace drywarp::memory {

class LineSet {
 public:
  [[nodiscard]] bool empty() const { return places_.empty(); }
  [[nodiscard]] bool contains(uint64_t line) const {
    return !places_.empty() && places_[place_of(places_, line)] == line;
  }
  void insert(std::span<const uint64_t> lines) {
    std::vector<uint64_t> larger(std::bit_ceil(2 * (places_.size() / 2 + lines.size()) + 1), kNone);
    const auto add = [&](uint64_t line) { larger[place_of(larger, line)] = line; };
    for (const uint64_t line : places_)
      if (line != kNone) add(line);
    for (const uint64_t line : lines) add(line);
    if (!lines.empty()) places_ = std::move(larger);
  }

 private:
  static constexpr uint64_t kNone = ~uint64_t{0};
  // Where the line is, or would be.
  static size_t place_of(const std::vector<uint64_t>& places, uint64_t line) {
    size_t place = hash_line(line) >> 32 & (places.size() - 1);
    while (places[place] != kNone && places[place] != line) place = (place + 1) & (places.size() - 1);
    return place;
  }
  std::vector<uint64_t> places_;
};

}  // namespace drywarp::memory
