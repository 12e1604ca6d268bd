// How a warp's access falls on lines of memory: as runs of lanes, so that an access of 32 neighbouring words is one
// thing to compare and to remember.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/access/access_pattern.h"

namespace drywarp::check {

inline constexpr uint32_t kLineBytes = 128;

// A set of a line's bytes.
struct LineBytes {
  uint64_t low = 0, high = 0;
  static LineBytes range(uint32_t first, uint32_t count);
  [[nodiscard]] bool empty() const { return (low | high) == 0; }
  [[nodiscard]] bool within(const LineBytes& o) const { return ((low & ~o.low) | (high & ~o.high)) == 0; }
  [[nodiscard]] uint32_t first() const {
    return static_cast<uint32_t>(low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(high));
  }
  [[nodiscard]] bool has(uint32_t byte) const { return ((byte < 64 ? low >> byte : high >> (byte - 64)) & 1) != 0; }
  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(std::popcount(low) + std::popcount(high)); }
  LineBytes operator&(const LineBytes& o) const { return {low & o.low, high & o.high}; }
  LineBytes operator|(const LineBytes& o) const { return {low | o.low, high | o.high}; }
  [[nodiscard]] LineBytes without(const LineBytes& o) const { return {low & ~o.low, high & ~o.high}; }
  bool operator==(const LineBytes&) const = default;
};
template <class Visit>
void for_bytes(const LineBytes& bytes, Visit visit) {
  for (uint64_t left = bytes.low; left != 0; left &= left - 1) visit(static_cast<uint32_t>(std::countr_zero(left)));
  for (uint64_t left = bytes.high; left != 0; left &= left - 1)
    visit(64 + static_cast<uint32_t>(std::countr_zero(left)));
}

// Bytes of one line, and which lanes of a warp access them: all lanes every byte, or each lane its own element, at one
// distance from lane to lane; and perhaps further rows of lanes the same elements.
struct LaneRun {
  LineBytes bytes;
  LaneMask lanes = 0;
  int16_t stride = 0;                      // bytes; 0: every lane accesses all
  uint8_t first_byte = 0, first_lane = 0;  // of the lowest element
  LaneMask rows = 1;                       // with a stride: where rows begin, from the first one

  [[nodiscard]] LaneMask at(uint32_t byte) const {
    if (stride == 0) return lanes;
    const int apart = (static_cast<int>(byte) - first_byte) / (stride > 0 ? stride : -stride);
    return rows << static_cast<unsigned>(stride > 0 ? first_lane + apart : first_lane - apart);
  }
  [[nodiscard]] bool one_lane_each() const { return stride == 0 ? std::has_single_bit(lanes) : rows == 1; }
  // Each byte that both have, they have by the same single lane.
  [[nodiscard]] bool same_lane(const LaneRun& o) const { return one_lane_each() && o.one_lane_each() && same_lanes(o); }
  // ... by the same lanes.
  [[nodiscard]] bool same_lanes(const LaneRun& o) const {
    if (stride != o.stride || rows != o.rows) return false;
    if (stride == 0) return lanes == o.lanes;
    return first_byte - first_lane * stride == o.first_byte - o.first_lane * stride;
  }
  bool operator==(const LaneRun&) const = default;
};

struct LineRun {
  int64_t line = 0;  // from the line of the first lane's address
  LaneRun run;
};
// `at`: of each lane in `lanes`.
void split_lines(const uint64_t* at, LaneMask lanes, uint32_t bytes, std::vector<LineRun>& runs);

// The runs of accesses, found again where an access repeats its pattern, anywhere in memory.
class LaneRuns {
 public:
  // Valid until the next call. `access`: a number of the instruction.
  [[nodiscard]] std::span<const LineRun> of(uint32_t access, const uint64_t* at, LaneMask lanes, uint32_t bytes);

 private:
  struct Pattern {
    LaneMask lanes = 0;
    uint32_t bytes = 0;
    uint32_t changes = 0;
    std::array<uint64_t, kWarpSize> from_first{};
    std::array<std::vector<LineRun>, kLineBytes> by_offset;  // of the first lane in its line
  };
  std::vector<std::unique_ptr<Pattern>> patterns_;
  std::vector<LineRun> last_;
};

}  // namespace drywarp::check
