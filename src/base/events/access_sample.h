// The lanes' addresses in the costliest access of one memory instruction in a launch. Timing needs no addresses;
// explaining a source line does.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/access/access_pattern.h"
#include "base/events/access_reuse.h"
#include "base/events/counts.h"
#include "base/support/result.h"

namespace drywarp {

struct AccessSample {
  uint32_t access = 0;  // as InstructionInfo::access
  Memory memory = Memory::Global;
  uint8_t size = 0;              // bytes a lane
  SharedOp op = SharedOp::Load;  // of shared memory
  SharedBanks banks;             // likewise
  bool atomic = false;
  LaneMask lanes = 0;
  uint64_t block = 0;  // linear index in the grid, x fastest
  uint32_t warp = 0;   // of the block
  uint32_t units = 0;  // sectors; wavefronts of shared memory
  // Global: from the start of the device's memory. Shared: offsets in the block's window. Local: in each thread's own.
  std::array<uint64_t, kWarpSize> addresses{};
  AccessReuse reuse;  // of the instruction, not of this access; zero: not known

  // Costlier than another sample of the same instruction, or as costly and earlier in the grid: the same in every run.
  [[nodiscard]] bool outranks(const AccessSample& other) const {
    if (units != other.units) return units > other.units;
    return block != other.block ? block < other.block : warp < other.warp;
  }
  bool operator==(const AccessSample&) const = default;
};

// To one line of text, without a newline, and back.
[[nodiscard]] std::string to_line(const AccessSample& sample);
Result<AccessSample> parse_access_sample(std::string_view line);

}  // namespace drywarp
