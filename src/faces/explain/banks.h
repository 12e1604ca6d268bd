// Shared memory: bank conflicts of a warp's lanes, the wavefronts that they take, and the padding that avoids them
// (course A7). Kernels are profiled with the same costs (base/access/access_pattern.h).
#pragma once

#include "base/access/bank_turns.h"
#include "base/device/device_spec.h"
#include "faces/explain/lanes.h"

namespace drywarp::explain {

struct WarpBanks {
  uint64_t block = 0;
  uint32_t warp = 0;
  LaneAccesses lanes;
  SharedAccess cost;
  SharedBanks banks;
  std::vector<BankTurn> turns;
};

// A warp's access to the banks. Its addresses are aligned to `bytes`.
[[nodiscard]] WarpBanks warp_banks(const LaneAccesses& lanes, unsigned bytes, SharedOp op, const SharedBanks& banks,
                                   uint64_t block, uint32_t warp);

// "load", "store", "atomic", "cas", or "copy" (cp.async).
Result<SharedOp> parse_shared_op(std::string_view name);

// The cost with padded rows, over all examined warps.
struct Padding {
  uint32_t elements = 0;
  uint64_t wavefronts = 0, ideal_wavefronts = 0;
};

struct BankExplanation {
  std::string text;
  LaunchConfiguration launch;
  unsigned bytes = 4;
  SharedOp op = SharedOp::Load;
  WarpBanks shown;

  // Over all examined warps.
  uint64_t warps = 0, requests = 0, wavefronts = 0, ideal_wavefronts = 0, unique_bytes = 0;
  uint32_t worst_ways = 0;
  uint64_t examined_blocks = 0;

  // Whether padding lengthens the array's last dimension. Else (a flat index) it is a gap after every `padded_bytes()`.
  bool pads_rows = false;
  std::vector<Padding> tried;         // from 0 elements on
  std::optional<Padding> suggestion;  // the smallest with the fewest wavefronts; none: padding does not help

  std::string device;
  SharedBanks banks;         // the device's, for all costs
  bool device_known = true;  // false: its file does not describe them
  [[nodiscard]] uint32_t padded_bytes() const { return uint32_t{banks.count} * banks.word_bytes; }
  [[nodiscard]] double efficiency() const;  // percent: ideal / actual wavefronts
};

// `eight_bytes`: cudaSharedMemBankSizeEightByte, on devices that support it. Errors: no such warp; the expression fails
// for a thread; an address that is not aligned to the element.
Result<BankExplanation> explain_banks(const Pattern& pattern, SharedOp op, const device::DeviceSpec& device,
                                      uint64_t block, uint32_t warp, bool eight_bytes = false);

}  // namespace drywarp::explain
