// The functions are vector code. Compares them with plain scalar definitions, on patterns from the course and on random
// ones, for every width and mask.
#include "base/access/access_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <random>
#include <set>

namespace drywarp {
namespace {

using Addresses = std::array<uint64_t, kWarpSize>;

Addresses strided(uint64_t base, int64_t stride) {
  Addresses a{};
  for (unsigned i = 0; i < kWarpSize; ++i) a[i] = base + i * stride;
  return a;
}

GlobalAccess plain_global(const Addresses& a, LaneMask active, unsigned size) {
  std::set<uint64_t> bytes, sectors;
  for (unsigned i = 0; i < kWarpSize; ++i)
    if (active >> i & 1)
      for (unsigned b = 0; b < size; ++b) bytes.insert(a[i] + b), sectors.insert((a[i] + b) / 32);
  const unsigned packed = std::popcount(active) * size;
  return {uint32_t(sectors.size()), (packed + 31) / 32, uint32_t(bytes.size())};
}

SharedAccess plain_shared(const Addresses& a, LaneMask active, unsigned size, SharedOp op) {
  SharedAccess out;
  std::set<uint64_t> bytes;
  for (unsigned i = 0; i < kWarpSize; ++i)
    for (unsigned b = 0; active >> i & 1 && b < size; ++b) bytes.insert(a[i] + b);
  out.unique_bytes = bytes.size();

  const auto agree = [&](unsigned partner) {
    for (unsigned i = 0; i < kWarpSize; ++i)
      if ((active >> i & 1) && (active >> (i ^ partner) & 1) && a[i] != a[i ^ partner]) return false;
    return true;
  };
  unsigned lanes_a_pass = size <= 4 ? 32 : 128 / size;
  if (size > 4 && op == SharedOp::Load && (agree(1) || agree(2))) lanes_a_pass *= 2;
  const bool atomic = op == SharedOp::Atomic || op == SharedOp::Swap;
  for (unsigned g = 0; g < kWarpSize; g += lanes_a_pass) {
    std::map<uint64_t, std::set<std::pair<uint64_t, unsigned>>> words;  // bank -> (word, lane if it matters)
    for (unsigned i = g; i < g + lanes_a_pass; ++i)
      for (unsigned b = 0; active >> i & 1 && b < size; ++b)
        words[(a[i] + b) / 4 % 32].insert({(a[i] + b) / 4, atomic ? i : 0});
    uint32_t ways = 0;
    for (const auto& [bank, set] : words) ways = std::max(ways, uint32_t(set.size()));
    out.wavefronts += ways;
    out.ideal_wavefronts += ways != 0;
    out.ways = std::max(out.ways, ways);
  }
  if (op == SharedOp::Swap) out.wavefronts *= 2, out.ideal_wavefronts *= 2;
  return out;
}

GlobalAccess plain_local(const Addresses& a, LaneMask active, unsigned size) {
  std::set<uint64_t> sectors, groups;
  for (unsigned i = 0; i < kWarpSize; ++i) {
    if (!(active >> i & 1)) continue;
    for (uint64_t b = a[i]; b < a[i] + size; ++b) sectors.insert((b / 4 * 128 + i * 4 + b % 4) / 32);
    groups.insert(i / 8);
  }
  return {uint32_t(sectors.size()), uint32_t(groups.size() * ((size + 3) / 4)), uint32_t(std::popcount(active) * size)};
}

AtomicAccess plain_atomic(const Addresses& a, LaneMask active) {
  std::map<uint64_t, uint32_t> lanes;
  for (unsigned i = 0; i < kWarpSize; ++i)
    if (active >> i & 1) ++lanes[a[i]];
  AtomicAccess out;
  out.addresses = lanes.size();
  std::map<uint64_t, uint32_t> rounds;  // sector -> the most lanes on one of its addresses
  for (const auto& [address, n] : lanes) {
    out.max_same = std::max(out.max_same, n);
    rounds[address / 32] = std::max(rounds[address / 32], n);
  }
  for (const auto& [sector, n] : rounds) out.sectors += n;
  return out;
}

TEST(AnalyzeGlobal, OneLinePerWarpWhenPacked) {
  EXPECT_EQ(analyze_global(strided(128, 4).data(), ~0u, 4), (GlobalAccess{4, 4, 128}));
  EXPECT_EQ(analyze_global(strided(132, 4).data(), ~0u, 4), (GlobalAccess{5, 4, 128}));  // shifted by one word
  EXPECT_EQ(analyze_global(strided(129, 4).data(), ~0u, 4), (GlobalAccess{5, 4, 128}));  // by one byte
}

TEST(AnalyzeGlobal, WidthsAtTheirIdeal) {
  EXPECT_EQ(analyze_global(strided(0, 1).data(), ~0u, 1).sectors, 1u);
  EXPECT_EQ(analyze_global(strided(0, 8).data(), ~0u, 8).sectors, 8u);
  EXPECT_EQ(analyze_global(strided(0, 16).data(), ~0u, 16).sectors, 16u);
  EXPECT_EQ(analyze_global(strided(0, 32).data(), ~0u, 32), (GlobalAccess{32, 32, 1024}));
}

TEST(AnalyzeGlobal, ColumnWalkMovesASectorALane) {
  EXPECT_EQ(analyze_global(strided(0, 4096).data(), ~0u, 4), (GlobalAccess{32, 4, 128}));
}

TEST(AnalyzeGlobal, BroadcastIsOneSector) {
  EXPECT_EQ(analyze_global(strided(64, 0).data(), ~0u, 4), (GlobalAccess{1, 4, 4}));
}

TEST(AnalyzeGlobal, NoLaneMakesNoRequest) { EXPECT_EQ(analyze_global(strided(0, 4).data(), 0, 4), GlobalAccess{}); }

TEST(AnalyzeGlobal, MatchesTheDefinitionOnRandomPatterns) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 60000; ++round) {
    const unsigned size = 1u << random() % 6;
    // From addresses close together to any in 64 bits, so that every path of the code is taken.
    const uint64_t spread = (2ull << random() % 48) - 1;
    const uint64_t base = random() % (1ull << 46);
    const bool sorted = random() % 4 == 0, odd = random() % 8 == 0;
    Addresses a{};
    for (auto& x : a) x = (base + (random() & spread)) & (odd ? ~0ull : ~uint64_t(size - 1));
    if (sorted) std::sort(a.begin(), a.end());
    LaneMask active = random();
    if (round % 3 == 0) active = ~0u;
    if (round % 5 == 0) active &= random() & random() & random();
    ASSERT_EQ(analyze_global(a.data(), active, size), plain_global(a, active, size))
        << "size " << size << " round " << round;
    const unsigned piece = std::max(32u, size) << random() % 3;
    std::set<uint64_t> pieces;
    for (unsigned i = 0; i < kWarpSize; ++i)
      for (unsigned b = 0; active >> i & 1 && b < size; ++b) pieces.insert((a[i] + b) / piece);
    ASSERT_EQ(touched_pieces(a.data(), active, size, piece), pieces.size()) << "size " << size << " piece " << piece;
  }
}

