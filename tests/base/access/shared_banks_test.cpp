// Shared memory of devices before compute capability 5.0: the examples of the CUDA C Programming Guide, and random
// patterns against a second implementation of the guide's rules, by conflicts of pairs of threads instead of passes.
#include "base/access/shared_banks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "base/access/access_pattern.h"
#include "base/access/bank_schedule.h"
#include "base/device/device_spec.h"

namespace drywarp {
namespace {

using Addresses = std::array<uint64_t, kWarpSize>;

SharedBanks banks_of(const std::string& device, bool eight_bytes = false) {
  const auto spec = device::load_device(device);
  EXPECT_TRUE(spec.ok()) << device;
  return spec.ok() ? shared_banks(*spec, eight_bytes) : SharedBanks{};
}

Addresses strided_lanes(uint64_t base, int64_t stride) {
  Addresses a{};
  for (unsigned i = 0; i < kWarpSize; ++i) a[i] = base + i * stride;
  return a;
}

SharedAccess cost(const SharedBanks& banks, const Addresses& a, unsigned size, SharedOp op = SharedOp::Load) {
  return analyze_shared(a.data(), ~0u, size, op, banks);
}

TEST(SharedBanks, ofDevices) {
  EXPECT_EQ(banks_of("gtx280"), (SharedBanks{BankRule::Tesla, 16, 4, 4}));
  EXPECT_EQ(banks_of("gtx480"), (SharedBanks{BankRule::Fermi, 32, 4, 4}));
  for (const char* kepler : {"gtx680", "k40"}) {
    EXPECT_EQ(banks_of(kepler), (SharedBanks{BankRule::Kepler, 32, 8, 4})) << kepler;
    EXPECT_EQ(banks_of(kepler, true), (SharedBanks{BankRule::Kepler, 32, 8, 8})) << kepler;
  }
  for (const char* id : {"gtx280", "gtx480", "h200"})
    EXPECT_EQ(banks_of(id, true), banks_of(id)) << id;  // no such mode
  for (const std::string& id : device::device_ids()) {
    const auto spec = device::load_device(id);
    ASSERT_TRUE(spec.ok());
    if (spec->compute_capability.major < 5) continue;
    EXPECT_EQ(banks_of(id), SharedBanks{}) << id;
    // Their files say the same.
    EXPECT_EQ(spec->timing.shared.banks, 32u) << id;
    EXPECT_EQ(spec->timing.shared.bank_bytes, 4u) << id;
  }
}

// "Examples of strided shared memory accesses", 3.x in 32-bit mode: linear addressing with a stride of one 32-bit word,
// of two and of three have no conflict. (On 2.x, with 32-bit banks, a stride of two words has a two-way conflict.)
TEST(SharedBanks, strides) {
  const std::map<std::string, std::map<unsigned, unsigned>> wavefronts = {
      {"gtx280", {{0, 2}, {1, 2}, {2, 4}, {3, 2}, {4, 8}, {16, 32}, {17, 2}, {32, 32}, {33, 2}}},
      {"gtx480", {{0, 1}, {1, 1}, {2, 2}, {3, 1}, {4, 4}, {16, 16}, {17, 1}, {32, 32}, {33, 1}}},
      {"k40", {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 2}, {16, 8}, {17, 1}, {32, 16}, {33, 1}}}};
  for (const auto& [device, strides] : wavefronts)
    for (const auto& [stride, expected] : strides) {
      const SharedAccess s = cost(banks_of(device), strided_lanes(0, stride * 4), 4);
      EXPECT_EQ(s.wavefronts, expected) << device << " stride " << stride;
      EXPECT_EQ(s.ideal_wavefronts, device == "gtx280" ? 2u : 1u) << device;
      EXPECT_EQ(s.ways, expected / s.ideal_wavefronts) << device;
      EXPECT_EQ(s.unique_bytes, stride == 0 ? 4u : 128u) << device;
    }
}

// Words i and i + 32 of an aligned 64 are no conflict; the same distance across two such segments is one.
TEST(SharedBanks, keplersSegments) {
  const SharedBanks four = banks_of("k40"), eight = banks_of("k40", true);
  Addresses pair{};
  for (unsigned i = 0; i < kWarpSize; ++i) pair[i] = i % 2 * 128;
  EXPECT_EQ(cost(four, pair, 4).wavefronts, 1u);
  EXPECT_EQ(cost(eight, pair, 4).wavefronts, 1u);  // other banks
  for (uint64_t& a : pair) a += 128;
  EXPECT_EQ(cost(four, pair, 4).wavefronts, 2u);
  EXPECT_EQ(cost(four, strided_lanes(0, 256), 4).wavefronts, 32u);
  EXPECT_EQ(cost(eight, strided_lanes(0, 128), 4).wavefronts, 16u);
  EXPECT_EQ(cost(eight, strided_lanes(4, 8), 4).wavefronts, 1u);  // half of each 64-bit word
  EXPECT_EQ(four.period(), 256u);
  EXPECT_EQ(eight.period(), 8u);
}

TEST(SharedBanks, doublesAndWider) {
  EXPECT_EQ(cost(banks_of("k40"), strided_lanes(0, 8), 8), (SharedAccess{1, 1, 1, 256}));
  EXPECT_EQ(cost(banks_of("k40", true), strided_lanes(0, 8), 8), (SharedAccess{1, 1, 1, 256}));
  EXPECT_EQ(cost(banks_of("k40"), strided_lanes(0, 16), 16), (SharedAccess{2, 2, 1, 512}));
  EXPECT_EQ(cost(banks_of("k40"), strided_lanes(0, 256), 8).wavefronts, 32u);
  // "Unlike for devices of compute capability 1.x, there are no bank conflicts for arrays of doubles."
  EXPECT_EQ(cost(banks_of("gtx480"), strided_lanes(0, 8), 8), (SharedAccess{2, 2, 1, 256}));
  EXPECT_EQ(cost(banks_of("gtx480"), strided_lanes(0, 0), 8), (SharedAccess{2, 2, 1, 8}));
  // "The majority of 128-bit accesses will cause 2-way bank conflicts."
  EXPECT_EQ(cost(banks_of("gtx480"), strided_lanes(0, 16), 16), (SharedAccess{8, 4, 2, 512}));
  // "There are 2-way bank conflicts for arrays of doubles": two 32-bit requests with a stride of two, a half warp each.
  EXPECT_EQ(cost(banks_of("gtx280"), strided_lanes(0, 8), 8), (SharedAccess{8, 4, 2, 256}));
  EXPECT_EQ(cost(banks_of("gtx280"), strided_lanes(0, 16), 16), (SharedAccess{32, 8, 4, 512}));
}

// 1.x: "bank conflicts if an array of char is accessed ... shared[BaseIndex + tid]", none with 4 * tid; one word a pass
// is broadcast, and the other lanes need banks of their own.
TEST(SharedBanks, teslaBroadcastsOneWord) {
  const SharedBanks banks = banks_of("gtx280");
  EXPECT_EQ(cost(banks, strided_lanes(0, 1), 1).wavefronts, 8u);
  EXPECT_EQ(cost(banks, strided_lanes(0, 4), 1).wavefronts, 2u);
  EXPECT_EQ(cost(banks_of("gtx480"), strided_lanes(0, 1), 1).wavefronts, 1u);
  Addresses two{};  // words 0 and 1, eight lanes each: the broadcast word and one of the others, then the others
  for (unsigned i = 0; i < kWarpSize; ++i) two[i] = i / 8 % 2 * 4;
  EXPECT_EQ(cost(banks, two, 4).wavefronts, 4u);
  for (unsigned i = 0; i < kWarpSize; ++i) two[i] = i / 8 % 2 * 64;  // of one bank
  EXPECT_EQ(cost(banks, two, 4).wavefronts, 4u);
  // Stores to one address: one lane of them writes. Stores to bytes of one word do not share.
  EXPECT_EQ(cost(banks, strided_lanes(8, 0), 4, SharedOp::Store).wavefronts, 2u);
  EXPECT_EQ(cost(banks, strided_lanes(0, 1), 1, SharedOp::Store).wavefronts, 8u);
}

// The transactions of the lanes, and the most requests of one bank in each.
SharedAccess plain_rows(const SharedBanks& banks, const Addresses& a, LaneMask active, unsigned size, SharedOp op) {
  const bool atomic = op == SharedOp::Atomic || op == SharedOp::Swap, kepler = banks.rule == BankRule::Kepler;
  SharedAccess out;
  std::set<uint64_t> bytes;
  const unsigned lanes_a_transaction = size <= 4 ? 32 : kepler ? 256 / std::max(size, 8u) : 128 / size;
  for (unsigned g = 0; g < kWarpSize; g += lanes_a_transaction) {
    std::map<unsigned, std::set<std::pair<uint64_t, unsigned>>> asked;  // bank -> (row, lane)
    for (unsigned i = g; i < g + lanes_a_transaction; ++i)
      for (uint64_t b = a[i]; active >> i & 1 && b < a[i] + size; ++b) {
        bytes.insert(b);
        const uint64_t word = b / 4;
        const unsigned lane = atomic ? i : 0;
        if (!kepler)
          asked[word % 32].insert({word, lane});
        else if (banks.word_bytes == 4)
          asked[word % 32].insert({word / 64, lane});  // aligned segments of 64 words
        else
          asked[b / 8 % 32].insert({b / 8, lane});
      }
    uint32_t ways = 0;
    for (const auto& [bank, what] : asked) ways = std::max(ways, uint32_t(what.size()));
    if (ways == 0) continue;
    if (!kepler && size == 16) ++ways;
    out.wavefronts += ways, out.ideal_wavefronts += 1;
    out.ways = std::max(out.ways, ways);
  }
  if (op == SharedOp::Swap) out.wavefronts *= 2, out.ideal_wavefronts *= 2;
  out.unique_bytes = bytes.size();
  return out;
}

// The guide's procedure with a list of waiting threads.
SharedAccess plain_tesla(const Addresses& a, LaneMask active, unsigned size, SharedOp op) {
  const bool load = op == SharedOp::Load || op == SharedOp::GenericLoad;
  SharedAccess out;
  std::set<uint64_t> bytes;
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned part = 0; part < size; part += 4) {
      std::vector<uint64_t> waiting;
      for (unsigned i = half * 16; i < half * 16 + 16; ++i) {
        if (!(active >> i & 1)) continue;
        waiting.push_back(a[i] + part);
        for (unsigned b = 0; b < size; ++b) bytes.insert(a[i] + b);
      }
      if (waiting.empty()) continue;
      uint32_t steps = 0;
      for (; !waiting.empty(); ++steps) {
        const uint64_t broadcast = waiting.front() / 4;
        std::map<uint64_t, uint64_t> served;  // bank -> address
        std::vector<uint64_t> later;
        for (const uint64_t at : waiting) {
          if (load && at / 4 == broadcast) continue;
          const uint64_t bank = at / 4 % 16;
          if (load && bank == broadcast % 16) {
            later.push_back(at);
          } else if (!served.count(bank)) {
            served[bank] = at;
          } else if (op != SharedOp::Store || served[bank] != at) {
            later.push_back(at);
          }
        }
        waiting = later;
      }
      out.wavefronts += steps, out.ideal_wavefronts += 1;
      out.ways = std::max(out.ways, steps);
    }
  if (op == SharedOp::Swap) out.wavefronts *= 2, out.ideal_wavefronts *= 2;
  out.unique_bytes = bytes.size();
  return out;
}

