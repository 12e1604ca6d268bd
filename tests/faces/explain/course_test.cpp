// The course's figures (rows A1 to A4, A7, B2, B4), to the digit.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "faces/explain/access.h"
#include "faces/explain/banks.h"
#include "faces/explain/divergence.h"
#include "faces/explain/dram_rows.h"
#include "faces/explain/dram_timeline.h"
#include "faces/explain/launch_configuration.h"

namespace drywarp::explain {
namespace {

LaunchConfiguration flat(uint32_t threads, uint32_t blocks = 1) { return {{threads, 1, 1}, {blocks, 1, 1}}; }

AccessExplanation access(const PatternText& text, uint32_t warp = 0) {
  const auto pattern = parse_pattern(text);
  EXPECT_TRUE(pattern.ok()) << (pattern.ok() ? "" : pattern.problem().to_string());
  const auto device = device::load_device("");
  const auto found = explain_access(*pattern, *device, 0, warp);
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.problem().to_string());
  return *found;
}

AccessExplanation access(const std::string& index, LaunchConfiguration launch = {},
                         std::vector<std::string> definitions = {}) {
  PatternText text;
  text.index = index, text.launch = launch, text.definitions = std::move(definitions);
  return access(text);
}

BankExplanation banks(PatternText text, SharedOp op = SharedOp::Load) {
  const auto pattern = parse_pattern(text);
  EXPECT_TRUE(pattern.ok()) << (pattern.ok() ? "" : pattern.problem().to_string());
  const auto device = device::load_device("");
  const auto found = explain_banks(*pattern, op, *device, 0, 0);
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.problem().to_string());
  return *found;
}

DivergenceExplanation divergence(const std::string& expression, LaunchConfiguration launch,
                                 BranchKind kind = BranchKind::Condition) {
  const auto found = explain_divergence({expression, kind, {}, launch});
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.problem().to_string());
  return *found;
}

DramTimeline timeline(double latency, uint32_t banks, uint32_t channels = 1, StreamPattern pattern = {}) {
  TimelineQuery query;
  query.latency = latency, query.banks = banks, query.channels = channels, query.pattern = pattern;
  query.wanted_gbs = {32, 128, 256};
  const auto found = explain_timeline(query);
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.problem().to_string());
  return *found;
}

// A1: threads 0 to 31 at byte 128, 132, ... 252: one line; shifted by a byte or a word: two; alone they are 32.
TEST(CourseCoalescing, oneLineAndTwoWhenShifted) {
  for (const auto& [base, lines, sectors] : {std::tuple{128, 1, 4}, {129, 2, 5}, {132, 2, 5}}) {
    PatternText text;
    text.base = base;
    const AccessExplanation found = access(text);
    EXPECT_EQ(found.shown.lines, lines) << base;
    EXPECT_EQ(found.shown.cost.sectors, sectors) << base;
    EXPECT_EQ(found.requests, 1) << base;
    EXPECT_EQ(std::popcount(found.shown.lanes.active), 32) << base;
    EXPECT_EQ(found.verdict, base == 128 ? Verdict::Coalesced : Verdict::Misaligned);
  }
}

// A1: a whole burst is moved even if only one word of it is used.
TEST(CourseCoalescing, movesAWholeBurstForAWord) {
  PatternText text;
  text.condition = "tid == 7";
  const AccessExplanation found = access(text);
  EXPECT_EQ(found.unique_bytes, 4);
  EXPECT_EQ(found.sectors * kSectorBytes, 32);
  EXPECT_DOUBLE_EQ(found.efficiency(), 12.5);
}

