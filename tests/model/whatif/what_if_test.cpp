// Each change makes its cost ideal, and nothing else.
#include "model/whatif/what_if.h"

#include <gtest/gtest.h>

#include <set>

#include "../sm/program.h"
#include "model/whatif/changes.h"

namespace drywarp::whatif {
namespace {

using machine::Operation;

constexpr uint64_t kSectors = kLineBytes / kSectorBytes;

// Blocks of `warps` warps that run PTX block 0 once with all lanes. Access 0: a load of 4 bytes from global memory;
// access 1: of shared memory.
struct Launch : TimedLaunch {
  KernelInfo kernel;
  explicit Launch(size_t blocks = 1, size_t warps = 4) {
    model = sm::round_machine();
    model.max_blocks_per_sm = 16;
    code.blocks.push_back({{{0, false}},
                           {sm::make(Operation::Ldg, 1, {2}), sm::make(Operation::Lds, 3, {4}),
                            sm::make(Operation::Bar), sm::make(Operation::Exit)}});
    code.blocks[0].instructions[0].access = 0, code.blocks[0].instructions[1].access = 1;
    for (uint64_t b = 0; b < blocks; ++b) {
      trace.blocks.push_back({b, {}});
      trace.blocks.back().warps.resize(warps);
      for (WarpTrace& w : trace.blocks.back().warps) w.steps.push_back({0, ~0u, 1});
    }
    trace.blocks_in_grid = blocks;
    launch = {
        .blocks = blocks, .threads_per_block = uint32_t(32 * warps), .blocks_per_sm = 2, .instructions = 2, .sms = 1};
    for (uint32_t access : {0u, 1u}) {
      InstructionInfo in;
      in.access = access, in.load = true, in.access_bytes = 4;
      in.memory = access == 0 ? Memory::Global : Memory::Shared;
      kernel.instructions.push_back(in);
    }
    kernel.files = {"dir/a.cu"};
  }
  static void load(WarpTrace& warp, const std::vector<uint64_t>& sectors, uint8_t lanes = 32, uint32_t step = 0) {
    TraceAccess a{.step = step, .access = 0, .first_line = uint32_t(warp.lines.size()), .lanes = lanes};
    for (const uint64_t s : sectors) {
      warp.lines.push_back(TraceLine::of(s / kSectors * kLineBytes, 1u << s % kSectors));
      ++a.line_count;
    }
    warp.accesses.push_back(a);
  }
  [[nodiscard]] static std::vector<uint64_t> sectors_of(const WarpTrace& warp) {
    std::vector<uint64_t> sectors;
    for (const TraceAccess& a : warp.accesses)
      for (uint32_t i = a.first_line; i < a.first_line + a.line_count; ++i)
        for (unsigned s = 0; s < kSectors; ++s)
          if ((warp.lines[i].sectors() >> s & 1) != 0) sectors.push_back(warp.lines[i].number() * kSectors + s);
    return sectors;
  }
};

TEST(WhatIf, ScenariosHaveNamesThatAreUnderstood) {
  std::set<std::string> keys;
  for (unsigned s = 0; s < kScenarios; ++s) {
    const auto scenario = static_cast<Scenario>(s);
    EXPECT_TRUE(keys.insert(key(scenario)).second);
    EXPECT_EQ(parse_scenario(key(scenario)), scenario);
    EXPECT_FALSE(std::string(text(scenario)).empty());
  }
  const auto all = parse_questions("all,line x/a.cu:7,line a.cu:7-9");
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), kScenarios + kSettings - 1 + 2);
  const auto& lines = std::get<LineRange>(all->back().change);
  EXPECT_EQ(lines.file, "a.cu");
  EXPECT_EQ(lines.first, 7);
  EXPECT_EQ(lines.last, 9);
  for (const char* wrong : {"coalesce", "line a.cu", "line a.cu:0", "line a.cu:9-7", "line a.cu:7x", "line :7"})
    EXPECT_FALSE(parse_questions(wrong).ok()) << wrong;
}

