// Shared memory: which lanes meet in a bank, how many passes that takes, and which padding would avoid it (course A7).
// The costs are base/access/access_pattern.h's, with which kernels are profiled.
#pragma once

#include "base/device/device_spec.h"
#include "faces/explain/lanes.h"

namespace drywarp::explain {

// One turn of a warp's access: all lanes at up to 4 bytes, halves at 8, quarters at 16 (more if turns merge), or as the
// device's BankRule says. In each pass a bank gives one row to the lanes that want it.
struct BankTurn {
  struct Cell {
    uint64_t word = 0;  // number of the word of SharedBanks::word_bytes; the first of several of one row
    LaneMask lanes = 0;
  };
  LaneMask lanes = 0;
  uint32_t wavefronts = 0;
  // By pass, then by bank: cells whose `lanes` are 0 are idle.
  std::vector<std::vector<Cell>> passes;
};

struct WarpBanks {
  uint64_t block = 0;
  uint32_t warp = 0;
  LaneAccesses lanes;
  SharedAccess cost;
  SharedBanks banks;
  std::vector<BankTurn> turns;
};

// What a warp's lanes do to the banks. `lanes` are aligned to `bytes`.
[[nodiscard]] WarpBanks warp_banks(const LaneAccesses& lanes, unsigned bytes, SharedOp op, const SharedBanks& banks,
                                   uint64_t block, uint32_t warp);

// What a padding of the array's rows makes of the access, over all warps looked at.
struct Padding {
  uint32_t elements = 0;
  uint64_t wavefronts = 0, ideal_wavefronts = 0;
};

struct BankExplanation {
  std::string text;
  Shape shape;
  unsigned bytes = 4;
  SharedOp op = SharedOp::Load;
  WarpBanks shown;

  // All warps looked at.
  uint64_t warps = 0, requests = 0, wavefronts = 0, ideal_wavefronts = 0, unique_bytes = 0;
  uint32_t worst_ways = 0;
  uint64_t blocks_looked_at = 0;

  // How rows are padded: the array's last side, or (a flat index) a gap behind every `padded_bytes()`.
  bool pads_rows = false;
  std::vector<Padding> tried;         // from 0 elements on
  std::optional<Padding> suggestion;  // the smallest that needs the fewest wavefronts; none: it cannot be better

  std::string device;
  SharedBanks banks;         // the device's, by which all costs are
  bool device_known = true;  // its file says what they are
  [[nodiscard]] uint32_t padded_bytes() const { return uint32_t{banks.count} * banks.word_bytes; }
  [[nodiscard]] double efficiency() const;  // percent: ideal wavefronts of wavefronts
};

// `eight_bytes`: banks as cudaSharedMemBankSizeEightByte makes them, where the device can.
// Errors: there is no such warp; the expression fails for a thread; an address that is not aligned to the element.
Result<BankExplanation> explain_banks(const Pattern& pattern, SharedOp op, const device::DeviceSpec& device,
                                      uint64_t block, uint32_t warp, bool eight_bytes = false);

}  // namespace drywarp::explain
