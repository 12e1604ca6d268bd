// Which lane each bank serves in which pass on older devices: every BankRule but Maxwell, which has vector code of its
// own (access_pattern.cpp). Costs are sums over the schedule, and `drywarp explain` draws it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/access/access_pattern.h"

namespace drywarp {

// One word that a bank delivers to a lane.
struct BankDelivery {
  uint64_t word = 0;        // address / SharedBanks::word_bytes
  uint8_t transaction = 0;  // transactions run one after the other
  uint8_t pass = 0;         // of its transaction
  uint8_t bank = 0, lane = 0;
};
struct BankSchedule {
  std::array<BankDelivery, 4 * kWarpSize> deliveries;
  unsigned count = 0;
  // Each transaction in order: its lanes and its passes.
  struct Transaction {
    LaneMask lanes = 0;
    uint32_t passes = 0;
  };
  std::array<Transaction, 8> transactions;
  unsigned transaction_count = 0;
  [[nodiscard]] std::span<const BankDelivery> all() const { return {deliveries.data(), count}; }
  [[nodiscard]] std::span<const Transaction> all_transactions() const {
    return {transactions.data(), transaction_count};
  }
};
BankSchedule schedule_banks(const SharedBanks& banks, const uint64_t* addresses, LaneMask active, unsigned size,
                            SharedOp op);

}  // namespace drywarp
