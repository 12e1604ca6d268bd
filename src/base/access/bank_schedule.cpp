#include "base/access/bank_schedule.h"

#include <algorithm>
#include <bit>

namespace drywarp {
namespace {

// Lanes at one place share a pass; atomics never share.
bool shares(SharedOp op) { return op == SharedOp::Load || op == SharedOp::GenericLoad || op == SharedOp::Store; }

void end_transaction(BankSchedule& out, LaneMask lanes, uint32_t passes) {
  out.transactions[out.transaction_count++] = {lanes, passes};
}

// In a pass each bank serves one of its rows to every lane that needs it.
void serve_rows(const SharedBanks& banks, const uint64_t* addresses, LaneMask lanes, unsigned size, SharedOp op,
                BankSchedule& out) {
  std::array<std::array<uint64_t, 4 * kWarpSize>, kWarpSize> rows;  // of each bank, by pass
  std::array<uint8_t, kWarpSize> known{};
  const unsigned words = std::max(1u, size / banks.word_bytes);
  uint32_t passes = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint8_t>(std::countr_zero(left));
    for (unsigned w = 0; w < words; ++w) {
      const uint64_t address = addresses[lane] + w * banks.word_bytes, row = address / banks.row_bytes();
      const unsigned bank = banks.bank_of(address);
      uint8_t pass = 0;
      while (pass < known[bank] && (!shares(op) || rows[bank][pass] != row)) ++pass;
      if (pass == known[bank]) rows[bank][known[bank]++] = row;
      passes = std::max<uint32_t>(passes, known[bank]);
      out.deliveries[out.count++] = {address / banks.word_bytes, static_cast<uint8_t>(out.transaction_count), pass,
                                     static_cast<uint8_t>(bank), lane};
    }
  }
  // "one must add 1 to the maximum number of threads in a quarter-warp that access different addresses belonging to the
  // same bank" (128-bit accesses, compute capability 2.x).
  if (banks.rule == BankRule::Fermi && size == 16) ++passes;
  end_transaction(out, lanes, passes);
}

// Serves one 32-bit word of each lane of half a warp. A pass takes the first remaining lane, all lanes that read its
// word, and the first remaining lane of every other bank. NVIDIA does not specify which word and lanes a device takes.
// Lanes that store to one address count as one, since only one of them writes.
void serve_one_word(const SharedBanks& banks, const uint64_t* addresses, LaneMask lanes, unsigned offset, SharedOp op,
                    BankSchedule& out) {
  const bool broadcasts = op == SharedOp::Load || op == SharedOp::GenericLoad;
  const auto word_of = [&](unsigned lane) { return (addresses[lane] + offset) / banks.word_bytes; };
  uint8_t pass = 0;
  for (LaneMask left = lanes; left != 0; ++pass) {
    const auto first = static_cast<unsigned>(std::countr_zero(left));
    std::array<int8_t, kWarpSize> server;  // the lane that each bank serves
    server.fill(-1);
    for (LaneMask here = left; here != 0; here &= here - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(here));
      const uint64_t word = word_of(lane);
      const unsigned bank = word % banks.count;
      const auto served = server[bank];
      const bool together =
          served >= 0 && ((broadcasts && word == word_of(first)) ||
                          (op == SharedOp::Store && addresses[lane] == addresses[static_cast<unsigned>(served)]));
      if (served >= 0 && !together) continue;
      if (served < 0) server[bank] = static_cast<int8_t>(lane);
      left &= ~(1u << lane);
      out.deliveries[out.count++] = {word, static_cast<uint8_t>(out.transaction_count), pass,
                                     static_cast<uint8_t>(bank), static_cast<uint8_t>(lane)};
    }
  }
  end_transaction(out, lanes, pass);
}

}  // namespace

BankSchedule schedule_banks(const SharedBanks& banks, const uint64_t* addresses, LaneMask active, unsigned size,
                            SharedOp op) {
  BankSchedule out;
  const bool half_warps = banks.rule == BankRule::Tesla;
  const unsigned lanes_a_transaction = half_warps ? kWarpSize / 2 : std::clamp(banks.row_bytes() / size, 8u, kWarpSize);
  for (unsigned first = 0; first < kWarpSize; first += lanes_a_transaction) {
    const LaneMask lanes = active & (~0u >> (kWarpSize - lanes_a_transaction)) << first;
    if (lanes == 0) continue;
    if (!half_warps) {
      serve_rows(banks, addresses, lanes, size, op, out);
      continue;
    }
    for (unsigned offset = 0; offset < size; offset += banks.word_bytes)
      serve_one_word(banks, addresses, lanes, offset, op, out);
  }
  return out;
}

}  // namespace drywarp
