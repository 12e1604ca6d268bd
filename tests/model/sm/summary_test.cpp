// Summaries of single launches, from hand-written results of a simulation, and of several launches combined.
#include "model/sm/summary.h"
#include "model/machine/machine_model.h"

#include <gtest/gtest.h>

#include <set>

namespace drywarp::sm {
namespace {

machine::MachineModel machine() {
  machine::MachineModel m;
  m.sms = 10, m.sub_partitions = 4, m.max_warps_per_sm = 64, m.sm_clock_hz = 1e9;
  m.issue.fill(1);
  m.issue[unsigned(machine::TimingClass::Double)] = 2;
  m.memory.l1.bytes_per_cycle = 128, m.memory.l1.unified = true;
  m.memory.l2.slices = 8, m.memory.l2.bytes_per_cycle = 32;
  m.memory.dram.channels = 4, m.memory.dram.bytes_per_cycle = 16;
  return m;
}

KernelTiming half_simulated() {
  KernelTiming t;
  t.cycles = 2000, t.seconds = 2e-6;
  t.simulated_cycles = 1000, t.active_cycles = 5000;  // of 10 SMs: half of the time
  t.blocks = 200, t.simulated_blocks = 100;
  t.issued = 4000, t.thread_instructions = 128000;
  t.warp_cycles = 80000;
  t.shared_wavefronts = 2500, t.lane_wavefronts = 500, t.l1_busy = 3000, t.lsu_busy = 4000;
  t.stalls[unsigned(Stall::Selected)] = 4000, t.stalls[unsigned(Stall::LongScoreboard)] = 76000;
  t.instructions.resize(2);
  t.instructions[1].issued = 3, t.instructions[1].stalls[unsigned(Stall::Wait)] = 10;
  return t;
}

Summary of(const KernelTiming& t, const device::DeviceSpec& device = {}) {
  return summarize(t, machine(), device, {}, {});
}

TEST(Summary, CountsAreOfTheWholeGridAndRatesAsSimulated) {
  const Summary s = of(half_simulated());
  EXPECT_DOUBLE_EQ(s.warp_instructions, 8000);
  EXPECT_DOUBLE_EQ(s.warp_cycles, 160000);
  EXPECT_DOUBLE_EQ(s.sm_active_pct, 50);
  EXPECT_DOUBLE_EQ(s.active_cycles, 1000);
  EXPECT_DOUBLE_EQ(s.ipc, 0.8);
  EXPECT_DOUBLE_EQ(s.warps_active, 16);
  EXPECT_DOUBLE_EQ(s.achieved_occupancy_pct, 25);
  EXPECT_DOUBLE_EQ(s.stalls_per_issue[unsigned(Stall::LongScoreboard)], 19);
  EXPECT_DOUBLE_EQ(s.simulated_blocks, 100);
  EXPECT_DOUBLE_EQ(s.blocks, 200);
}

// l1tex__throughput refers to active cycles and includes shared memory; memory throughput refers to elapsed cycles.
TEST(Summary, SharedMemoryIsAPartOfL1) {
  const Summary s = of(half_simulated());
  EXPECT_DOUBLE_EQ(s.shared_pct, 30);  // with what lanes hand to one another
  EXPECT_DOUBLE_EQ(s.l1_pct, 70);      // of 5000 active cycles
  EXPECT_DOUBLE_EQ(s.memory_pct, 40);  // of instructions that enter the load-store unit; of L1's data 35
}

// mm_naive32 on an H200: sm__throughput is its loads, one a cycle, where schedulers issue in half of their slots.
TEST(Summary, TheLoadStoreUnitIsAPartOfTheSmsThroughput) {
  EXPECT_DOUBLE_EQ(of(half_simulated()).sm_pct, 40);  // 4000 of 10 SMs' 1000 cycles
}

TEST(Summary, PeaksAreTheDeviceFilesOrThoseOfTheIssueRates) {
  device::DeviceSpec device;
  device.fp64_lanes = 32;
  const Summary s = of(half_simulated(), device);
  EXPECT_DOUBLE_EQ(s.peak_sp_flops, 2 * 128 * 10 * 1e9);
  EXPECT_DOUBLE_EQ(s.peak_dp_flops, 2 * 32 * 10 * 1e9);
  EXPECT_DOUBLE_EQ(of(half_simulated()).peak_dp_flops, 2 * 64 * 10 * 1e9);
  EXPECT_DOUBLE_EQ(s.peak_dram_bytes, 64e9);
  EXPECT_DOUBLE_EQ(s.peak_l2_bytes, 256e9);
  EXPECT_DOUBLE_EQ(s.peak_l1_bytes, 1280e9);
}

TEST(Summary, InstructionsAreOfTheWholeGrid) {
  const LaunchTime time = launch_time(half_simulated(), machine(), {}, {}, {});
  ASSERT_EQ(time.instructions.size(), 2u);
  EXPECT_EQ(time.instructions[1].issued, 6u);
  EXPECT_DOUBLE_EQ(time.instructions[1].stalls[unsigned(Stall::Wait)], 20);
}

TEST(Summary, LaunchesTogether) {
  Summary a, b;
  a.duration_ns = 100, a.dram_pct = 80, a.warp_instructions = 10, a.stalls_per_issue[0] = 4;
  b.duration_ns = 300, b.dram_pct = 40, b.warp_instructions = 30, b.stalls_per_issue[0] = 8;
  const Summary* both[] = {&a, &b};
  const Summary all = combine(both);
  EXPECT_DOUBLE_EQ(all.duration_ns, 400);
  EXPECT_DOUBLE_EQ(all.warp_instructions, 40);
  EXPECT_DOUBLE_EQ(all.dram_pct, 50);            // by time
  EXPECT_DOUBLE_EQ(all.stalls_per_issue[0], 7);  // by instruction
  const Summary* one[] = {&a};
  for (const SummaryField& field : summary_fields())
    EXPECT_DOUBLE_EQ(field.in(combine(one)), field.in(a)) << field.name;
  EXPECT_EQ(combine({}).duration_ns, 0);
}

// A value that all launches share stays exact, whatever the sum of the weights.
TEST(Summary, EqualValuesStayExact) {
  std::vector<Summary> launches(8);
  std::vector<const Summary*> all;
  for (Summary& s : launches) {
    s.duration_ns = 1000.1 + 101.7 * double(all.size()), s.sms = 132, s.limit_registers = 3;
    all.push_back(&s);
  }
  EXPECT_EQ(combine(all).sms, 132);
  EXPECT_EQ(combine(all).limit_registers, 3);
}

TEST(Summary, FieldsHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const SummaryField& field : summary_fields()) EXPECT_TRUE(names.insert(field.name).second) << field.name;
  EXPECT_EQ(names.size() * sizeof(double), sizeof(Summary));
}

}  // namespace
}  // namespace drywarp::sm