// A1: M[Row * Width + k] against N[k * Width + Col], a warp's threads in different rows or in different columns.
TEST(CourseCoalescing, rowsAndColumnsOfMatrices) {
  const std::vector<std::string> names{"Width=1024", "k=3"};
  const LaunchConfiguration one_row_a_thread{{1, 32, 1}, {1, 1, 1}};
  EXPECT_EQ(access("M[Row * Width + k]", one_row_a_thread, names).verdict, Verdict::Uncoalesced);
  EXPECT_DOUBLE_EQ(access("M[Row * Width + k]", one_row_a_thread, names).sectors_per_request(), 32);
  EXPECT_EQ(access("N[k * Width + Col]", flat(32), names).verdict, Verdict::Coalesced);
  EXPECT_DOUBLE_EQ(access("N[k * Width + Col]", flat(32), names).sectors_per_request(), 4);
  // With 32x32 threads, all lanes of a warp read the same element of M.
  EXPECT_EQ(access("M[Row * Width + k]", {{32, 32, 1}, {1, 1, 1}}, names).verdict, Verdict::Broadcast);
  // With 16x16 threads, a warp has two rows: two elements in two sectors, where one sector could hold both.
  const AccessExplanation two_rows = access("M[Row * Width + k]", {{16, 16, 1}, {1, 1, 1}}, names);
  EXPECT_EQ(two_rows.verdict, Verdict::Uncoalesced);
  EXPECT_EQ(two_rows.shown.cost.sectors, 2);
  EXPECT_EQ(two_rows.shown.words, 2);
  EXPECT_DOUBLE_EQ(two_rows.efficiency(), 12.5);
  // Tiles: both loads are coalesced, whatever the tile.
  for (const uint32_t tile : {16u, 32u}) {
    const LaunchConfiguration block{{tile, tile, 1}, {4, 4, 1}};
    const std::vector<std::string> tiled{"Width=1024", "ph=2", "T=" + std::to_string(tile)};
    EXPECT_EQ(access("M[Row * Width + ph * T + tx]", block, tiled).verdict, Verdict::Coalesced);
    EXPECT_EQ(access("N[(ph * T + ty) * Width + Col]", block, tiled).verdict, Verdict::Coalesced);
    EXPECT_DOUBLE_EQ(access("N[(ph * T + ty) * Width + Col]", block, tiled).sectors_per_request(), 4);
  }
}

// Lanes that share elements are coalesced if the elements are packed.
TEST(CourseCoalescing, sharedElements) {
  EXPECT_EQ(access("a[tid / 2]").verdict, Verdict::Coalesced);
  EXPECT_EQ(access("a[tid / 2 * 2]").verdict, Verdict::Uncoalesced);
  EXPECT_EQ(access("a[tid / 2 + 1]").verdict, Verdict::Misaligned);
  EXPECT_EQ(access("a[0]").verdict, Verdict::Broadcast);
  EXPECT_EQ(access("a[tid / 2]").packed_sectors, 2);
  EXPECT_EQ(access("a[tid / 2]").ideal_sectors, 4);
}

// B4: row sums read a row a thread, column sums a column a thread.
TEST(CourseCoalescing, rowAndColumnSums) {
  const std::vector<std::string> names{"Width=4096", "j=5"};
  const AccessExplanation rows = access("A[gid * Width + j]", flat(256, 16), names);
  EXPECT_EQ(rows.verdict, Verdict::Uncoalesced);
  EXPECT_DOUBLE_EQ(rows.sectors_per_request(), 32);
  EXPECT_DOUBLE_EQ(rows.efficiency(), 12.5);
  EXPECT_EQ(rows.requests, 128);
  const AccessExplanation columns = access("A[j * Width + gid]", flat(256, 16), names);
  EXPECT_EQ(columns.verdict, Verdict::Coalesced);
  EXPECT_DOUBLE_EQ(columns.sectors_per_request(), 4);
  EXPECT_DOUBLE_EQ(columns.efficiency(), 100);
}

// B4: sectors a request against stride and offset.
TEST(CourseCoalescing, strideAndOffset) {
  for (const auto& [stride, sectors] : {std::pair{1, 4}, {2, 8}, {3, 12}, {4, 16}, {8, 32}, {32, 32}}) {
    PatternText text;
    text.stride = stride;
    EXPECT_EQ(access(text).shown.cost.sectors, sectors) << "stride " << stride;
  }
  for (int offset = 0; offset <= 32; ++offset) {
    PatternText text;
    text.offset = offset;
    EXPECT_EQ(access(text).shown.cost.sectors, offset % 8 == 0 ? 4 : 5) << "offset " << offset;
  }
}

// A2: latency and transfer 20 : 1. One bank: 1/21 = 4.8 %, 0.76 GB/s of 16; two banks double it.
TEST(CourseDram, oneBankAndTwo) {
  const DramTimeline one = timeline(20, 1);
  EXPECT_DOUBLE_EQ(one.channel_gbs, 16);
  EXPECT_NEAR(one.utilization, 1.0 / 21, 1e-9);
  EXPECT_NEAR(one.gbs, 0.76, 0.005);
  EXPECT_NEAR(100 * one.utilization, 4.8, 0.05);
  const DramTimeline two = timeline(20, 2);
  EXPECT_NEAR(two.utilization, 2.0 / 21, 1e-9);
  EXPECT_NEAR(two.one_bank_utilization, 1.0 / 21, 1e-9);
}