TEST(AnalyzeShared, TheCoursesStrides) {
  for (const auto& [stride, ways] : std::map<unsigned, unsigned>{{1, 1}, {2, 2}, {3, 1}, {8, 8}, {32, 32}, {33, 1}}) {
    const SharedAccess s = analyze_shared(strided(0, stride * 4).data(), ~0u, 4);
    EXPECT_EQ(s.wavefronts, ways) << stride;
    EXPECT_EQ(s.ways, ways) << stride;
    EXPECT_EQ(s.ideal_wavefronts, 1u) << stride;
    EXPECT_EQ(s.unique_bytes, 128u) << stride;
  }
  EXPECT_EQ(analyze_shared(strided(40, 0).data(), ~0u, 4), (SharedAccess{1, 1, 1, 4}));  // broadcast
}

TEST(AnalyzeShared, NarrowAccessesShareAWord) {
  EXPECT_EQ(analyze_shared(strided(0, 1).data(), ~0u, 1), (SharedAccess{1, 1, 1, 32}));
  EXPECT_EQ(analyze_shared(strided(0, 2).data(), ~0u, 2), (SharedAccess{1, 1, 1, 64}));
  EXPECT_EQ(analyze_shared(strided(0, 128).data(), ~0u, 1).wavefronts, 32u);
}

TEST(AnalyzeShared, WideAccessesTakeSeveralPasses) {
  EXPECT_EQ(analyze_shared(strided(0, 8).data(), ~0u, 8), (SharedAccess{2, 2, 1, 256}));
  EXPECT_EQ(analyze_shared(strided(0, 16).data(), ~0u, 16), (SharedAccess{4, 4, 1, 512}));
  EXPECT_EQ(analyze_shared(strided(0, 16).data(), 0xffff, 16).ideal_wavefronts, 2u);
}

