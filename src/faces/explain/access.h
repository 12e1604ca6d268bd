// Global memory: which sectors and lines a warp's access touches, and whether it is coalesced (course A1, B4).
// The costs are base/access/access_pattern.h's, with which kernels are profiled.
#pragma once

#include <map>

#include "base/device/device_spec.h"
#include "faces/explain/lanes.h"

namespace drywarp::explain {

// Aligned pieces of memory of one size.
struct Pieces {
  uint32_t bytes = 0;
  uint32_t touched = 0;
};

struct WarpAccess {
  uint64_t block = 0;
  uint32_t warp = 0;
  LaneAccesses lanes;
  GlobalAccess cost;
  uint32_t lines = 0;          // of 128 bytes
  std::vector<Pieces> pieces;  // of 32, 64 and 128 bytes: what memories before cc 7.0 moved
};

// What a warp's lanes touch.
[[nodiscard]] WarpAccess warp_access(const LaneAccesses& lanes, unsigned bytes, uint64_t block, uint32_t warp);

enum class Verdict : uint8_t { Coalesced, Broadcast, Misaligned, Uncoalesced };
[[nodiscard]] const char* name(Verdict verdict);  // "coalesced", ...

struct AccessExplanation {
  std::string text;
  Shape shape;
  unsigned bytes = 4;
  WarpAccess shown;
  Verdict verdict{};

  // All warps looked at. Requests: warps with at least one active lane.
  uint64_t warps = 0, requests = 0, active_lanes = 0;
  uint64_t sectors = 0, ideal_sectors = 0, unique_bytes = 0, requested_bytes = 0;
  std::map<uint32_t, uint64_t> warps_by_sectors;  // how many warps touch so many sectors
  uint64_t blocks_looked_at = 0;

  // The device's own way, where its file says: what its L1 moves at a time.
  std::string device;
  std::optional<uint32_t> line_bytes, moved_bytes;  // a line; the piece of it that is filled at a time
  bool past_l1 = false;                             // global loads go past L1: moved_bytes is of L2
  std::optional<uint32_t> device_pieces;            // pieces of moved_bytes that the shown warp touches
  // Instead of these, on devices that put half-warps' accesses together: segments by their bytes.
  std::optional<uint32_t> coalesced_lanes;
  std::map<uint32_t, uint32_t> segments;

  [[nodiscard]] double sectors_per_request() const;
  [[nodiscard]] double efficiency() const;  // percent: bytes wanted of bytes moved, as gld_efficiency
};

// `warp` of `block` is the one that is shown. Errors: there is no such warp; the expression fails for a thread.
Result<AccessExplanation> explain_access(const Pattern& pattern, const device::DeviceSpec& device, uint64_t block,
                                         uint32_t warp);

}  // namespace drywarp::explain
