// Traces against the counters of the same launch: the sums of a trace equal the counts.
#include <bit>
#include <optional>

#include "base/events/rare_cases.h"
#include "engine/observe/tracer.h"
#include "machine.h"

namespace drywarp::exec {
namespace {

// Every thread loops tid % 5 times over strided global loads, one of them guarded, and a conflicting shared store; odd
// lanes take another path and add to the first word; then a barrier and a shared load, stored by all but the first
// thread.
const std::string kBusy = kernel(R"(
  mov.u32 %r5, 0;
  rem.u32 %r4, %r0, 5;
  add.u32 %r4, %r4, 1;
  mul.lo.u32 %r6, %r0, 12;
  mov.u32 %r7, buffer; add.u32 %r6, %r6, %r7;
  ld.param.u64 %rd3, [in];
  mov.u32 %r10, 0;
LOOP:
  mul.lo.u32 %r8, %r5, 96;
  mad.lo.u32 %r8, %r1, 3, %r8;
  mul.wide.u32 %rd4, %r8, 4;
  add.u64 %rd4, %rd3, %rd4;
  ld.global.u32 %r9, [%rd4];
  setp.gt.u32 %p1, %r5, 1;
  @%p1 ld.global.u32 %r11, [%rd4+4];
  add.u32 %r10, %r10, %r9;
  st.shared.u32 [%r6], %r10;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, %r4;
  @%p2 bra LOOP;
  and.b32 %r12, %r0, 1;
  setp.eq.u32 %p3, %r12, 0;
  @%p3 bra EVEN;
  atom.global.add.u32 %r13, [%rd0], 1;
EVEN:
  bar.sync 0;
  ld.shared.u32 %r14, [%r6];
  setp.ne.u32 %p4, %r1, 0;
  @%p4 st.global.u32 [%rd1], %r14;
)",
                                 ".shared .align 4 .b8 buffer[4096];\n");

// Of today's devices, of Kepler and of GT200.
const SharedBanks kBankCounts[] = {{}, {BankRule::Kepler, 32, 8, 4}, {BankRule::Tesla, 16, 4, 4}};

struct Sums {
  std::vector<BlockCounts> blocks;
  std::vector<uint64_t> requests, units, lanes;
  uint64_t barriers = 0;
};

Sums sums_of(const LaunchTrace& trace, const LaunchCounts& like) {
  Sums sums;
  sums.blocks.resize(like.blocks.size());
  sums.requests.resize(like.accesses.size());
  sums.units.resize(like.accesses.size());
  sums.lanes.resize(like.accesses.size());
  for (const BlockTrace& block : trace.blocks) {
    for (const WarpTrace& warp : block.warps) {
      uint32_t steps = 0;
      for (const WarpStep& s : warp.steps) {
        sums.blocks.at(s.block).warps += s.repeats;
        sums.blocks.at(s.block).lanes += uint64_t{s.repeats} * static_cast<unsigned>(std::popcount(s.lanes));
        steps += s.repeats;
      }
      size_t line = 0;
      uint32_t last = 0;
      for (const TraceAccess& a : warp.accesses) {
        EXPECT_LT(a.step, steps);
        EXPECT_GE(a.step, last);
        last = a.step;
        uint64_t sectors = 0;
        for (unsigned i = 0; i < a.line_count; ++i)
          sectors += static_cast<unsigned>(std::popcount(warp.lines.at(line++).sectors()));
        if (a.space == AddressSpace::None) {
          ++sums.barriers;
          continue;
        }
        ++sums.requests.at(a.access);
        sums.lanes.at(a.access) += a.lanes;
        sums.units.at(a.access) += a.space == AddressSpace::Shared ? a.units : sectors;
      }
      EXPECT_EQ(line, warp.lines.size());
    }
  }
  return sums;
}

TEST(Trace, saysWhatWasCounted) {
  for (const SharedBanks& banks : kBankCounts) {
    Machine machine(kBusy);
    machine.shared_banks = banks;
    machine.trace = {1000, uint64_t{1} << 30};
    const uint64_t in = machine.words(1 << 16);
    machine.run({6}, {100}, in);
    ASSERT_TRUE(machine.last.trace);
    ASSERT_EQ(machine.last.trace->blocks.size(), 6);
    const LaunchCounts& counts = machine.last.counts;
    const Sums sums = sums_of(*machine.last.trace, counts);
    for (size_t b = 0; b < counts.blocks.size(); ++b) {
      EXPECT_EQ(sums.blocks[b].warps, counts.blocks[b].warps) << b;
      EXPECT_EQ(sums.blocks[b].lanes, counts.blocks[b].lanes) << b;
    }
    uint64_t seen = 0;
    for (const InstructionInfo& i : machine.last.kernel->instructions) {
      if (i.access == InstructionInfo::kNone) continue;
      const AccessCounts& c = counts.accesses[i.access];
      EXPECT_EQ(sums.requests[i.access], c.requests) << i.text;
      EXPECT_EQ(sums.lanes[i.access], c.lanes) << i.text;
      if (!i.atomic) EXPECT_EQ(sums.units[i.access], c.units) << i.text;
      seen += c.requests;
    }
    EXPECT_GT(seen, 100);
    EXPECT_EQ(sums.barriers, 6 * 4);
  }
}

TEST(Trace, isTheSameOnEveryNumberOfWorkersAndEveryCpu) {
  std::vector<LaunchTrace> traces;
  for (const auto& [workers, cpu] : {std::pair{1u, "avx512"}, {2u, "avx2"}, {4u, "sse"}}) {
    EngineOptions options;
    options.workers = workers, options.cpu = cpu;
    Machine machine(kBusy, options);
    machine.trace = {40, 20'000, ~uint64_t{0}, 8};  // bytes for some of the blocks
    machine.run({64}, {100}, machine.words(1 << 16));
    traces.push_back(*machine.last.trace);
  }
  EXPECT_GT(traces[0].blocks.size(), 2);
  EXPECT_LT(traces[0].blocks.size(), 40);
  ASSERT_EQ(traces[0].sample_blocks.size(), 8);
  for (uint64_t w = 0; w < 8; ++w) {
    const BlockLines& sample_block = traces[0].sample_blocks[w];
    EXPECT_EQ(sample_block.block / 8, w);  // one from each eighth of the grid
    EXPECT_FALSE(sample_block.lines.empty());
    if (sample_block.block < traces[0].blocks.size())
      EXPECT_EQ(sample_block.lines, lines_of(traces[0].blocks[sample_block.block], traces[0].loads).lines);
  }
  for (size_t t = 1; t < traces.size(); ++t) {
    ASSERT_EQ(traces[t].blocks.size(), traces[0].blocks.size());
    ASSERT_EQ(traces[t].sample_blocks.size(), 8);
    for (size_t w = 0; w < 8; ++w) EXPECT_EQ(traces[t].sample_blocks[w].lines, traces[0].sample_blocks[w].lines);
    for (size_t b = 0; b < traces[0].blocks.size(); ++b) {
      EXPECT_EQ(traces[t].blocks[b].block, b);
      for (size_t w = 0; w < traces[0].blocks[b].warps.size(); ++w) {
        const WarpTrace &x = traces[0].blocks[b].warps[w], &y = traces[t].blocks[b].warps[w];
        ASSERT_EQ(x.lines.size(), y.lines.size());
        for (size_t i = 0; i < x.lines.size(); ++i) EXPECT_EQ(x.lines[i].packed, y.lines[i].packed);
        ASSERT_EQ(x.steps.size(), y.steps.size());
        for (size_t i = 0; i < x.steps.size(); ++i) {
          EXPECT_EQ(x.steps[i].block, y.steps[i].block);
          EXPECT_EQ(x.steps[i].lanes, y.steps[i].lanes);
          EXPECT_EQ(x.steps[i].repeats, y.steps[i].repeats);
        }
      }
    }
  }
}

// One rare case a row: an instruction, its operands in lane 5 and in all others, what the others are.
TEST(Trace, saysWhichDivisionsAndRootsAreRare) {
  struct Row {
    std::string instruction;
    double common, other, rare;
    std::optional<RareCase> found;
  };
  const Row rows[] = {
      {"div.rn.f32 %f3, %f1, %f2", 3, 7, 0, RareCase::FloatQuotientOfSpecial},
      {"div.rn.f32 %f3, %f1, %f2", 3, 7, 0x1p-102, std::nullopt},
      {"div.rn.f32 %f3, %f1, %f2", 3, 7, 0x1.8p-103, RareCase::FloatQuotientScaled},
      {"div.rn.f32 %f3, %f1, %f2", 0x1p-90, 0x1p30, 0x1p-120, RareCase::FloatQuotientScaled},
      {"div.rn.f32 %f3, %f1, %f2", 3, 7, 0x1p-127, RareCase::FloatQuotientSubnormal},
      {"div.rn.ftz.f32 %f3, %f2, %f1", 3, 7, 0x1p127, RareCase::FloatQuotientScaled},
      {"div.full.f32 %f3, %f1, %f2", 3, 7, 0, std::nullopt},
      {"rcp.rn.f32 %f3, %f1", 3, 7, 0x1p126, RareCase::FloatReciprocal},
      {"rcp.rn.f32 %f3, %f1", 3, 7, 0x1p125, std::nullopt},
      {"sqrt.rn.f32 %f3, %f1", 3, 7, 0, RareCase::FloatRootOfSpecial},
      {"sqrt.rn.f32 %f3, %f1", 3, 7, 0x1p-102, RareCase::FloatRootOfTiny},
      {"sqrt.rn.f32 %f3, %f1", 3, 7, 0x1p-100, std::nullopt},
      {"div.rn.f64 %rd7, %rd5, %rd6", 3, 7, 0, RareCase::DoubleQuotient},
      {"div.rn.f64 %rd7, %rd5, %rd6", 3, 7, 0x1p-900, std::nullopt},
      {"rcp.rn.f64 %rd7, %rd5", 3, 7, 0x1p1023, RareCase::DoubleReciprocal},
      {"sqrt.rn.f64 %rd7, %rd5", 3, 7, 0, RareCase::DoubleRoot},
      {"sqrt.rn.f64 %rd7, %rd5", 3, 7, 0x1p-900, std::nullopt},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.instruction + " of " + std::to_string(row.rare));
    const bool two_words = row.instruction.find("f64") != std::string::npos;
    Machine machine(
        kernel("ld.param.u64 %rd3, [in]; mul.wide.u32 %rd4, %r0, 8; add.u64 %rd3, %rd3, %rd4;"
               "ld.global.u64 %rd5, [%rd3]; ld.global.u64 %rd6, [%rd3+512];"
               "cvt.rn.f32.f64 %f1, %rd5; cvt.rn.f32.f64 %f2, %rd6;" +
               row.instruction + (two_words ? "; cvt.rn.f32.f64 %f3, %rd7" : "") + "; st.global.f32 [%rd1], %f3;"));
    machine.trace = {1, uint64_t{1} << 20};
    std::vector<double> operands(128, row.other);
    std::fill_n(operands.begin(), 64, row.common);
    operands[37] = row.rare;  // of the second warp
    machine.run({1}, {64}, machine.upload(operands));
    ASSERT_TRUE(machine.last.trace);
    std::vector<TraceAccess> rare;
    for (const WarpTrace& warp : machine.last.trace->blocks.at(0).warps)
      for (const TraceAccess& a : warp.accesses)
        if (a.is_of_instruction()) rare.push_back(a);
    ASSERT_EQ(rare.size(), row.found ? 1 : 0);
    if (!row.found) continue;
    EXPECT_EQ(rare[0].lanes, 1);
    EXPECT_EQ(rare[0].units, 1u << unsigned(*row.found));
    const std::string text = machine.last.kernel->instructions.at(rare[0].access).text;
    EXPECT_EQ(text.substr(0, text.find(' ')), row.instruction.substr(0, row.instruction.find(' ')));
  }
}

TEST(Trace, hasHowManyValuesLanesMatch) {
  // Lanes by thirds; of those below 16 by fours, 64 bits whose high words alone differ; one value.
  Machine machine(kernel(R"(
    div.u32 %r5, %r0, 3; match.any.sync.b32 %r6, %r5, 0xffffffff;
    and.b32 %r5, %r0, 0; match.any.sync.b32 %r7, %r5, 0xffffffff; add.u32 %r6, %r6, %r7;
    setp.ge.u32 %p1, %r0, 16; @%p1 bra end;
    and.b32 %r5, %r0, 3; mov.b64 %rd4, {%r7, %r5}; match.any.sync.b64 %r8, %rd4, 0xffff; add.u32 %r6, %r6, %r8;
    st.global.u32 [%rd1], %r6;
    end:)"));
  machine.trace = {1, uint64_t{1} << 20};
  machine.run({1}, {32}, 0);
  ASSERT_TRUE(machine.last.trace);
  std::vector<std::pair<int, int>> found;  // values, lanes
  for (const TraceAccess& a : machine.last.trace->blocks.at(0).warps.at(0).accesses)
    if (a.is_of_instruction()) found.emplace_back(a.units, a.lanes);
  EXPECT_EQ(found, (std::vector<std::pair<int, int>>{{11, 32}, {4, 16}}));
}

TEST(Trace, hasTheWordsOfConstantsThatLanesLoad) {
  // All lanes one word; the bytes of eight words; a word for every third lane's number, of the first 16 lanes.
  Machine machine(kernel(R"(
    mov.u64 %rd4, c; cvt.u64.u32 %rd2, %r0; and.b32 %r5, %r0, 0; cvt.u64.u32 %rd3, %r5; add.u64 %rd3, %rd3, %rd4;
    ld.const.u32 %r6, [%rd3];
    add.u64 %rd3, %rd2, %rd4; ld.const.u8 %r7, [%rd3];
    setp.ge.u32 %p1, %r0, 16; @%p1 bra end;
    div.u32 %r8, %r0, 3; mul.wide.u32 %rd3, %r8, 4; add.u64 %rd3, %rd3, %rd4; ld.const.u32 %r9, [%rd3];
    add.u32 %r6, %r6, %r9; add.u32 %r6, %r6, %r7; st.global.u32 [%rd1], %r6;
    end:)",
                         ".const .align 4 .b8 c[256];\n"));
  machine.trace = {1, uint64_t{1} << 20};
  machine.run({1}, {32}, 0);
  ASSERT_TRUE(machine.last.trace);
  std::vector<std::pair<int, int>> found;  // words, lanes
  for (const TraceAccess& a : machine.last.trace->blocks.at(0).warps.at(0).accesses)
    if (a.space == AddressSpace::Const) found.emplace_back(a.units, a.lanes);
  EXPECT_EQ(found, (std::vector<std::pair<int, int>>{{8, 32}, {6, 16}}));
}

TEST(Trace, hasBytesOfLocalMemoryAsPartsOfSectors) {
  // A byte of each thread, a word, and a byte at the lane's number: eight different words.
  Machine machine(kernel(R"(
    .local .align 4 .b8 own[64];
    mov.u64 %rd4, own; cvt.u64.u32 %rd2, %r0; add.u64 %rd3, %rd2, %rd4;
    st.local.u8 [%rd4+1], %r0; st.local.u32 [%rd4+4], %r0; st.local.u8 [%rd3], %r0;
    ld.local.u32 %r6, [%rd4]; st.global.u32 [%rd1], %r6;)"));
  machine.trace = {1, uint64_t{1} << 20};
  machine.run({1}, {32}, 0);
  ASSERT_TRUE(machine.last.trace);
  const WarpTrace& warp = machine.last.trace->blocks.at(0).warps.at(0);
  struct Stored {
    int lines;
    unsigned sectors, parts, bytes;  // of the first
    bool operator==(const Stored&) const = default;
  };
  std::vector<Stored> found;
  for (const TraceAccess& a : warp.accesses) {
    if (a.space != AddressSpace::Local) continue;
    const TraceLine& line = warp.lines.at(a.first_line);
    found.push_back({a.line_count, line.sectors(), line.parts(), line.part_bytes()});
  }
  const std::vector<Stored> expected{{1, 15, 15, 8}, {1, 15, 0, 0}, {8, 1, 1, 4}, {1, 15, 0, 0}};
  EXPECT_TRUE(found == expected);
}

TEST(Trace, saysWhatAccessesOfSharedMemoryWouldCostMerged) {
  // 16 lanes read a word in each 16 bytes, the other 16 the same words; then adjacent words; then 8 bytes each. All
  // write a word in each 16 bytes.
  Machine machine(kernel(R"(
  mov.u32 %r6, buffer;
  and.b32 %r4, %r0, 15;
  shl.b32 %r5, %r4, 4; add.u32 %r5, %r5, %r6;
  ld.shared.u32 %r7, [%r5+4];
  shl.b32 %r8, %r0, 2; add.u32 %r8, %r8, %r6;
  ld.shared.u32 %r9, [%r8];
  ld.shared.v2.u32 {%r10, %r11}, [%r5+8];
  add.u32 %r7, %r7, %r9; add.u32 %r7, %r7, %r10; add.u32 %r7, %r7, %r11;
  st.global.u32 [%rd1], %r7;
  shl.b32 %r5, %r0, 4; add.u32 %r5, %r5, %r6;
  st.shared.u32 [%r5+4], %r7;
)",
                         ".shared .align 16 .b8 buffer[4096];\n"));
  machine.trace = {1, uint64_t{1} << 30};
  machine.run({1}, {32}, machine.words(1 << 16));
  ASSERT_TRUE(machine.last.trace);
  std::vector<TraceAccess> accesses;
  for (const TraceAccess& a : machine.last.trace->blocks.at(0).warps.at(0).accesses)
    if (a.space == AddressSpace::Shared) accesses.push_back(a);
  ASSERT_EQ(accesses.size(), 4);
  EXPECT_EQ(accesses[0].units, 2);
  EXPECT_EQ(accesses[0].wider(8), (WiderLoad{4, 2}));
  EXPECT_EQ(accesses[0].wider(16), (WiderLoad{4, 4}));
  EXPECT_EQ(accesses[1].wider(8), WiderLoad{});
  EXPECT_EQ(accesses[1].wider(16), WiderLoad{});
  EXPECT_EQ(accesses[2].units, 4);
  EXPECT_EQ(accesses[2].wider(8), WiderLoad{});
  EXPECT_EQ(accesses[2].wider(16), (WiderLoad{4, 4}));
  EXPECT_EQ(accesses[3].units, 4);
  EXPECT_EQ(accesses[3].wider(8), (WiderLoad{4, 2}));
  EXPECT_EQ(accesses[3].wider(16), (WiderLoad{4, 4}));
}

TEST(Trace, leavesCountsAndResultsAsTheyAre) {
  Machine plain(kBusy), traced(kBusy);
  traced.trace = {10, uint64_t{1} << 30};
  const auto a = plain.run({64}, {100}, plain.words(1 << 16));
  const auto b = traced.run({64}, {100}, traced.words(1 << 16));
  EXPECT_EQ(a, b);
  EXPECT_EQ(traced.last.trace->blocks.size(), 10);
  ASSERT_EQ(plain.last.counts.accesses.size(), traced.last.counts.accesses.size());
  EXPECT_EQ(plain.last.counts.blocks_run, traced.last.counts.blocks_run);
  for (size_t i = 0; i < plain.last.counts.accesses.size(); ++i)
    EXPECT_EQ(plain.last.counts.accesses[i].units, traced.last.counts.accesses[i].units);
}

// The rest of a partially recorded launch runs untraced, and no block is lost or runs twice.
TEST(Trace, endsWithinItsInstructions) {
  Machine plain(kBusy);
  const auto expected = plain.run({64}, {100}, plain.words(1 << 16));
  uint64_t executed = 0;
  for (const InstructionInfo& i : plain.last.kernel->instructions) executed += plain.last.counts.blocks[i.block].warps;
  for (const unsigned workers : {1u, 3u}) {
    EngineOptions options;
    options.workers = workers;
    Machine machine(kBusy, options);
    machine.trace = {64, uint64_t{1} << 30, executed / 4};
    EXPECT_EQ(machine.run({64}, {100}, machine.words(1 << 16)), expected);
    EXPECT_EQ(machine.last.counts.blocks_run, 64);
    EXPECT_EQ(machine.last.trace->blocks.size(), 16) << workers;
  }
}

// A worker that has taken a block but not begun it is overtaken by others that spend the budget.
TEST(Trace, recordsABlockThatOthersOvertook) {
  KernelInfo kernel;
  kernel.instructions.resize(1);
  observe::Tracer tracer({64, uint64_t{1} << 30, 10}, {kernel, 64, 1, {}});
  const auto spend = [&](uint64_t block, uint32_t instructions) {
    auto recorder = tracer.begin(block);
    ASSERT_TRUE(recorder);
    for (uint32_t i = 0; i < instructions; ++i) recorder->step({0, 0, ~0u});
    tracer.end(std::move(recorder));
  };
  spend(0, 1);
  spend(2, 5);
  spend(3, 5);
  EXPECT_EQ(tracer.next(4).first, tracer.next(4).end);  // the budget is spent
  EXPECT_FALSE(tracer.begin(4));
  spend(1, 1);
  EXPECT_EQ(tracer.take()->blocks.size(), 3u);
}

TEST(Trace, keepsTheBlocksOfFewerSmsAsTheyAreMore) {
  uint64_t a_block = 0;
  {
    Machine machine(kBusy);
    machine.trace = {64, uint64_t{1} << 30};
    machine.run({64}, {100}, machine.words(1 << 16));
    const LaunchTrace& trace = *machine.last.trace;
    ASSERT_EQ(trace.blocks.size(), 64);
    EXPECT_TRUE(trace.rows.all());
    const auto sizes = block_sizes(*machine.last.kernel);
    for (const BlockTrace& block : trace.blocks) a_block = std::max(a_block, instructions_of(block, sizes));
  }
  // All fit; those of 8 of 16 SMs; of 4; of 2, in part.
  const uint64_t fits[] = {64, 40, 20, 5};
  const BlockRows rows[] = {{16, 16}, {16, 8}, {16, 4}, {16, 2}};
  const uint64_t blocks[] = {64, 32, 16, 5};
  for (size_t i = 0; i < std::size(fits); ++i)
    for (unsigned workers : {1u, 2u, 4u}) {
      EngineOptions options;
      options.workers = workers;
      Machine machine(kBusy, options);
      const uint64_t most = fits[i] * a_block;
      machine.trace = {64, uint64_t{1} << 30, ~uint64_t{0}, 8, 0, {{16, most}, {8, most}, {4, most}, {2, most}}};
      machine.run({64}, {100}, machine.words(1 << 16));
      const LaunchTrace& trace = *machine.last.trace;
      EXPECT_EQ(trace.rows, rows[i]) << i;
      ASSERT_EQ(trace.blocks.size(), blocks[i]) << i;
      for (size_t b = 0; b < trace.blocks.size(); ++b) {
        EXPECT_TRUE(rows[i].hold(trace.blocks[b].block));
        EXPECT_EQ(rows[i].count(trace.blocks[b].block), b);
      }
      ASSERT_EQ(trace.sample_blocks.size(), 8);
      for (const BlockLines& sample : trace.sample_blocks)
        EXPECT_EQ(sample.place, rows[i].hold(sample.block) ? rows[i].count(sample.block) : BlockLines::kOther);
      EXPECT_EQ(machine.last.counts.blocks_run, 64);
    }
}

TEST(Trace, ofABlockBeyondTheBudgetIsAbandoned) {
  for (const TraceRequest& limits : {TraceRequest{64, 200}, TraceRequest{64, uint64_t{1} << 30, 20}}) {
    Machine machine(kBusy);
    machine.trace = limits;
    machine.run({64}, {100}, machine.words(1 << 16));
    EXPECT_EQ(machine.last.counts.blocks_run, 64);
    ASSERT_TRUE(machine.last.trace);
    EXPECT_TRUE(machine.last.trace->blocks.empty());
  }
}

TEST(Samples, holdTheCostliestWarpsLanes) {
  for (const SharedBanks& banks : kBankCounts) {
    Machine machine(kBusy);
    machine.shared_banks = banks;
    machine.sampled = true;
    machine.run({6}, {100}, machine.words(1 << 16));
    ASSERT_TRUE(machine.last.samples);
    EXPECT_FALSE(machine.last.trace);
    const LaunchCounts& counts = machine.last.counts;
    unsigned found = 0;
    for (const InstructionInfo& i : machine.last.kernel->instructions) {
      if (i.access == InstructionInfo::kNone || counts.accesses[i.access].requests == 0) continue;
      for (const AccessSample& s : *machine.last.samples) {
        if (s.access != i.access) continue;
        ++found;
        EXPECT_EQ(s.memory, i.memory) << i.text;
        EXPECT_EQ(s.size, i.access_bytes) << i.text;
        EXPECT_EQ(s.atomic, i.atomic) << i.text;
        EXPECT_NE(s.lanes, 0) << i.text;
        // No warp costs more than the costliest, and that one's cost is its addresses'.
        EXPECT_GE(s.units * counts.accesses[i.access].requests, counts.accesses[i.access].units) << i.text;
        const uint32_t cost = s.memory == Memory::Shared
                                  ? analyze_shared(s.addresses.data(), s.lanes, s.size, s.op, banks).wavefronts
                              : s.atomic ? analyze_atomic(s.addresses.data(), s.lanes).sectors
                                         : analyze_global(s.addresses.data(), s.lanes, s.size).sectors;
        EXPECT_EQ(s.units, cost) << i.text;
        if (s.memory == Memory::Shared) EXPECT_EQ(s.banks, banks);
      }
    }
    EXPECT_EQ(found, machine.last.samples->size());
    EXPECT_EQ(found, 6);
  }
}

// The first warp waits for the second one's arrival, which comes late, and for bytes: how often it polls is no part of
// the trace.
TEST(Trace, hasNoIterationsThatWaitInVain) {
  const std::string text = kernel(R"(
  mov.u32 %r6, object;
  setp.ne.u32 %p1, %r0, 0;
  @%p1 bra READY;
  mbarrier.init.shared.b64 [%r6], 1;
READY:
  bar.sync 0;
  setp.lt.u32 %p2, %r0, 32;
  @!%p2 bra SECOND;
WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r6], 0;
  @!%p3 bra WAIT;
  ld.shared.u32 %r14, [bytes];
  st.global.u32 [%rd1], %r14;
  bra END;
SECOND:
  setp.ne.u32 %p4, %r0, 32;
  @%p4 bra END;
  mov.u32 %r5, 0;
LATE:
  add.u32 %r5, %r5, 1;
  nanosleep.u32 10;
  setp.lt.u32 %p5, %r5, 10;
  @%p5 bra LATE;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 64;
  ld.param.u64 %rd3, [in];
  mov.u32 %r7, bytes;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%rd3], 64, [%r6];
END:
)",
                                  ".shared .align 8 .b8 object[8];\n.shared .align 128 .b8 bytes[128];\n");
  Machine machine(text);
  machine.trace = {1000, uint64_t{1} << 30};
  machine.run({1}, {64}, machine.words(1 << 10));
  ASSERT_TRUE(machine.last.trace);
  const BlockTrace& block = machine.last.trace->blocks.at(0);
  uint32_t waiting = ~0u;  // the block of the loop
  for (const InstructionInfo& i : machine.last.kernel->instructions)
    if (i.text.starts_with("mbarrier.try_wait")) waiting = i.block;
  uint32_t polls = 0;
  for (const WarpStep& s : block.warps[0].steps)
    if (s.block == waiting) polls += s.repeats;
  EXPECT_EQ(polls, 1);
  ASSERT_EQ(block.warps[0].objects.size(), 2);  // the first lane's initialization, and the wait that passed
  EXPECT_EQ(block.warps[0].objects[1].kind, ObjectUse::Kind::Wait);
  EXPECT_EQ(block.warps[0].objects[1].phase, 0);
  ASSERT_EQ(block.warps[1].objects.size(), 2);
  EXPECT_EQ(block.warps[1].objects[0].arrivals, 1);
  EXPECT_EQ(block.warps[1].objects[0].bytes, 64);
  EXPECT_EQ(block.warps[1].objects[1].bytes, -64);
  EXPECT_EQ(block.warps[1].objects[1].object, block.warps[0].objects[1].object);
  // The copy reads two sectors.
  ASSERT_EQ(block.warps[1].lines.size(), 1);
  EXPECT_EQ(std::popcount(block.warps[1].lines[0].sectors()), 2);
  // What is left out is counted all the same.
  const std::vector<uint32_t> sizes = block_sizes(*machine.last.kernel);
  uint64_t counted = 0;
  for (size_t b = 0; b < machine.last.counts.blocks.size(); ++b)
    counted += machine.last.counts.blocks[b].warps * sizes.at(b);
  EXPECT_GT(block.polls, 0);
  EXPECT_EQ(instructions_of(block, sizes) + block.polls, counted);
}

