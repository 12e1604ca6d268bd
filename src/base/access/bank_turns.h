// Which lanes of a warp each bank of shared memory serves in which pass, for drawings: the passes of analyze_shared(),
// one by one.
#pragma once

#include <vector>

#include "base/access/access_pattern.h"

namespace drywarp {

// A turn is the lanes that access together: the warp at up to 4 bytes a lane, a half at 8, a quarter at 16 (more if
// turns merge), or by the device's BankRule. In each pass a bank serves the lanes of one row.
struct BankTurn {
  struct Cell {
    uint64_t word = 0;  // number of the word of SharedBanks::word_bytes; the first, if a row has several
    LaneMask lanes = 0;
  };
  LaneMask lanes = 0;
  uint32_t wavefronts = 0;
  // By pass, then by bank. A cell without lanes is idle.
  std::vector<std::vector<Cell>> passes;
};

// `addresses` has 32 entries, aligned to `bytes`; lanes outside `active` are ignored.
[[nodiscard]] std::vector<BankTurn> bank_turns(const uint64_t* addresses, LaneMask active, unsigned bytes, SharedOp op,
                                               const SharedBanks& banks);

}  // namespace drywarp
