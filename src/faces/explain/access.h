// Global memory: the sectors and lines that a warp's access touches, and whether it is coalesced (course A1, B4).
// Kernels are profiled with the same costs (base/access/access_pattern.h).
#pragma once

#include <map>

#include "base/device/device_spec.h"
#include "faces/explain/lanes.h"

namespace drywarp::explain {

// Aligned pieces of one size that an access touches.
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
  uint32_t words = 0;          // distinct elements that the active lanes access
  std::vector<Pieces> pieces;  // of 32, 64 and 128 bytes, the transactions before cc 7.0
};

// The cost of a warp's access.
[[nodiscard]] WarpAccess warp_access(const LaneAccesses& lanes, unsigned bytes, uint64_t block, uint32_t warp);

// Coalesced: no fewer sectors could hold the bytes that the lanes want. Lanes that share a word want its bytes once.
enum class Verdict : uint8_t { Coalesced, Broadcast, Misaligned, Uncoalesced };
[[nodiscard]] const char* name(Verdict verdict);  // "coalesced", ...
[[nodiscard]] Verdict verdict_of(const WarpAccess& access, unsigned bytes);
// The fewest sectors that hold so many bytes.
[[nodiscard]] constexpr uint32_t packed_sectors(uint32_t bytes) { return (bytes + kSectorBytes - 1) / kSectorBytes; }

struct AccessExplanation {
  std::string text;
  LaunchConfiguration launch;
  unsigned bytes = 4;
  WarpAccess shown;
  Verdict verdict{};

  // Over all examined warps. Requests: warps with at least one active lane.
  uint64_t warps = 0, requests = 0, active_lanes = 0;
  // Packed: the fewest that hold the distinct bytes. Ideal, as Nsight Compute has it: that hold each lane's own copy.
  uint64_t sectors = 0, packed_sectors = 0, ideal_sectors = 0, unique_bytes = 0, requested_bytes = 0;
  std::map<uint32_t, uint64_t> warps_by_sectors;  // number of warps by sectors touched
  uint64_t examined_blocks = 0;

  // What the device's L1 moves at a time; absent if its file does not say.
  std::string device;
  std::optional<uint32_t> line_bytes, moved_bytes;  // a line; the part of it that is filled at a time
  bool past_l1 = false;                             // global loads bypass L1: moved_bytes is L2's
  std::optional<uint32_t> device_pieces;            // pieces of moved_bytes that the shown warp touches
  // On devices that coalesce half-warps, instead of these: segments by their size in bytes.
  std::optional<uint32_t> coalesced_lanes;
  std::map<uint32_t, uint32_t> segments;

  [[nodiscard]] double sectors_per_request() const;
  [[nodiscard]] double efficiency() const;  // percent: requested / moved bytes, as gld_efficiency
};

// `shown` is `warp` of `block`. Errors: no such warp; the expression fails for a thread.
Result<AccessExplanation> explain_access(const Pattern& pattern, const device::DeviceSpec& device, uint64_t block,
                                         uint32_t warp);

}  // namespace drywarp::explain