// Blocks that wait for each other run side by side, and end together: those behind the budget give up meanwhile.
TEST(Trace, ofBlocksSideBySideIsTheFirstThatFitTheBudget) {
  const std::string text = kernel(R"(
  mov.u32 %r5, %ctaid.x;
  setp.eq.u32 %p1, %r5, 7;
  @%p1 bra LAST;
WAIT:
  ld.volatile.global.u32 %r6, [%rd0];
  setp.ne.u32 %p2, %r6, 9;
  @%p2 bra WAIT;
  bra WORK;
LAST:
  mov.u32 %r7, 9;
  st.volatile.global.u32 [%rd0], %r7;
WORK:
  mov.u32 %r8, 0;
MORE:
  and.b32 %r9, %r8, 1;
  setp.eq.u32 %p3, %r9, 0;
  @%p3 bra EVEN;
  add.u32 %r8, %r8, 1;
  bra MORE;
EVEN:
  add.u32 %r8, %r8, 1;
  setp.lt.u32 %p4, %r8, 200000;
  @%p4 bra MORE;
)",
                                  "");
  Machine machine(text);
  const auto blocks_of = [&](uint64_t bytes) {
    machine.trace = {.blocks = 1000, .bytes = bytes, .resident = 8};
    machine.run({8}, {32}, machine.words(1 << 10));
    return machine.last.trace ? machine.last.trace->blocks.size() : 0;
  };
  ASSERT_EQ(blocks_of(uint64_t{1} << 30), 8u);
  uint64_t bytes = 0;
  for (const WarpTrace& warp : machine.last.trace->blocks[0].warps) bytes += warp.steps.size() * sizeof(WarpStep);
  ASSERT_GT(bytes, 4u << 20);
  EXPECT_EQ(blocks_of(3 * bytes + bytes / 2), 3u);
  EXPECT_EQ(blocks_of(bytes / 2), 0u);
}

TEST(Samples, areTheSameOnEveryNumberOfWorkers) {
  std::vector<std::vector<AccessSample>> all;
  for (const unsigned workers : {1u, 4u}) {
    EngineOptions options;
    options.workers = workers;
    Machine machine(kBusy, options);
    machine.sampled = true;
    machine.run({64}, {100}, machine.words(1 << 16));
    all.push_back(*machine.last.samples);
  }
  EXPECT_EQ(all[0], all[1]);
}

}  // namespace
}  // namespace drywarp::exec
