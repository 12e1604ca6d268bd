#include "base/access/bank_turns.h"

#include <algorithm>

#include "base/access/bank_schedule.h"

namespace drywarp {
namespace {

// The lanes of each turn: the warp, halves or quarters, such that the costs of the turns add up to the cost of the
// whole. For BankRule::Maxwell, whose turns can merge.
std::vector<LaneMask> turns_of(const uint64_t* addresses, LaneMask active, unsigned bytes, SharedOp op,
                               const SharedAccess& whole) {
  for (unsigned lanes_a_turn = kWarpSize; lanes_a_turn >= kWarpSize / 4; lanes_a_turn /= 2) {
    std::vector<LaneMask> turns;
    uint32_t wavefronts = 0, ideal = 0;
    for (unsigned first = 0; first < kWarpSize; first += lanes_a_turn) {
      const LaneMask turn = active & (~0u >> (kWarpSize - lanes_a_turn)) << first;
      if (turn == 0) continue;
      const SharedAccess cost = analyze_shared(addresses, turn, bytes, op);
      turns.push_back(turn);
      wavefronts += cost.wavefronts, ideal += cost.ideal_wavefronts;
    }
    // A turn that could be divided has more than one ideal wavefront.
    if (wavefronts == whole.wavefronts && ideal == whole.ideal_wavefronts && ideal == turns.size()) return turns;
  }
  return {active};
}

BankTurn turn_of(const uint64_t* addresses, LaneMask active, unsigned bytes, SharedOp op) {
  constexpr SharedBanks kBanks;
  BankTurn turn;
  turn.lanes = active;
  turn.wavefronts = analyze_shared(addresses, active, bytes, op).wavefronts;
  const bool shares = op == SharedOp::Load || op == SharedOp::GenericLoad || op == SharedOp::Store;
  const unsigned words = std::max(1u, bytes / kBanks.word_bytes);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    for (unsigned w = 0; w < words; ++w) {
      const uint64_t word = addresses[lane] / kBanks.word_bytes + w;
      const unsigned bank = word % kBanks.count;
      size_t pass = 0;
      for (; pass < turn.passes.size(); ++pass) {
        const BankTurn::Cell& cell = turn.passes[pass][bank];
        if (cell.lanes == 0 || (shares && cell.word == word)) break;
      }
      if (pass == turn.passes.size()) turn.passes.emplace_back(kBanks.count);
      BankTurn::Cell& cell = turn.passes[pass][bank];
      cell.word = word;
      cell.lanes |= 1u << lane;
    }
  }
  return turn;
}

// For the other bank rules.
std::vector<BankTurn> scheduled_turns(const uint64_t* addresses, LaneMask active, unsigned bytes, SharedOp op,
                                      const SharedBanks& banks) {
  const BankSchedule schedule = schedule_banks(banks, addresses, active, bytes, op);
  std::vector<BankTurn> turns;
  for (const BankSchedule::Transaction& turn : schedule.all_transactions())
    turns.push_back({turn.lanes, turn.passes, {turn.passes, std::vector<BankTurn::Cell>(banks.count)}});
  for (const BankDelivery& d : schedule.all()) {
    BankTurn::Cell& cell = turns[d.transaction].passes[d.pass][d.bank];
    cell.word = cell.lanes == 0 ? d.word : std::min(cell.word, d.word);
    cell.lanes |= 1u << d.lane;
  }
  return turns;
}

}  // namespace

std::vector<BankTurn> bank_turns(const uint64_t* addresses, LaneMask active, unsigned bytes, SharedOp op,
                                 const SharedBanks& banks) {
  if (banks.rule != BankRule::Maxwell) return scheduled_turns(addresses, active, bytes, op, banks);
  const SharedAccess whole = analyze_shared(addresses, active, bytes, op, banks);
  std::vector<BankTurn> turns;
  for (const LaneMask turn : turns_of(addresses, active, bytes, op, whole))
    turns.push_back(turn_of(addresses, turn, bytes, op));
  return turns;
}

}  // namespace drywarp
