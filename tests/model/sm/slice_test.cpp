// A slice of the machine (some SMs with their share of L2 and DRAM) compared with the whole.
#include "program.h"

namespace drywarp::sm {
namespace {

machine::MachineModel machine_of_sixteen() {
  machine::MachineModel m = round_machine();
  m.sms = 16;
  m.dispatch_cycles = 2;
  auto& p = m.memory;
  p.sms = 16;
  p.l2 = {.bytes = 1 << 20,
          .ways = 16,
          .slices = 18,
          .partitions = 2,
          .bytes_per_cycle = 32,
          .fabric_bytes_per_cycle = 256,
          .latency_near = 200,
          .latency_far = 260,
          .atomic_round_cycles = {2, 2, 2},
          .atomic_chain_cycles = {2, 2, 2}};
  p.dram = {.channels = 14, .banks = 16, .row_bytes = 1024, .burst_bytes = 32, .bytes_per_cycle = 16, .latency = 500};
  return m;
}

// Blocks of four warps, each a run of accesses; `line` says which line an access of a warp touches.
struct Work {
  Operation op = Operation::Ldg;
  unsigned accesses = 16, arithmetic = 4;
  uint64_t (*line)(uint64_t warp, unsigned access) = nullptr;
  uint16_t lanes = 32, rounds = 1;

  KernelTiming run(uint64_t grid, uint32_t sms, uint64_t simulated = 0, uint64_t recorded = 0) const {
    machine::MachineKernel code;
    code.blocks.push_back({{{0, false}}, {}});
    for (unsigned i = 0; i < accesses; ++i) {
      MachineInstruction in = make(op, op == Operation::Ldg ? int(i) : -1);
      in.access = i;
      code.blocks[0].instructions.push_back(in);
      for (unsigned a = 0; a < arithmetic; ++a)
        code.blocks[0].instructions.push_back(make(Operation::Ffma, 100, {100, int(i)}));
    }
    code.blocks[0].instructions.push_back(make(Operation::Exit));
    LaunchTrace trace;
    trace.blocks_in_grid = grid;
    for (uint64_t b = 0; b < (recorded != 0 ? recorded : grid); ++b) {
      BlockTrace block{b, std::vector<WarpTrace>(4)};
      for (unsigned w = 0; w < 4; ++w) {
        WarpTrace& warp = block.warps[w];
        warp.steps = {{0, ~0u, 1}};
        for (unsigned i = 0; i < accesses; ++i) {
          warp.accesses.push_back({0, i, i, 1, AddressSpace::Global, uint8_t(lanes), rounds, 1});
          warp.lines.push_back(TraceLine::of(line(b * 4 + w, i) * kLineBytes, 15));
        }
      }
      trace.blocks.push_back(std::move(block));
    }
    auto result = time_launch(machine_of_sixteen(), code, trace,
                              {.blocks = grid,
                               .threads_per_block = 128,
                               .blocks_per_sm = 4,
                               .instructions = 1,
                               .sms = sms,
                               .simulated = simulated});
    EXPECT_TRUE(result.ok());
    return *result;
  }
};

uint64_t stream(uint64_t warp, unsigned access) { return warp * 16 + access; }
uint64_t one_line(uint64_t, unsigned) { return 7; }

void expect_near(const KernelTiming& part, const KernelTiming& all, double share) {
  EXPECT_NEAR(part.cycles / all.cycles, 1, share) << part.cycles << " against " << all.cycles;
}

TEST(Slice, isAsFastAsTheMachineForEveryLimiter) {
  for (const auto& [what, work] : {std::pair<const char*, Work>{"DRAM", {.line = stream}},
                                   {"arithmetic", {.arithmetic = 100, .line = stream}},
                                   {"stores", {.op = Operation::Stg, .line = stream}},
                                   {"an address that all want", {.op = Operation::Red, .line = one_line}}}) {
    SCOPED_TRACE(what);
    const KernelTiming all = work.run(1600, 0);
    EXPECT_EQ(all.simulated_sms, 16);
    for (const uint32_t sms : {8, 4, 2}) {
      const KernelTiming part = work.run(1600, sms);
      EXPECT_EQ(part.simulated_sms, sms);
      EXPECT_EQ(part.simulated_blocks, 1600 * sms / 16);
      expect_near(part, all, 0.08);
    }
  }
}

// Stores of 13 MB through an L2 of 1 MB: all but the last lines pass DRAM's pins, for any simulated share of the grid.
TEST(Slice, writesNoFasterThanDramTakesThem) {
  const Work work{.op = Operation::Stg, .arithmetic = 1, .line = stream};
  const double lines = 1600 * 4 * 16, kept = (1 << 20) / 128.0, pins = 14 * 16;
  const double least = (lines - kept) * 128 / pins;
  for (const auto& [sms, simulated] : {std::pair<uint32_t, uint64_t>{0, 0}, {0, 160}, {4, 0}, {4, 40}}) {
    SCOPED_TRACE(simulated);
    const KernelTiming part = work.run(1600, sms, simulated);
    EXPECT_GE(part.cycles, 0.99 * least) << sms;
    EXPECT_LE(part.cycles, 1.4 * least) << sms;
    EXPECT_NEAR(static_cast<double>(part.dram.write_bytes) * part.scale() / (lines - kept) / 128, 1, 0.05) << sms;
  }
}

TEST(Slice, countsAreOfTheWhole) {
  const Work work{.line = stream};
  const KernelTiming all = work.run(1600, 0), part = work.run(1600, 4);
  EXPECT_EQ(static_cast<double>(part.issued) * part.scale(), static_cast<double>(all.issued));
  EXPECT_EQ(static_cast<double>(part.dram.read_bytes) * part.scale(), static_cast<double>(all.dram.read_bytes));
  EXPECT_EQ(part.waves, all.waves);
}

TEST(Slice, hasItsShareOfIdleSmsForASmallGrid) {
  const Work work{.arithmetic = 50, .line = stream};
  const KernelTiming all = work.run(8, 0), part = work.run(8, 4);
  EXPECT_EQ(part.simulated_blocks, 2);  // on four SMs
  expect_near(part, all, 0.05);
  EXPECT_NEAR(part.active_cycles / 4, all.active_cycles / 16, 0.1 * all.active_cycles / 16);
}

TEST(Slice, canSimulateOnlyTheFirstWaves) {
  const Work work{.line = stream};
  const KernelTiming all = work.run(3200, 0), part = work.run(3200, 4, 80, 100);
  EXPECT_EQ(part.simulated_blocks, 80);  // five waves of sixteen
  expect_near(part, all, 0.1);
}

TEST(Slice, getsItsShareOfTheBlocks) {
  EXPECT_EQ(blocks_on(1000, 132, 132), 1000u);
  EXPECT_EQ(blocks_on(1320, 8, 132), 80u);
  EXPECT_EQ(blocks_on(1, 8, 132), 1u);
  EXPECT_EQ(blocks_on(0, 8, 132), 0u);
}

}  // namespace
}  // namespace drywarp::sm