// Eight warps walk down a column, eight columns to a sector: what the block reads in all stays the same.
TEST(WhatIf, CoalescedAccessesShareTheSectorsOfTheirBlock) {
  Launch l(1, 8);
  std::vector<uint64_t> column;
  for (uint64_t lane = 0; lane < 32; ++lane) column.push_back(lane * 32);
  for (WarpTrace& w : l.trace.blocks[0].warps) Launch::load(w, column);
  ASSERT_TRUE(change(Scenario::Coalesced, l, l.kernel));
  std::set<uint64_t> all;
  for (const WarpTrace& w : l.trace.blocks[0].warps) {
    const auto sectors = Launch::sectors_of(w);
    EXPECT_EQ(sectors.size(), 4);
    for (const uint64_t s : sectors) EXPECT_TRUE(all.insert(s).second) << "sector " << s << " twice";
  }
  EXPECT_EQ(all, std::set<uint64_t>(column.begin(), column.end()));
}

// Eight blocks of a warp, each a column: they share the sectors, so each gets others.
TEST(WhatIf, BlocksThatShareSectorsGetDifferentOnes) {
  Launch l(8, 1);
  std::vector<uint64_t> column;
  for (uint64_t lane = 0; lane < 32; ++lane) column.push_back(lane * 32);
  for (BlockTrace& b : l.trace.blocks) Launch::load(b.warps[0], column);
  ASSERT_TRUE(change(Scenario::Coalesced, l, l.kernel));
  std::set<uint64_t> all;
  for (const BlockTrace& b : l.trace.blocks)
    for (const uint64_t s : Launch::sectors_of(b.warps[0])) EXPECT_TRUE(all.insert(s).second);
  EXPECT_EQ(all, std::set<uint64_t>(column.begin(), column.end()));
}

TEST(WhatIf, CoalescedAccessesAndBroadcastsStayAsTheyAre) {
  Launch l;
  for (WarpTrace& w : l.trace.blocks[0].warps) Launch::load(w, {0, 1, 2, 3}), Launch::load(w, {9});
  EXPECT_FALSE(change(Scenario::Coalesced, l, l.kernel));
}

TEST(WhatIf, BankConflicts) {
  Launch l;
  EXPECT_FALSE(change(Scenario::NoBankConflicts, l, l.kernel));
  for (WarpTrace& w : l.trace.blocks[0].warps)
    w.accesses.push_back({.access = 1, .space = AddressSpace::Shared, .lanes = 32, .units = 32, .ideal_units = 1});
  ASSERT_TRUE(change(Scenario::NoBankConflicts, l, l.kernel));
  EXPECT_EQ(l.trace.blocks[0].warps[3].accesses[0].units, 1);
}

TEST(WhatIf, BankConflictsOfMergedLoads) {
  Launch l;
  for (WarpTrace& w : l.trace.blocks[0].warps) {
    w.accesses.push_back({.access = 1, .space = AddressSpace::Shared, .lanes = 32, .units = 1, .ideal_units = 1});
    w.accesses.back().set_wider(16, {8, 4});
  }
  ASSERT_TRUE(change(Scenario::NoBankConflicts, l, l.kernel));
  EXPECT_EQ(l.trace.blocks[0].warps[3].accesses[0].wider(16), (WiderLoad{4, 4}));
  EXPECT_FALSE(change(Scenario::NoBankConflicts, l, l.kernel));
}