// A2: R : 1 needs at least R + 1 banks.
TEST(CourseDram, banksThatKeepTheBusBusy) {
  for (const unsigned ratio : {1u, 2u, 7u, 20u, 63u}) {
    const DramTimeline found = timeline(ratio, 1);
    EXPECT_EQ(found.banks_needed, ratio + 1);
    EXPECT_NEAR(timeline(ratio, ratio + 1).utilization, 1, 1e-9);
    EXPECT_NEAR(timeline(ratio, ratio).utilization, double(ratio) / (ratio + 1), 1e-9);
  }
}

// A2: 64-bit DDR at 1 GHz is 16 GB/s: 32 need 2 channels, 128 need 8, 256 need 16.
TEST(CourseDram, channelsForABandwidth) {
  const DramTimeline found = timeline(20, 1);
  ASSERT_EQ(found.wanted.size(), 3);
  EXPECT_EQ(found.wanted[0].channels, 2);
  EXPECT_EQ(found.wanted[1].channels, 8);
  EXPECT_EQ(found.wanted[2].channels, 16);
}

// A2's drawing: a bank's accesses follow each other; the second bank starts a transfer later; bursts do not overlap.
TEST(CourseDram, timesOfTheDrawing) {
  const DramTimeline found = timeline(20, 2);
  ASSERT_GE(found.accesses.size(), 4);
  const double begins[] = {0, 1, 21, 22}, data[] = {20, 21, 41, 42};
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(found.accesses[i].begin, begins[i]);
    EXPECT_DOUBLE_EQ(found.accesses[i].data, data[i]);
    EXPECT_DOUBLE_EQ(found.accesses[i].end, data[i] + 1);
    EXPECT_EQ(found.accesses[i].bank, i % 2);
  }
}

// No two bursts share a channel's bus, no bank has two accesses at once, for any pattern.
TEST(CourseDram, accessesDoNotOverlap) {
  for (const char* text : {"sequential", "stride 3", "stride 8", "random"}) {
    TimelineQuery query;
    query.latency = 7.5, query.transfer = 2, query.banks = 5, query.channels = 3;
    query.pattern = *parse_stream_pattern(text);
    const auto found = explain_timeline(query);
    ASSERT_TRUE(found.ok());
    for (size_t i = 0; i < found->accesses.size(); ++i) {
      for (size_t k = i + 1; k < found->accesses.size(); ++k) {
        const TimelineAccess &a = found->accesses[i], &b = found->accesses[k];
        if (a.channel != b.channel) continue;
        EXPECT_TRUE(a.end <= b.data + 1e-9 || b.end <= a.data + 1e-9) << text;
        if (a.bank == b.bank) {
          EXPECT_TRUE(a.end <= b.begin + 1e-9 || b.end <= a.begin + 1e-9) << text;
        }
      }
    }
  }
}

// A2: bank conflicts and channel imbalance lower the bandwidth.
TEST(CourseDram, imbalanceAndConflictsCost) {
  EXPECT_NEAR(timeline(20, 32, 4).utilization, 1, 1e-9);
  // Every fourth burst lies in the same channel; every 128th in the same bank of it.
  EXPECT_NEAR(timeline(20, 32, 4, {StreamPattern::Kind::Stride, 4}).utilization, 0.25, 1e-9);
  EXPECT_NEAR(timeline(20, 32, 4, {StreamPattern::Kind::Stride, 128}).utilization, 0.25 / 21, 1e-9);
  const double random = timeline(20, 32, 4, {StreamPattern::Kind::Random, 1}).utilization;
  EXPECT_LT(random, 0.99);
  EXPECT_GT(random, 0.5);
}

DramRows rows(const std::string& pattern, uint32_t row_bursts = 4, uint32_t banks = 4) {
  RowsQuery query;
  query.pattern = *parse_stream_pattern(pattern), query.row_bursts = row_bursts, query.banks = banks;
  const auto found = explain_rows(query);
  EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.problem().to_string());
  return *found;
}