TEST(AnalyzeShared, WideLoadsOfSharedWordsMergeTransactions) {
  Addresses pairs{}, alternate{};
  for (unsigned i = 0; i < kWarpSize; ++i) pairs[i] = i / 2 * 8, alternate[i] = i % 2 * 8;
  EXPECT_EQ(analyze_shared(pairs.data(), ~0u, 8, SharedOp::Load), (SharedAccess{1, 1, 1, 128}));
  EXPECT_EQ(analyze_shared(alternate.data(), ~0u, 8, SharedOp::Load), (SharedAccess{1, 1, 1, 16}));
  EXPECT_EQ(analyze_shared(pairs.data(), ~0u, 8, SharedOp::Store), (SharedAccess{2, 2, 1, 128}));
  EXPECT_EQ(analyze_shared(strided(0, 0).data(), ~0u, 16), (SharedAccess{2, 2, 1, 16}));  // in pairs only
}

TEST(AnalyzeShared, AtomicsOnOneWordAreSerial) {
  EXPECT_EQ(analyze_shared(strided(0, 0).data(), ~0u, 4, SharedOp::Atomic), (SharedAccess{32, 1, 32, 4}));
  EXPECT_EQ(analyze_shared(strided(0, 4).data(), ~0u, 4, SharedOp::Atomic), (SharedAccess{1, 1, 1, 128}));
  EXPECT_EQ(analyze_shared(strided(0, 4).data(), ~0u, 4, SharedOp::Swap), (SharedAccess{2, 2, 1, 128}));
}

TEST(AnalyzeShared, MatchesTheDefinitionOnRandomPatterns) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 60000; ++round) {
    const unsigned size = 1u << random() % 5;
    constexpr SharedOp ops[] = {SharedOp::Load, SharedOp::Store, SharedOp::Atomic, SharedOp::Swap};
    const SharedOp op = ops[random() % 4];
    const uint64_t spread = (2ull << random() % 17) - 1;
    Addresses a{};
    for (auto& x : a) x = random() & spread & ~uint64_t(size - 1);
    if (round % 4 == 0)  // so that lanes agree with their neighbours, or nearly
      for (unsigned i = 0; i < kWarpSize; ++i) a[i] = a[i & (random() % 2 ? ~1u : ~2u)];
    if (round % 4 == 1)
      for (unsigned i = 0, bit = 1 + round / 4 % 2; i < kWarpSize; ++i) a[i] = a[i & ~bit];
    LaneMask active = random();
    if (round % 3 == 0) active = ~0u;
    if (round % 5 == 0) active &= random() & random() & random();
    if (active == 0) continue;
    ASSERT_EQ(analyze_shared(a.data(), active, size, op), plain_shared(a, active, size, op))
        << "size " << size << " op " << int(op) << " round " << round;
  }
}

TEST(AnalyzeLocal, MatchesTheDefinitionOnRandomPatterns) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 20000; ++round) {
    const unsigned size = 1u << random() % 5;
    const uint64_t spread = (2ull << random() % 12) - 1;
    Addresses a{};
    for (auto& x : a) x = random() & spread & ~uint64_t(size - 1);
    if (round % 4 == 0) a.fill(a[0]);
    const LaneMask active = round % 3 == 0 ? ~0u : random();
    ASSERT_EQ(analyze_local(a.data(), active, size), plain_local(a, active, size))
        << "size " << size << " round " << round;
  }
}

TEST(AnalyzeAtomic, MatchesTheDefinitionOnRandomPatterns) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60000; ++round) {
    const uint64_t spread = (2ull << random() % 48) - 1;
    const uint64_t base = random() % (1ull << 46);
    Addresses a{};
    for (auto& x : a) x = (base + (random() & spread)) & ~3ull;
    if (round % 7 == 0) a.fill(a[3]);
    if (round % 11 == 0)
      for (unsigned i = 0; i < kWarpSize; ++i) a[i] = a[i % 3];
    LaneMask active = random();
    if (round % 3 == 0) active = ~0u;
    if (round % 5 == 0) active &= random() & random();
    ASSERT_EQ(analyze_atomic(a.data(), active), plain_atomic(a, active)) << round;
  }
}

}  // namespace
}  // namespace drywarp