// Every fourth lane of four warps runs block 1: one full warp is enough. Barriers are never dropped.
// Four warps load the same eight sectors: each is loaded once, by one of them, and comes from the tile for the others.
TEST(WhatIf, ATileServesWhatABlockLoadsAgain) {
  Launch l;
  for (WarpTrace& w : l.trace.blocks[0].warps) {
    Launch::load(w, {0, 1, 2, 3});
    Launch::load(w, {4, 5, 6, 7});
  }
  l.code.blocks[0].instructions[0].ptx = 1, l.kernel.instructions[1].address_only = true;
  ASSERT_TRUE(change(Scenario::Tiled, l, l.kernel));
  std::multiset<uint64_t> loaded;
  unsigned shared = 0;
  for (const WarpTrace& w : l.trace.blocks[0].warps) {
    for (const uint64_t sector : Launch::sectors_of(w)) loaded.insert(sector);
    for (const TraceAccess& a : w.accesses) {
      if (a.space != AddressSpace::Shared) continue;
      ++shared;
      EXPECT_EQ(a.units, 1);
    }
  }
  EXPECT_EQ(loaded, (std::multiset<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(shared, 6);
  EXPECT_NE(l.code.blocks[0].instructions[0].op, Operation::Ldg) << "a tile's addresses need no arithmetic";
}

// The rows of a matrix, one a lane: what one access needs is loaded by this access and those that follow.
TEST(WhatIf, ATileIsFilledByCoalescedLoads) {
  Launch l(1, 8);
  std::vector<uint64_t> rows;
  for (uint64_t lane = 0; lane < 32; ++lane) rows.push_back(lane * 4);
  for (WarpTrace& w : l.trace.blocks[0].warps) Launch::load(w, rows);
  ASSERT_TRUE(change(Scenario::Tiled, l, l.kernel));
  std::multiset<uint64_t> loaded;
  for (const WarpTrace& w : l.trace.blocks[0].warps) {
    const auto sectors = Launch::sectors_of(w);
    EXPECT_EQ(sectors.size(), 4);
    loaded.insert(sectors.begin(), sectors.end());
  }
  EXPECT_EQ(loaded, std::multiset<uint64_t>(rows.begin(), rows.end()));
}

TEST(WhatIf, NoTileForWhatABlockLoadsOnceOrWrites) {
  Launch once;
  for (uint64_t first = 0; WarpTrace & w : once.trace.blocks[0].warps) {
    Launch::load(w, {first, first + 1, first + 2, first + 3});
    first += 4;
  }
  EXPECT_FALSE(change(Scenario::Tiled, once, once.kernel));

  Launch writes;
  for (WarpTrace& w : writes.trace.blocks[0].warps) Launch::load(w, {0, 1, 2, 3});
  InstructionInfo store;
  store.access = 2, store.store = true, store.access_bytes = 4, store.memory = Memory::Global;
  writes.kernel.instructions.push_back(store);
  WarpTrace& last = writes.trace.blocks[0].warps.back();
  Launch::load(last, {0, 1, 2, 3});
  last.accesses.back().access = 2;
  EXPECT_FALSE(change(Scenario::Tiled, writes, writes.kernel));
}

// All lanes of four warps hit one counter: their atomics meet in shared memory, and the last one adds the sum.
TEST(WhatIf, PrivateCountersAreAddedUpOnce) {
  const auto counting = [](unsigned rounds, size_t warps) {
    Launch l(1, warps);
    InstructionInfo in;
    in.access = 2, in.load = in.store = in.atomic = true, in.access_bytes = 4, in.memory = Memory::Global;
    l.kernel.instructions.push_back(in);
    for (WarpTrace& w : l.trace.blocks[0].warps) {
      w.lines.push_back(TraceLine::of_atomic(0, 1, rounds));
      w.accesses.push_back({.access = 2, .line_count = 1, .lanes = 32, .units = uint16_t(rounds)});
    }
    return l;
  };
  Launch l = counting(32, 4);
  ASSERT_TRUE(change(Scenario::Privatized, l, l.kernel));
  const auto& warps = l.trace.blocks[0].warps;
  for (size_t w = 0; w < 3; ++w) {
    EXPECT_EQ(warps[w].accesses[0].space, AddressSpace::Shared);
    EXPECT_EQ(warps[w].accesses[0].units, 32);
  }
  const TraceAccess& flush = warps[3].accesses[0];
  EXPECT_EQ(flush.space, AddressSpace::Global);
  EXPECT_EQ(warps[3].lines[flush.first_line].rounds(), 1);

  Launch once = counting(1, 1);
  EXPECT_FALSE(change(Scenario::Privatized, once, once.kernel)) << "a counter that is updated once";
}

TEST(WhatIf, DivergentThreadsShareFullWarps) {
  Launch l;
  uint64_t at = 0;
  for (WarpTrace& w : l.trace.blocks[0].warps) {
    w.steps.push_back({1, 0x11111111, 1});
    w.steps.push_back({2, ~0u, 1});
    Launch::load(w, {at++ * 8}, 8, 1);
    w.accesses.push_back({.step = 2, .space = AddressSpace::None});
  }
  ASSERT_TRUE(change(Scenario::NoDivergence, l, l.kernel));
  unsigned ran = 0;
  std::set<uint64_t> loaded;
  for (const WarpTrace& w : l.trace.blocks[0].warps) {
    for (const WarpStep& s : w.steps) {
      EXPECT_EQ(s.lanes, ~0u);
      ran += s.block == 1 ? s.repeats : 0;
    }
    EXPECT_EQ(w.steps.back().block, 2);
    for (const uint64_t s : Launch::sectors_of(w)) loaded.insert(s);
    EXPECT_EQ(w.accesses.back().space, AddressSpace::None);
    EXPECT_EQ(w.accesses.back().step, w.steps.size() - 1);
  }
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(loaded, (std::set<uint64_t>{0, 8, 16, 24})) << "the full warp loads what the four parts loaded";
  Launch whole;
  EXPECT_FALSE(change(Scenario::NoDivergence, whole, whole.kernel));
}

TEST(WhatIf, Occupancy) {
  Launch l;
  ASSERT_TRUE(change(Scenario::OneMoreBlock, l, l.kernel));
  EXPECT_EQ(l.launch.blocks_per_sm, 3);
  ASSERT_TRUE(change(Scenario::FullOccupancy, l, l.kernel));
  EXPECT_EQ(l.launch.blocks_per_sm, 16);  // 64 warps a multiprocessor, 4 a block
  EXPECT_FALSE(change(Scenario::FullOccupancy, l, l.kernel));
  EXPECT_FALSE(change(Scenario::OneMoreBlock, l, l.kernel));
}

TEST(WhatIf, RemovedInstructionsLeaveExit) {
  Launch l;
  ASSERT_TRUE(change(Scenario::NoBarriers, l, l.kernel));
  EXPECT_EQ(l.code.blocks[0].instructions.size(), 3);
  EXPECT_FALSE(change(Scenario::NoBarriers, l, l.kernel));
  l.kernel.instructions[0].address_only = true;
  ASSERT_TRUE(change(Scenario::FreeAddresses, l, l.kernel));
  ASSERT_EQ(l.code.blocks[0].instructions.size(), 1);
  EXPECT_EQ(l.code.blocks[0].instructions[0].op, Operation::Exit);
}

TEST(WhatIf, AtomicsOfGlobalMemoryAreRemoved) {
  Launch l;
  EXPECT_FALSE(change(Scenario::NoAtomics, l, l.kernel));
  auto& code = l.code.blocks[0].instructions;
  const size_t before = code.size();
  for (const Operation op : {Operation::Red, Operation::Atomg, Operation::Atoms})
    code.insert(code.begin(), 1, {})->op = op;
  ASSERT_TRUE(change(Scenario::NoAtomics, l, l.kernel));
  ASSERT_EQ(code.size(), before + 1);
  EXPECT_EQ(code[0].op, Operation::Atoms);
}

TEST(WhatIf, OnlyOneLine) {
  Launch l(2);
  auto& code = l.code.blocks[0].instructions;
  code[0].file = code[1].file = 0, code[0].line = 7, code[1].line = 8;
  const auto questions = parse_questions("line a.cu:7,line a.cu:12");
  ASSERT_TRUE(questions.ok());
  const auto seven = seconds_if((*questions)[0], l, l.kernel), twelve = seconds_if((*questions)[1], l, l.kernel);
  ASSERT_TRUE(seven.ok() && twelve.ok());
  EXPECT_TRUE(seven->has_value());
  EXPECT_FALSE(twelve->has_value()) << "no instruction has that line";
}

// Each cost made ideal makes a launch that pays it faster, and no launch slower.
TEST(WhatIf, IdealCostsSaveTime) {
  Launch l(32, 8);
  uint64_t at = 0;
  for (BlockTrace& b : l.trace.blocks)
    for (WarpTrace& w : b.warps) {
      std::vector<uint64_t> apart;
      for (int lane = 0; lane < 32; ++lane) apart.push_back(at++ * 64);
      Launch::load(w, apart);
      w.accesses.push_back({.access = 1, .space = AddressSpace::Shared, .lanes = 32, .units = 32, .ideal_units = 1});
    }
  l.launch.shared_capacity = 0;
  const auto timed = sm::time_launch(l.model, l.code, l.trace, l.launch);
  ASSERT_TRUE(timed.ok());
  for (const char* cost :
       {"coalesced", "no-bank-conflicts", "l1-hits", "l2-hits", "fast-dram", "fast-shared", "full-occupancy"}) {
    const auto questions = parse_questions(cost);
    ASSERT_TRUE(questions.ok());
    const auto seconds = seconds_if(questions->front(), l, l.kernel);
    ASSERT_TRUE(seconds.ok() && seconds->has_value()) << cost;
    EXPECT_LT(**seconds, timed->seconds * 1.001) << cost;
    if (std::string(cost) == "coalesced" || std::string(cost) == "l1-hits")
      EXPECT_LT(**seconds, timed->seconds / 2) << cost;
  }
}

// The same sectors again; other lanes, other sectors, another instruction are loads of their own.
TEST(WhatIf, ReloadsAreThoseOfTheSameInstructionAndSectors) {
  Launch l(1, 1);
  WarpTrace& w = l.trace.blocks[0].warps[0];
  w.steps[0].repeats = 4;
  Launch::load(w, {0, 1, 2, 3});
  Launch::load(w, {0, 1, 2, 3}, 32, 1);
  Launch::load(w, {0, 1, 2, 4}, 32, 2);
  Launch::load(w, {0, 1, 2, 4}, 16, 3);
  ASSERT_TRUE(change(Scenario::NoReloads, l, l.kernel));
  ASSERT_EQ(w.accesses.size(), 3u);
  EXPECT_EQ(w.accesses[1].step, 2u);
  EXPECT_FALSE(change(Scenario::NoReloads, l, l.kernel));
}

TEST(WhatIf, WhatNeighbouringBlocksBothLoadIsLoadedOnce) {
  Launch l(4, 1);
  for (uint64_t b = 0; b < 4; ++b) {
    WarpTrace& w = l.trace.blocks[b].warps[0];
    w.steps[0].repeats = 2;
    Launch::load(w, {0, 1, 2, 3});                   // of all blocks
    Launch::load(w, {100 * b, 100 * b + 1}, 32, 1);  // its own
  }
  ASSERT_TRUE(change(Scenario::Coarsened, l, l.kernel));
  for (uint64_t b = 0; b < 4; ++b) EXPECT_EQ(l.trace.blocks[b].warps[0].accesses.size(), b % 2 == 0 ? 2u : 1u) << b;
  EXPECT_EQ(l.trace.blocks[3].warps[0].accesses[0].step, 1u);
  EXPECT_FALSE(change(Scenario::Coarsened, l, l.kernel));
  Launch apart(2, 1);
  Launch::load(apart.trace.blocks[0].warps[0], {0});
  Launch::load(apart.trace.blocks[1].warps[0], {1});
  EXPECT_FALSE(change(Scenario::Coarsened, apart, apart.kernel));
}

// Four warps become one, whose access touches what theirs did.
TEST(WhatIf, WideAccessesMergeFourWarps) {
  Launch l(8, 2);
  l.code.blocks[0].instructions = {sm::make(Operation::Ldg, 1, {2}), sm::make(Operation::Fadd, 3, {1}),
                                   sm::make(Operation::Exit)};
  l.code.blocks[0].instructions[0].access = 0, l.code.blocks[0].instructions[0].space = AddressSpace::Global;
  l.code.blocks[0].instructions[0].bytes = 4;
  l.code.blocks[0].instructions[1].ptx = 1;
  l.kernel.instructions[1] = {};
  l.kernel.instructions[1].klass = InstructionClass::Fp32;
  uint64_t first = 0;
  for (BlockTrace& b : l.trace.blocks)
    for (WarpTrace& w : b.warps) Launch::load(w, {first, first + 1, first + 2, first + 3}), first += 4;
  ASSERT_TRUE(change(Scenario::WideAccesses, l, l.kernel));
  ASSERT_EQ(l.trace.blocks.size(), 2u);
  EXPECT_EQ(l.launch.blocks, 2u);
  const WarpTrace& w = l.trace.blocks[1].warps[0];
  EXPECT_EQ(Launch::sectors_of(w).size(), 16u);
  EXPECT_EQ(Launch::sectors_of(w).front(), 32u);
  EXPECT_EQ(l.code.blocks[0].instructions.size(), 6u);  // one load, four additions
  EXPECT_EQ(l.code.blocks[0].instructions[0].bytes, 16);
  l.kernel.instructions[0].access_bytes = 16;  // wide already
  EXPECT_FALSE(change(Scenario::WideAccesses, l, l.kernel));
}

// All loads of a warp at once take about as long as one; their number still costs.
TEST(WhatIf, LoadsInFlightAtOnceTakeOneLatency) {
  Launch l(1, 1);
  WarpTrace& w = l.trace.blocks[0].warps[0];
  l.code.blocks[0].instructions = {sm::make(Operation::Ldg, 1, {2}), sm::make(Operation::Iadd3, 2, {1})};
  l.code.blocks[0].instructions[0].access = 0, l.code.blocks[0].instructions[0].space = AddressSpace::Global;
  l.code.blocks.push_back({{{1, false}}, {sm::make(Operation::Exit)}});
  w.steps[0].repeats = 8;
  w.steps.push_back({1, ~0u, 1});
  for (uint32_t i = 0; i < 8; ++i) Launch::load(w, {1000 * i}, 32, i);
  const auto seconds = [](const TimedLaunch& launch) {
    return sm::time_launch(launch.model, launch.code, launch.trace, launch.launch)->seconds;
  };
  const double before = seconds(l);
  l.trace.blocks[0].warps[0].accesses.resize(1);
  const double one = seconds(l);
  for (uint32_t i = 1; i < 8; ++i) Launch::load(w, {1000 * i}, 32, i);
  ASSERT_TRUE(change(Scenario::HiddenLoads, l, l.kernel));
  const double hidden = seconds(l);
  EXPECT_GT(before, 5 * one);
  EXPECT_LT(hidden, 1.3 * one);
  EXPECT_GT(hidden, 0.9 * one);
  EXPECT_FALSE(change(Scenario::HiddenLoads, l, l.kernel));
}

TEST(WhatIf, LocalMemoryInRegistersIsSpillsAndLocalAccesses) {
  Launch l;
  auto& all = l.code.blocks[0].instructions;
  const size_t before = all.size();
  EXPECT_FALSE(change(Scenario::NoLocal, l, l.kernel));
  all.insert(all.begin(), sm::make(Operation::Stl));
  all[0].space = AddressSpace::Local;
  all.insert(all.begin(), sm::make(Operation::Stl));
  all[0].spill = true;
  ASSERT_TRUE(change(Scenario::NoLocal, l, l.kernel));
  EXPECT_EQ(all.size(), before);
}

TEST(WhatIf, BlockSlotsAreOnlyLiftedIfTheyLimit) {
  Launch l(1, 1);
  l.launch.blocks_per_sm = 15;  // of 16
  EXPECT_FALSE(change(Scenario::MoreBlockSlots, l, l.kernel));
  l.launch.blocks_per_sm = 16;
  ASSERT_TRUE(change(Scenario::MoreBlockSlots, l, l.kernel));
  EXPECT_EQ(l.launch.blocks_per_sm, 64u);
}

TEST(WhatIf, QuestionsAreReadAndExplained) {
  const auto questions = parse_questions("registers=32,more-warps=8,block-size,carveout=0,device=h200,line a.cu:3");
  ASSERT_TRUE(questions.ok()) << questions.problem().to_string();
  ASSERT_EQ(questions->size(), 6u);
  EXPECT_EQ(std::get<ChosenSetting>((*questions)[0].change).value, "32");
  EXPECT_EQ(std::get<MoreWarps>((*questions)[1].change).warps, 8u);
  EXPECT_EQ(std::get<ChosenSetting>((*questions)[2].change).value, "");
  EXPECT_EQ(std::get<ChosenSetting>((*questions)[3].change).value, "0");
  EXPECT_EQ(std::get<ChosenSetting>((*questions)[4].change).setting, Setting::Device);
  EXPECT_EQ(std::get<LineRange>((*questions)[5].change).first, 3u);
  EXPECT_EQ(meaning("registers=32"), "compiled with -maxrregcount=32");
  EXPECT_EQ(meaning("more-warps=8"), "8 more warps fit on an SM, in whole blocks");
  EXPECT_EQ(meaning("line a.cu:3"), "only a.cu:3 costs time");
  EXPECT_TRUE(is_setting("registers=32") && is_setting("device=a100"));
  EXPECT_FALSE(is_setting("more-warps=8") || is_setting("coalesced") || is_setting("line a.cu:3"));
  for (const char* wrong : {"registers=8", "registers=", "block-size=33", "carveout=101", "more-warps=0", "more-warps",
                            "device", "device=nosuch", "coalesced=1"})
    EXPECT_FALSE(parse_questions(wrong).ok()) << wrong;
}

TEST(WhatIf, AllAsksForEverySettingButOtherGpus) {
  const auto questions = parse_questions("all");
  ASSERT_TRUE(questions.ok());
  EXPECT_EQ(questions->size(), kScenarios + kSettings - 1);
}

TEST(WhatIf, MoreWarpsComeInWholeBlocks) {
  Launch l(8, 4);
  EXPECT_EQ(l.launch.blocks_per_sm, 2u);
  ASSERT_TRUE(add_warps(l, {1}));
  EXPECT_EQ(l.launch.blocks_per_sm, 3u);
  ASSERT_TRUE(add_warps(l, {5}));
  EXPECT_EQ(l.launch.blocks_per_sm, 5u);
  ASSERT_TRUE(add_warps(l, {64}));
  EXPECT_EQ(l.launch.blocks_per_sm, l.model.max_warps_per_sm / 4);
  EXPECT_FALSE(add_warps(l, {1}));
}

TEST(WhatIf, WarpsAreDealtOutAgain) {
  Launch l(8, 4);
  uint32_t number = 0;
  for (BlockTrace& block : l.trace.blocks)
    for (WarpTrace& warp : block.warps) warp.steps[0].repeats = ++number;
  ASSERT_TRUE(regroup(l, 8 * 32));
  ASSERT_EQ(l.trace.blocks.size(), 4u);
  EXPECT_EQ(l.launch.blocks, 4u);
  EXPECT_EQ(l.trace.blocks_in_grid, 4u);
  EXPECT_EQ(l.launch.threads_per_block, 256u);
  number = 0;
  for (const BlockTrace& block : l.trace.blocks) {
    EXPECT_EQ(block.block, &block - l.trace.blocks.data());
    EXPECT_EQ(block.warps.size(), 8u);
    for (const WarpTrace& warp : block.warps) EXPECT_EQ(warp.steps[0].repeats, ++number);
  }
  EXPECT_EQ(number, 32u);
  ASSERT_TRUE(regroup(l, 32));
  EXPECT_EQ(l.trace.blocks.size(), 32u);
  EXPECT_FALSE(regroup(l, 32));  // as it is
}

TEST(WhatIf, APartOfARecordingHasWholeBlocks) {
  Launch l(8, 4);
  l.trace.blocks.resize(5);  // 20 of 32 warps
  ASSERT_TRUE(regroup(l, 8 * 32));
  EXPECT_EQ(l.trace.blocks.size(), 2u);
  EXPECT_EQ(l.launch.blocks, 4u);
  Launch odd(8, 4);
  odd.launch.threads_per_block = 100;
  EXPECT_FALSE(regroup(odd, 64));  // its last warp has four threads
}

}  // namespace
}  // namespace drywarp::whatif