// A2: an open row is fast, a closed one is activated first, and another open row is precharged before that.
TEST(CourseDram, openAndClosedRows) {
  const DramRows found = rows("sequential", 2, 1);
  ASSERT_GE(found.accesses.size(), 3);
  const RowAccess &closed = found.accesses[0], &hit = found.accesses[1], &conflict = found.accesses[2];
  EXPECT_EQ(closed.kind, RowAccess::Kind::Closed);
  EXPECT_DOUBLE_EQ(closed.data, 7 + 6);
  EXPECT_EQ(hit.kind, RowAccess::Kind::Hit);
  EXPECT_DOUBLE_EQ(hit.data, 14);  // right behind the first
  EXPECT_EQ(conflict.kind, RowAccess::Kind::Conflict);
  EXPECT_DOUBLE_EQ(conflict.begin, 15);
  EXPECT_DOUBLE_EQ(conflict.data, 15 + 7 + 7 + 6);
  EXPECT_EQ(found.hits, found.bursts / 2);
  EXPECT_EQ(found.closed, 1);
}

// A2: random bursts find another row open; more banks hide part of it.
TEST(CourseDram, randomPatternsConflict) {
  const DramRows random = rows("random"), sequential = rows("sequential"), many = rows("random", 4, 32);
  EXPECT_GT(random.conflicts, random.bursts * 9 / 10);
  EXPECT_EQ(sequential.hits, sequential.bursts * 3 / 4);
  EXPECT_LT(random.utilization, 0.5 * sequential.utilization);
  EXPECT_GT(many.utilization, 2 * random.utilization);
  EXPECT_NEAR(timeline(20, 4, 1, {StreamPattern::Kind::Random, 1}).conflict_share, 0.25, 0.05);
  EXPECT_EQ(timeline(20, 4).conflict_share, 0);
  RowsQuery none;
  none.row_bursts = 0;
  EXPECT_FALSE(explain_rows(none).ok());
}

// Bursts of a channel do not overlap, and a bank does one thing at a time.
TEST(CourseDram, rowsDoNotOverlap) {
  for (const char* pattern : {"sequential", "stride 3", "random"}) {
    const DramRows found = rows(pattern);
    for (size_t i = 1; i < found.accesses.size(); ++i) {
      EXPECT_GE(found.accesses[i].data, found.accesses[i - 1].end - 1e-9) << pattern;
      for (size_t k = 0; k < i; ++k)
        if (found.accesses[k].bank == found.accesses[i].bank && found.accesses[i].kind == RowAccess::Kind::Conflict) {
          EXPECT_GE(found.accesses[i].begin, found.accesses[k].end - 1e-9) << pattern;
        }
    }
  }
}

// A3: x fastest, then y, then z.
TEST(CourseWarps, linearized) {
  const auto found = explain_warps({{4, 2, 6}, {10, 1, 1}});
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->warps.size(), 2);
  EXPECT_EQ(found->warps[0].first, (Extent3{0, 0, 0}));
  EXPECT_EQ(found->warps[0].last, (Extent3{3, 1, 3}));
  EXPECT_EQ(found->warps[1].first, (Extent3{0, 0, 4}));
  EXPECT_EQ(found->warps[1].last, (Extent3{3, 1, 5}));
  EXPECT_EQ(found->warps[1].threads, 16);
  EXPECT_EQ(found->idle_lanes(), 16);
  EXPECT_EQ(found->warps_in_grid(), 20);
}

// A4: a vector of 100 elements: 1 of 4 warps diverges; 1000: 1 of 32, about 3 %; 10,000: 1 of 313, below 1 %.
TEST(CourseDivergence, theEndOfAVector) {
  for (const auto& [elements, warps] : {std::pair{100u, 4u}, {1000u, 32u}, {10000u, 313u}}) {
    const DivergenceExplanation found =
        divergence("gid < " + std::to_string(elements), flat(256, (elements + 255) / 256));
    EXPECT_EQ(found.working_warps, warps);
    EXPECT_EQ(found.divergent_warps, 1);
    EXPECT_EQ(found.divergent_branches, 1);
    EXPECT_EQ(std::ranges::count_if(found.shown, &WarpPaths::divergent), 1) << elements;
    EXPECT_EQ(std::accumulate(found.shown.begin(), found.shown.end(), uint64_t{0},
                              [](uint64_t sum, const WarpPaths& run) { return sum + run.warps; }),
              found.warps);
  }
  // The divergent warp is kept behind more different ones than are shown.
  const DivergenceExplanation late = divergence("gid / 32 == 200 ? tid % 2 : gid / 32 % 2", flat(256, 40));
  EXPECT_EQ(late.divergent_warps, 1);
  EXPECT_TRUE(late.shown.back().divergent);
  EXPECT_EQ(late.shown.size(), kShownRuns + 1);
}

