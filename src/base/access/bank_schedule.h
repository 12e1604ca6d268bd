// When the banks of older devices serve which lane: every rule of shared_banks.h but Maxwell's, which is vector code of
// its own (access_pattern.cpp). Costs are its sums, and pictures are drawn of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/access/access_pattern.h"

namespace drywarp {

// A lane's word that a bank gives.
struct BankDelivery {
  uint64_t word = 0;  // address / SharedBanks::word_bytes
  uint8_t turn = 0;   // turns follow each other
  uint8_t pass = 0;   // of its turn
  uint8_t bank = 0, lane = 0;
};
struct BankSchedule {
  std::array<BankDelivery, 4 * kWarpSize> deliveries;
  unsigned count = 0;
  // Of each turn, one after the other, its lanes and how many passes it takes.
  struct Turn {
    LaneMask lanes = 0;
    uint32_t passes = 0;
  };
  std::array<Turn, 8> turns;
  unsigned turn_count = 0;
  [[nodiscard]] std::span<const BankDelivery> all() const { return {deliveries.data(), count}; }
  [[nodiscard]] std::span<const Turn> all_turns() const { return {turns.data(), turn_count}; }
};
BankSchedule schedule_banks(const SharedBanks& banks, const uint64_t* addresses, LaneMask active, unsigned size,
                            SharedOp op);

}  // namespace drywarp
