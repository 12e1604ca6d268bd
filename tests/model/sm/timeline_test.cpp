// The recording of a simulated launch: what it says agrees with the launch's sums, and it is bounded.
#include "model/sm/timeline.h"

#include <algorithm>
#include <map>

#include "model/sm/units/timeline_recorder.h"
#include "program.h"

namespace drywarp::sm {
namespace {

// One SM, so that all warps are those of the recorded one; several schedulers.
machine::MachineModel one_sm() {
  machine::MachineModel m = round_machine();
  m.sms = m.memory.sms = 1;
  m.warp_interval_cycles = 3;
  m.dispatch_cycles = 7, m.block_launch_cycles = 20;
  m.launch_cycles = 100;
  return m;
}

// Loads, arithmetic that waits for them, special functions, barriers: most stall reasons.
Program mixed_program(uint64_t blocks) {
  Program p;
  p.blocks = blocks, p.threads = 256, p.per_sm = 2;
  for (uint32_t i = 0; i < 12; ++i) {
    MachineInstruction load = make(Operation::Ldg, int(i), {200});
    load.access = i;
    p.add(load);
    p.add(make(Operation::Ffma, 50, {int(i), 50}));
    p.add(make(Operation::Mufu, 60 + int(i), {50}));
    p.add(make(Operation::Dfma, 70, {70}));
    if (i % 3 == 2) p.add(make(Operation::Bar));
    p.warp.accesses.push_back({0, i, i, 1, AddressSpace::Global, 32, 0, 0});
    p.warp.lines.push_back(TraceLine::of(uint64_t{i} * 64 * kLineBytes, 15));
  }
  p.add(make(Operation::Exit));
  return p;
}

void expect_recorded_sums(const machine::MachineModel& model, Program p) {
  Timeline timeline;
  const KernelTiming timing = p.run(model, &timeline);
  ASSERT_FALSE(timeline.cut());
  StallCycles sums{};
  for (const Timeline::Warp& warp : timeline.warps)
    for (const Timeline::Segment& s : warp.segments) sums[unsigned(s.reason)] += s.end - s.start;
  const auto second = std::ranges::count_if(timeline.issues, &Timeline::Issue::second);
  sums[unsigned(Stall::Selected)] = static_cast<double>(timeline.issues.size()) - static_cast<double>(second);
  for (unsigned k = 0; k < kStalls; ++k) EXPECT_NEAR(sums[k], timing.stalls[k], 1e-6) << name(static_cast<Stall>(k));
  EXPECT_EQ(timeline.issues.size(), timing.issued);
  ASSERT_EQ(timeline.instructions.size(), p.code.instruction_count());
  std::vector<uint64_t> issued(timeline.instructions.size());
  for (const Timeline::Issue& i : timeline.issues) ++issued[i.instruction];
  StallCycles by_instruction{};
  for (size_t i = 0; i < issued.size(); ++i) {
    EXPECT_EQ(issued[i], timeline.instructions[i].issued);
    for (unsigned k = 0; k < kStalls; ++k) by_instruction[k] += timeline.instructions[i].stalls[k];
  }
  for (unsigned k = 0; k < kStalls; ++k) EXPECT_NEAR(by_instruction[k], timing.stalls[k], 1e-6);
}

TEST(Timeline, recordedStallsSumToTheLaunchs) {
  expect_recorded_sums(one_sm(), mixed_program(1));
  expect_recorded_sums(one_sm(), mixed_program(9));
  machine::MachineModel dual = one_sm();
  dual.dual_issue = true;
  expect_recorded_sums(dual, mixed_program(3));
}

// From its start to its end a warp issues or waits, and never both.
TEST(Timeline, issuesAndSegmentsTileAWarpsTime) {
  Timeline timeline;
  mixed_program(9).run(one_sm(), &timeline);
  ASSERT_EQ(timeline.warps.size(), 9 * 8);
  std::vector<std::map<double, double>> pieces(timeline.warps.size());
  for (size_t w = 0; w < pieces.size(); ++w)
    for (const Timeline::Segment& s : timeline.warps[w].segments) pieces[w][s.start] = s.end;
  for (const Timeline::Issue& i : timeline.issues) {
    EXPECT_FALSE(pieces[i.warp].contains(i.cycle));
    pieces[i.warp][i.cycle] = i.cycle + 1;
  }
  for (size_t w = 0; w < pieces.size(); ++w) {
    double at = timeline.warps[w].start;
    for (const auto& [start, end] : pieces[w]) {
      EXPECT_NEAR(start, at, 1e-6);
      at = end;
    }
    EXPECT_NEAR(at, timeline.warps[w].end, 1e-6);
  }
  EXPECT_TRUE(std::ranges::is_sorted(timeline.issues, {}, &Timeline::Issue::cycle));
}

TEST(Timeline, aSchedulerIssuesOneWarpAtATime) {
  Timeline timeline;
  mixed_program(9).run(one_sm(), &timeline);
  std::vector<double> last(timeline.schedulers, -1);
  for (const Timeline::Issue& i : timeline.issues) {
    double& before = last[timeline.warps[i.warp].scheduler];
    EXPECT_GE(i.cycle, before + 1);
    before = i.cycle;
  }
}

// A slot has one block at a time; blocks start when an earlier one has ended.
TEST(Timeline, blocksTakeTheSlotsOfAllMultiprocessors) {
  Timeline timeline;
  Program p = mixed_program(40);
  p.run(round_machine(), &timeline);
  ASSERT_EQ(timeline.sms, 2);
  ASSERT_EQ(timeline.blocks.size(), 40);
  std::map<std::pair<uint32_t, uint32_t>, double> free;
  for (uint64_t b = 0; b < 40; ++b) {
    const Timeline::Block& block = timeline.blocks[b];
    EXPECT_EQ(block.block, b);
    EXPECT_LT(block.sm, 2);
    EXPECT_LT(block.slot, p.per_sm);
    EXPECT_LT(block.start, block.end);
    double& last_end = free[{block.sm, block.slot}];
    EXPECT_GE(block.start, last_end);
    last_end = block.end;
  }
  EXPECT_EQ(free.size(), 4);
  for (const Timeline::Warp& warp : timeline.warps) {
    const Timeline::Block& block = timeline.blocks[warp.block];
    EXPECT_EQ(block.sm, timeline.sm);
    EXPECT_GE(warp.start, block.start);
    EXPECT_LE(warp.end, block.end);
  }
}

TEST(Timeline, dramAccessesSumToTheCounts) {
  Timeline timeline;
  const KernelTiming timing = mixed_program(1).run(one_sm(), &timeline);
  const auto hits = std::ranges::count_if(timeline.dram, &memory::DramAccess::row_hit);
  ASSERT_GT(timeline.dram.size(), 0);
  EXPECT_EQ(uint64_t(hits), timing.dram.row_hits);
  EXPECT_EQ(timeline.dram.size(), timing.dram.row_hits + timing.dram.row_misses);
  for (const memory::DramAccess& a : timeline.dram) {
    EXPECT_LT(a.channel, timeline.channels);
    EXPECT_LT(a.bank, timeline.banks);
    EXPECT_LE(a.reached, a.opened);
    EXPECT_LE(a.opened, a.data);
    EXPECT_LT(a.data, a.end);
  }
}

TEST(Timeline, recordingChangesNoTime) {
  Timeline timeline;
  const KernelTiming with = mixed_program(20).run(one_sm(), &timeline), without = mixed_program(20).run(one_sm());
  EXPECT_EQ(with.cycles, without.cycles);
  EXPECT_EQ(with.stalls, without.stalls);
}

// A recording that is full stops at one time for all warps, and says so.
TEST(Timeline, aLongLaunchIsCut) {
  Timeline timeline;
  Program p;
  p.blocks = 40, p.threads = 256, p.per_sm = 4;
  for (int i = 0; i < 400; ++i) p.add(make(Operation::Ffma, i % 3, {i % 3}));
  p.add(make(Operation::Exit));
  const KernelTiming timing = p.run(one_sm(), &timeline);
  ASSERT_GT(timing.issued, TimelineRecorder::kMostIssues);
  EXPECT_TRUE(timeline.cut());
  EXPECT_LT(timeline.warps_until, timeline.end);
  EXPECT_EQ(timeline.blocks_until, timeline.end);
  EXPECT_LE(timeline.issues.size(), TimelineRecorder::kMostIssues);
  EXPECT_GT(timeline.issues.size(), TimelineRecorder::kMostIssues - 100);
  EXPECT_LT(timeline.issues.back().cycle, timeline.warps_until);
  // Every warp is known up to its end or to that time.
  std::vector<double> known(timeline.warps.size());
  for (size_t w = 0; w < known.size(); ++w) {
    const Timeline::Warp& warp = timeline.warps[w];
    EXPECT_LT(warp.start, timeline.warps_until);
    EXPECT_LE(warp.end, timeline.warps_until);
    if (!warp.segments.empty()) known[w] = warp.segments.back().end;
  }
  for (const Timeline::Issue& i : timeline.issues) {
    ASSERT_LT(i.warp, known.size());
    known[i.warp] = std::max(known[i.warp], i.cycle + 1);
  }
  for (size_t w = 0; w < known.size(); ++w) EXPECT_GE(known[w], timeline.warps[w].end);
}

}  // namespace
}  // namespace drywarp::sm