// A4: a loop of 6 to 8 trips: two passes for the 7th trip and for the 8th.
TEST(CourseDivergence, tripCounts) {
  const DivergenceExplanation found = divergence("6 + threadIdx.x % 3", flat(32), BranchKind::Loop);
  ASSERT_EQ(found.trips.size(), 8);
  for (const TripCounts& trip : found.trips) EXPECT_EQ(trip.divergent, trip.trip > 6 ? 1 : 0) << trip.trip;
  EXPECT_EQ(found.passes + found.split_trips, 10);
  uint64_t passes = 0;
  for (const TripCounts& trip : found.trips) passes += trip.passes();
  EXPECT_EQ(passes, 10);
  EXPECT_EQ(found.trips[5].lanes, 32);
  EXPECT_EQ(found.trips[6].lanes, 21);
  EXPECT_EQ(found.trips[7].lanes, 10);
}

TEST(CourseDivergence, conditions) {
  const DivergenceExplanation parity = divergence("threadIdx.x % 2 == 0", flat(128));
  EXPECT_EQ(parity.divergent_warps, 4);
  EXPECT_EQ(parity.passes, 8);
  EXPECT_DOUBLE_EQ(parity.efficiency(), 50);
  EXPECT_DOUBLE_EQ(parity.branch_efficiency(), 0);
  const DivergenceExplanation few = divergence("threadIdx.x > 2", flat(128));
  EXPECT_EQ(few.divergent_warps, 1);
  EXPECT_EQ(few.passes, 5);
  EXPECT_DOUBLE_EQ(few.branch_efficiency(), 75);
  const DivergenceExplanation whole = divergence("threadIdx.x / 32 > 2", flat(128));
  EXPECT_EQ(whole.divergent_warps, 0);
  EXPECT_EQ(whole.passes, 4);
  EXPECT_DOUBLE_EQ(whole.efficiency(), 100);
  const DivergenceExplanation paths = divergence("threadIdx.x % 4", flat(32), BranchKind::Switch);
  EXPECT_EQ(paths.passes, 4);
  EXPECT_DOUBLE_EQ(paths.efficiency(), 25);
}

// B2: N - 1 additions in log2 N rounds; neighboured pairs diverge in every round, interleaved ones in the last five.
TEST(CourseReduction, roundsThatDiverge) {
  const auto neighboured = explain_reduction(Reduction::Neighboured, 128, 1 << 25);
  ASSERT_TRUE(neighboured.ok());
  EXPECT_EQ(neighboured->rounds.size(), 7);
  EXPECT_EQ(neighboured->additions(), 127);
  EXPECT_EQ(neighboured->blocks(), 1 << 18);
  for (const ReductionRound& round : neighboured->rounds) EXPECT_GT(round.divergent_warps, 0) << round.stride;
  const auto interleaved = explain_reduction(Reduction::Interleaved, 1024, 1024);
  ASSERT_TRUE(interleaved.ok());
  ASSERT_EQ(interleaved->rounds.size(), 10);
  EXPECT_EQ(interleaved->additions(), 1023);
  const uint64_t last[] = {16, 8, 4, 2, 1};
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(interleaved->rounds[i].divergent_warps, i < 5 ? 0 : 1) << i;
    if (i >= 5) {
      EXPECT_EQ(interleaved->rounds[i].threads, last[i - 5]);
    }
  }
  const auto rearranged = explain_reduction(Reduction::NeighbouredRearranged, 128, 128);
  ASSERT_TRUE(rearranged.ok());
  EXPECT_EQ(rearranged->rounds[0].warps, 2);
  EXPECT_EQ(rearranged->rounds[0].divergent_warps, 0);
  EXPECT_EQ(rearranged->additions(), 127);
}

// A7: stride 1 has no conflict, stride 2 a 2-way, stride 32 a 32-way; one word for all is a broadcast.
TEST(CourseBanks, strides) {
  for (const auto& [stride, ways] : {std::pair{1, 1u}, {2, 2u}, {3, 1u}, {4, 4u}, {32, 32u}, {33, 1u}, {0, 1u}}) {
    PatternText text;
    text.stride = stride;
    const BankExplanation found = banks(text);
    EXPECT_EQ(found.shown.cost.ways, ways) << stride;
    EXPECT_EQ(found.wavefronts, ways) << stride;
    ASSERT_EQ(found.shown.turns.size(), 1) << stride;
    EXPECT_EQ(found.shown.turns[0].passes.size(), ways) << stride;
  }
}