TEST(SharedBanks, randomPatterns) {
  std::mt19937_64 random(5);
  const SharedBanks all[] = {banks_of("gtx280"), banks_of("gtx480"), banks_of("k40"), banks_of("k40", true)};
  for (int round = 0; round < 60000; ++round) {
    const SharedBanks& banks = all[round % 4];
    const unsigned size = 1u << random() % 5;
    constexpr SharedOp kOps[] = {SharedOp::Load, SharedOp::GenericLoad, SharedOp::Store, SharedOp::Atomic,
                                 SharedOp::Swap};
    const SharedOp op = kOps[random() % 5];
    const uint64_t spread = (2ull << random() % 15) - 1;
    Addresses a{};
    for (auto& x : a) x = random() & spread & ~uint64_t(size - 1);
    if (round % 5 == 0)
      for (unsigned i = 0; i < kWarpSize; ++i) a[i] = a[i & (random() % 2 ? ~1u : ~6u)];
    LaneMask active = random();
    if (round % 3 == 0) active = ~0u;
    if (round % 7 == 0) active &= random() & random() & random();
    if (active == 0) continue;
    const SharedAccess found = analyze_shared(a.data(), active, size, op, banks);
    ASSERT_EQ(found,
              banks.rule == BankRule::Tesla ? plain_tesla(a, active, size, op) : plain_rows(banks, a, active, size, op))
        << "size " << size << " op " << int(op) << " round " << round;
    // The engine's memos rely on this.
    Addresses moved = a;
    for (auto& x : moved) x += std::max(banks.period(), size);
    ASSERT_EQ(analyze_shared(moved.data(), active, size, op, banks), found) << round;
    // Every lane is served in each transaction that it takes part in, and no bank serves two rows in one pass.
    const BankSchedule schedule = schedule_banks(banks, a.data(), active, size, op);
    std::map<std::array<unsigned, 3>, uint64_t> rows;
    LaneMask served = 0;
    for (const BankDelivery& d : schedule.all()) {
      served |= 1u << d.lane;
      EXPECT_EQ(d.bank, d.word % banks.count);
      EXPECT_LT(d.pass, schedule.transactions[d.transaction].passes);
      const uint64_t row = d.word * banks.word_bytes / banks.row_bytes();
      const auto [known, is_new] = rows.try_emplace({d.transaction, d.pass, d.bank}, row);
      ASSERT_TRUE(is_new || known->second == row) << round;
    }
    ASSERT_EQ(served, active) << round;
  }
}

}  // namespace
}  // namespace drywarp