// A7: [32][32] read by columns is a 32-way conflict; [32][33] has none, and that padding is found.
TEST(CourseBanks, paddingIsFound) {
  PatternText text;
  text.index = "tile[threadIdx.x][threadIdx.y]", text.extents = "32x32", text.launch = {{32, 8, 1}, {1, 1, 1}};
  const BankExplanation square = banks(text);
  EXPECT_EQ(square.worst_ways, 32);
  EXPECT_EQ(square.wavefronts, 256);
  ASSERT_TRUE(square.suggestion.has_value());
  EXPECT_EQ(square.suggestion->elements, 1);
  EXPECT_EQ(square.suggestion->wavefronts, 8);
  text.extents = "[32][33]";
  const BankExplanation padded = banks(text);
  EXPECT_EQ(padded.wavefronts, 8);
  EXPECT_FALSE(padded.suggestion.has_value());
  EXPECT_TRUE(padded.tried.empty());
}

// Wider elements: the drawn turns add up to the access's wavefronts.
TEST(CourseBanks, wideElements) {
  for (const unsigned bytes : {1u, 2u, 4u, 8u, 16u}) {
    for (const int stride : {0, 1, 2, 3, 8, 32}) {
      for (const SharedOp op : {SharedOp::Load, SharedOp::Store, SharedOp::Atomic}) {
        PatternText text;
        text.bytes = bytes, text.stride = stride;
        const BankExplanation found = banks(text, op);
        uint32_t sum = 0;
        for (const BankTurn& turn : found.shown.turns) sum += turn.wavefronts;
        EXPECT_EQ(sum, found.wavefronts) << bytes << " bytes, stride " << stride;
        EXPECT_EQ(found.wavefronts, analyze_shared(found.shown.lanes.addresses.data(), ~0u, bytes, op).wavefronts);
      }
    }
  }
  PatternText text;
  text.bytes = 8, text.stride = 16;  // doubles, all in banks 0 and 1
  const BankExplanation doubles = banks(text);
  ASSERT_TRUE(doubles.suggestion.has_value());
  EXPECT_EQ(doubles.suggestion->elements, 1);
  EXPECT_EQ(doubles.suggestion->wavefronts, 2);
}

// The drawing equals the counts on older devices too: turns add up, and each has as many passes as wavefronts.
TEST(CourseBanks, olderDevices) {
  for (const auto& [name, eight] : {std::pair{"gtx280", false}, {"gtx480", false}, {"k40", false}, {"k40", true}}) {
    const auto device = device::load_device(name);
    for (const unsigned bytes : {1u, 2u, 4u, 8u, 16u})
      for (const int stride : {0, 1, 2, 3, 8, 32})
        for (const SharedOp op : {SharedOp::Load, SharedOp::Store, SharedOp::Atomic}) {
          PatternText text;
          text.bytes = bytes, text.stride = stride;
          const auto pattern = parse_pattern(text);
          ASSERT_TRUE(pattern.ok());
          const auto found = explain_banks(*pattern, op, *device, 0, 0, eight);
          ASSERT_TRUE(found.ok());
          uint32_t sum = 0;
          for (const BankTurn& turn : found->shown.turns) {
            sum += turn.wavefronts;
            EXPECT_EQ(turn.passes.size(), turn.wavefronts);
          }
          EXPECT_EQ(sum, found->wavefronts) << name << ' ' << bytes << " bytes, stride " << stride;
          EXPECT_EQ(found->wavefronts,
                    analyze_shared(found->shown.lanes.addresses.data(), ~0u, bytes, op, shared_banks(*device, eight))
                        .wavefronts);
        }
  }
  // A tile of 32x32 floats read by columns: rows of 128 bytes lie two and two in a bank's row on Kepler, and one more
  // element a row helps everywhere.
  PatternText tile;
  tile.index = "tile[threadIdx.x][threadIdx.y]", tile.extents = "32x32", tile.launch = {{32, 1, 1}, {1, 1, 1}};
  for (const auto& [name, before, after] :
       {std::tuple{"gtx280", 32u, 2u}, {"gtx480", 32u, 1u}, {"k40", 16u, 1u}, {"h200", 32u, 1u}}) {
    const auto found = explain_banks(*parse_pattern(tile), SharedOp::Load, *device::load_device(name), 0, 0);
    ASSERT_TRUE(found.ok() && found->suggestion) << name;
    EXPECT_EQ(found->wavefronts, before) << name;
    EXPECT_EQ(found->suggestion->elements, 1) << name;
    EXPECT_EQ(found->suggestion->wavefronts, after) << name;
  }
}

}  // namespace
}  // namespace drywarp::explain
