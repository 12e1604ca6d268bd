#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "profile/metrics/evaluate.h"
#include "profile/metrics/rollups.h"

namespace drywarp::metrics {
namespace {

using ::testing::DoubleEq;
using ::testing::HasSubstr;
using ::testing::Optional;

std::optional<double> value(const Sums& sums, std::string_view name) {
  const Metric* m = find_metric(name);
  EXPECT_NE(m, nullptr) << name;
  return m ? m->evaluate(sums, {}) : std::nullopt;
}

InstructionInfo instruction(InstructionClass klass, uint32_t line = 0, uint32_t block = 0) {
  InstructionInfo i;
  i.klass = klass, i.line = line, i.block = block, i.file = 0;
  return i;
}

InstructionInfo access(uint32_t index, Memory memory, bool store, uint32_t line = 0) {
  InstructionInfo i = instruction(InstructionClass::LoadStore, line);
  i.access = index, i.memory = memory, i.store = store, i.load = !store, i.access_bytes = 4;
  return i;
}

// One global load with counts as in the ladder's kernels.
Sums global_load(uint64_t requests, uint64_t unique_bytes, uint64_t sectors, uint64_t ideal) {
  KernelInfo k;
  k.instructions = {access(0, Memory::Global, false)};
  LaunchCounts c;
  c.blocks = {{requests, 32 * requests}};
  c.accesses.resize(1);
  c.accesses[0].requests = requests, c.accesses[0].lanes = 32 * requests, c.accesses[0].bytes = 128 * requests;
  c.accesses[0].unique_bytes = unique_bytes, c.accesses[0].units = sectors, c.accesses[0].ideal_units = ideal;
  return sum_launch(k, c);
}

TEST(Table, NamesAreUniqueAndDescribed) {
  std::set<std::string_view> names;
  for (const Metric& m : all_metrics()) {
    EXPECT_TRUE(names.insert(m.name).second) << m.name;
    if (!m.alias.empty()) EXPECT_TRUE(names.insert(m.alias).second) << m.alias;
    EXPECT_FALSE(m.description.empty()) << m.name;
    EXPECT_FALSE(m.unit.empty()) << m.name;
    EXPECT_EQ(m.formula == nullptr, m.klass == MetricClass::NotAvailable) << m.name;
    EXPECT_EQ(m.reason.empty(), m.klass != MetricClass::NotAvailable) << m.name;
  }
  EXPECT_GT(names.size(), 200u);
}

// Names from the course and from nvprof are known, with or without a value.
TEST(Table, KnowsTheNamesThatUsersKnow) {
  for (const char* name : {"sm_efficiency",
                           "achieved_occupancy",
                           "branch_efficiency",
                           "gld_efficiency",
                           "gst_efficiency",
                           "gld_throughput",
                           "dram_read_throughput",
                           "inst_per_warp",
                           "stall_sync",
                           "shared_efficiency",
                           "warp_execution_efficiency",
                           "ipc",
                           "flop_count_sp",
                           "inst_executed",
                           "shared_load_transactions",
                           "global_load_requests",
                           "stall_memory_dependency",
                           "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed",
                           "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                           "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
                           "smsp__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
                           "smsp__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
                           "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active",
                           "smsp__sass_average_branch_targets_threads_uniform.pct",
                           "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"})
    EXPECT_NE(find_metric(name), nullptr) << name;
}

TEST(Table, MachineInstructionsHaveNoValue) {
  for (const char* name : {"inst_integer", "inst_fp_32"}) {
    EXPECT_EQ(find_metric(name)->klass, MetricClass::NotAvailable) << name;
    EXPECT_THAT(std::string(find_metric(name)->reason), HasSubstr("ptx__")) << name;
  }
}

TEST(Table, SharedAccessesOfTheMachineCodeFollowTheModel) {
  sm::Summary time;
  time.shared_load_instructions = 10, time.shared_load_wavefronts = 25;
  Facts timed;
  timed.time = &time;
  Sums sums;
  sums.whole = true;
  sums.accesses[unsigned(Memory::Shared)][unsigned(AccessKind::Load)].requests = 40;
  sums.accesses[unsigned(Memory::Shared)][unsigned(AccessKind::Load)].units = 60;
  const auto value = [&](const char* name, const Facts& facts) { return find_metric(name)->evaluate(sums, facts); };
  for (const auto& [name, of_machine, of_ptx] : {std::tuple{"smsp__inst_executed_op_shared_ld.sum", 10.0, 40.0},
                                                 {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 25.0, 60.0},
                                                 {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 25.0, 60.0}}) {
    EXPECT_EQ(find_metric(name)->klass, MetricClass::Modelled) << name;
    EXPECT_DOUBLE_EQ(value(name, timed).value_or(-1), of_machine) << name;
    EXPECT_DOUBLE_EQ(value(name, {}).value_or(-1), of_ptx) << name;
  }
  for (const Facts& facts : {timed, Facts{}}) {
    EXPECT_DOUBLE_EQ(value("shared_load_requests", facts).value_or(-1), 40);
    EXPECT_DOUBLE_EQ(value("shared_load_transactions", facts).value_or(-1), 60);
  }
}

TEST(Table, TimesAreModelledAndAbsentWithoutAModel) {
  const sm::Summary time = [] {
    sm::Summary s;
    s.duration_ns = 2000, s.warp_instructions = 640;
    s.ipc = 2, s.scheduler_ipc = 0.5, s.schedulers = 4, s.eligible_warps = 1.5, s.peak_sp_flops = 1e9;
    s.active_cycles = 500, s.scheduler_active_cycles = 250;  // two of the four schedulers have warps
    s.stalls_per_issue[unsigned(sm::Stall::Barrier)] = 3;
    s.stalls_per_issue[unsigned(sm::Stall::Selected)] = 1;
    return s;
  }();
  Facts timed;
  timed.time = &time;
  Sums sums;
  sums.accesses[unsigned(Memory::Global)][unsigned(AccessKind::Load)].units = 100;
  sums.flops[unsigned(Precision::Single)] = 500;  // in 2 us: a quarter of the peak
  const auto value = [&](const char* name, const Facts& facts) {
    EXPECT_EQ(find_metric(name)->klass, MetricClass::Modelled) << name;
    return find_metric(name)->evaluate(sums, facts);
  };
  for (const auto& [name, expected] : {std::pair{"gpu__time_duration.sum", 2000.0},
                                       {"smsp__inst_executed.sum", 640.0},
                                       {"stall_sync", 75.0},
                                       {"gld_throughput", 100 * 32 / 2e-6},
                                       {"sm__inst_executed.avg.per_cycle_active", 2.0},
                                       {"smsp__inst_executed.avg.per_cycle_active", 0.5},
                                       {"eligible_warps_per_cycle", 3.0},
                                       {"smsp__warps_eligible.avg.per_cycle_active", 1.5},
                                       {"flop_sp_efficiency", 25.0},
                                       {"smsp__warp_issue_stalled_barrier_per_warp_active.pct", 75.0},
                                       {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 3.0}}) {
    EXPECT_DOUBLE_EQ(value(name, timed).value_or(-1), expected) << name;
    EXPECT_FALSE(value(name, {}).has_value()) << name;
  }
}

// The two counters of an H200 that distinguish broadcasts from waste (h200 ladder, mm_naive with blocks of 16 and 32).
TEST(Values, EfficiencyOfTheNaiveMatrixMultiply) {
  Sums naive16 = global_load(1000, 1000 * 8, 1000 * 2, 1000 * 4);  // A: two words of two rows
  naive16 += global_load(1000, 1000 * 64, 1000 * 2, 1000 * 4);     // B: half a line
  EXPECT_THAT(value(naive16, "gld_efficiency"), Optional(DoubleEq(56.25)));
  EXPECT_THAT(value(naive16, "gld_transactions_per_request"), Optional(DoubleEq(2)));
  Sums naive32 = global_load(1000, 1000 * 4, 1000, 1000 * 4);
  naive32 += global_load(1000, 1000 * 128, 1000 * 4, 1000 * 4);
  EXPECT_THAT(value(naive32, "gld_efficiency"), Optional(DoubleEq(82.5)));
  EXPECT_THAT(value(naive32, "gld_transactions_excess"), Optional(DoubleEq(0)));
}

TEST(Values, ExcessOfOneInstructionIsNotHiddenByAnothersBroadcast) {
  Sums s = global_load(10, 40, 10, 40);
  s += global_load(10, 1280, 320, 40);
  EXPECT_THAT(value(s, "gld_transactions_excess"), Optional(DoubleEq(280)));
  EXPECT_THAT(value(s, "global_sectors_excess_pct"), Optional(DoubleEq(100.0 * 280 / 330)));
}

// The course's transpose through shared memory: 17 passes for 256 bytes (16-way) are 11.8 %.
TEST(Values, SharedEfficiencyOfTheTranspose) {
  KernelInfo k;
  k.instructions = {access(0, Memory::Shared, true), access(1, Memory::Shared, false)};
  LaunchCounts c;
  c.blocks = {{1, 32}};
  c.accesses.resize(2);
  c.accesses[0].requests = 1, c.accesses[0].unique_bytes = 128, c.accesses[0].units = 1, c.accesses[0].ideal_units = 1;
  c.accesses[1].requests = 1, c.accesses[1].unique_bytes = 128, c.accesses[1].units = 16, c.accesses[1].ideal_units = 1;
  c.accesses[1].ways = 16;
  const Sums s = sum_launch(k, c);
  EXPECT_NEAR(*value(s, "shared_efficiency"), 11.8, 0.05);
  c.wavefront_bytes = 256;  // wavefronts that could move twice as much
  EXPECT_NEAR(*value(sum_launch(k, c), "shared_efficiency"), 5.9, 0.05);
  EXPECT_THAT(value(s, "shared_ld_bank_conflict"), Optional(DoubleEq(15)));
  EXPECT_THAT(value(s, "shared_st_bank_conflict"), Optional(DoubleEq(0)));
  EXPECT_THAT(value(s, "shared_load_max_ways"), Optional(DoubleEq(16)));
  EXPECT_THAT(value(s, "derived__memory_l1_wavefronts_shared_excessive"), Optional(DoubleEq(15)));
}

TEST(Values, BranchesAndActiveThreads) {
  KernelInfo k;
  InstructionInfo branch = instruction(InstructionClass::Control);
  branch.branch = 0;
  InstructionInfo guarded = instruction(InstructionClass::Integer, 0, 1);
  guarded.predicate = 0;
  k.instructions = {branch, guarded};
  LaunchCounts c;
  c.warps_run = 4;
  c.blocks = {{12, 12 * 32}, {4, 64}};
  c.branches = {{3, 12}};
  c.predicates = {{2, 16}};
  const Sums s = sum_launch(k, c);
  EXPECT_THAT(value(s, "branch_efficiency"), Optional(DoubleEq(75)));
  EXPECT_THAT(value(s, "ptx__branches.sum"), Optional(DoubleEq(12)));
  EXPECT_THAT(value(s, "ptx__inst_executed.sum"), Optional(DoubleEq(16)));
  EXPECT_THAT(value(s, "ptx__thread_inst_executed.sum"), Optional(DoubleEq(448)));
  EXPECT_THAT(value(s, "ptx__thread_inst_executed_pred_on.sum"), Optional(DoubleEq(400)));
  EXPECT_THAT(value(s, "warp_execution_efficiency"), Optional(DoubleEq(87.5)));
  EXPECT_THAT(value(s, "ptx__inst_per_warp.ratio"), Optional(DoubleEq(4)));
  EXPECT_THAT(value(s, "ptx__inst_executed_integer.sum"), Optional(DoubleEq(4)));
}

TEST(Values, FloatingPointOperations) {
  KernelInfo k;
  InstructionInfo fma = instruction(InstructionClass::Fp32), add = fma, packed = instruction(InstructionClass::Fp16),
                  dmul = instruction(InstructionClass::Fp64);
  fma.flops = 2, fma.fma = true;
  add.flops = 1, add.add = true;
  packed.flops = 4, packed.fma = true;
  dmul.flops = 1, dmul.mul = true;
  k.instructions = {fma, add, packed, dmul};
  LaunchCounts c;
  c.blocks = {{10, 320}};
  const Sums s = sum_launch(k, c);
  EXPECT_THAT(value(s, "flop_count_sp"), Optional(DoubleEq(960)));
  EXPECT_THAT(value(s, "flop_count_sp_fma"), Optional(DoubleEq(320)));
  EXPECT_THAT(value(s, "flop_count_sp_add"), Optional(DoubleEq(320)));
  EXPECT_THAT(value(s, "flop_count_hp"), Optional(DoubleEq(1280)));
  EXPECT_THAT(value(s, "flop_count_hp_fma"), Optional(DoubleEq(640)));
  EXPECT_THAT(value(s, "flop_count_dp_mul"), Optional(DoubleEq(320)));
}

TEST(Values, AtomicsAndBarriersAndGenericAccesses) {
  KernelInfo k;
  InstructionInfo atomic = access(0, Memory::Global, false);
  atomic.atomic = true, atomic.klass = InstructionClass::Atomic;
  InstructionInfo barrier = instruction(InstructionClass::Barrier);
  barrier.barrier = true;
  InstructionInfo generic = access(1, Memory::Global, false);
  generic.generic = true, generic.access_bytes = 8;
  k.instructions = {atomic, barrier, generic};
  LaunchCounts c;
  c.blocks = {{5, 160}};
  c.accesses.resize(4);
  c.accesses[0].requests = 5, c.accesses[0].lanes = 160, c.accesses[0].atomic_addresses = 10,
  c.accesses[0].atomic_rounds = 80;
  c.accesses[1].requests = 3, c.accesses[1].units = 6;   // global
  c.accesses[2].requests = 2, c.accesses[2].units = 4;   // shared
  c.accesses[3].requests = 1, c.accesses[3].units = 16;  // local
  const Sums s = sum_launch(k, c);
  EXPECT_THAT(value(s, "atomic_global_requests"), Optional(DoubleEq(5)));
  EXPECT_THAT(value(s, "atomic_global_address_conflicts"), Optional(DoubleEq(75)));
  EXPECT_THAT(value(s, "atomic_global_rounds_per_request"), Optional(DoubleEq(16)));
  EXPECT_THAT(value(s, "ptx__barriers.sum"), Optional(DoubleEq(5)));
  EXPECT_THAT(value(s, "global_load_requests"), Optional(DoubleEq(3)));  // the atomic is not one
  EXPECT_THAT(value(s, "shared_load_transactions"), Optional(DoubleEq(4)));
  EXPECT_THAT(value(s, "local_load_requests"), Optional(DoubleEq(2)));  // 8 bytes a thread: two
}

TEST(Values, MissingWhereAMetricDoesNotApply) {
  const Sums nothing;
  for (const char* name : {"gld_efficiency", "shared_efficiency", "gld_transactions_per_request",
                           "warp_execution_efficiency", "warps_launched", "branch_efficiency", "shared_load_max_ways"})
    EXPECT_EQ(value(nothing, name), std::nullopt) << name;
  EXPECT_EQ(value(nothing, "achieved_occupancy"), std::nullopt);
}

TEST(Values, AFailedLaunchHasZeroesNotACrash) {
  KernelInfo k;
  InstructionInfo i = access(7, Memory::Shared, true);
  i.predicate = 3, i.branch = 2, i.block = 9;
  k.instructions = {i};
  EXPECT_THAT(value(sum_launch(k, {}), "shared_store_requests"), Optional(DoubleEq(0)));
}

TEST(Values, OfALaunchConfiguration) {
  KernelInfo k;
  k.registers = 40, k.static_shared_bytes = 1024;
  std::map<std::string_view, std::optional<double>> got;
  for (const Value& v : evaluate(k, {}, {.blocks = 6, .block_threads = 96, .dynamic_shared_bytes = 64}))
    got[v.metric->name] = v.value;
  EXPECT_EQ(got.size(), all_metrics().size());
  EXPECT_EQ(got["launch__grid_size"], 6);
  EXPECT_EQ(got["launch__thread_count"], 576);
  EXPECT_EQ(got["launch__registers_per_thread"], 40);
  EXPECT_EQ(got["launch__shared_mem_per_block_dynamic"], 64);
}

// The sums of lines, and of instructions, add up to the launch's.
TEST(Sums, OfLinesAndInstructionsAddUp) {
  KernelInfo k;
  k.files = {"a.cu", "b.h"};
  k.instructions = {access(0, Memory::Global, false, 10), access(1, Memory::Shared, true, 10),
                    access(2, Memory::Global, true, 11), instruction(InstructionClass::Control, 0),
                    instruction(InstructionClass::Fp32, 12, 1)};
  k.instructions[2].file = 1;
  k.instructions.push_back(access(3, Memory::Shared, true, 10));  // the second access of an asynchronous copy
  k.instructions.back().block = InstructionInfo::kNone;
  LaunchCounts c;
  c.blocks = {{7, 7 * 32}, {0, 0}};
  c.accesses.resize(4);
  for (int i = 0; i < 4; ++i) c.accesses[i].requests = 7, c.accesses[i].units = 28 + i, c.accesses[i].ideal_units = 7;
  const auto lines = sum_lines(k, c);
  ASSERT_EQ(lines.size(), 3u);  // nothing ran on line 12
  EXPECT_EQ(lines[0].line, 10u);
  EXPECT_EQ(lines[1].file, 1u);
  EXPECT_EQ(lines[2].line, 0u);
  EXPECT_THAT(value(lines[0].sums, "gld_transactions"), Optional(DoubleEq(28)));
  const auto instructions = sum_instructions(k, c);
  ASSERT_EQ(instructions.size(), 6u);
  const Sums whole = sum_launch(k, c);
  for (const Metric& m : all_metrics()) {
    if (!m.formula || m.unit == "%" || m.unit.find('/') != m.unit.npos || m.unit == "way" || m.group == Group::Launch)
      continue;
    const double all = m.evaluate(whole, {}).value_or(0);
    double by_line = 0, by_instruction = 0;
    for (const auto& l : lines) by_line += m.evaluate(l.sums, {}).value_or(0);
    for (const auto& i : instructions) by_instruction += m.evaluate(i, {}).value_or(0);
    EXPECT_EQ(by_line, all) << m.name;
    EXPECT_EQ(by_instruction, all) << m.name;
  }
}

TEST(Spread, SkipsMissingValues) {
  Spread s;
  s.add(std::nullopt);
  s.add(3);
  s.add(1);
  EXPECT_EQ(s.launches, 2u);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 3);
  EXPECT_EQ(s.avg(), 2);
}

std::vector<std::string> names(std::string_view list) {
  std::vector<std::string> out;
  auto selected = select(list);
  EXPECT_TRUE(selected.ok()) << list;
  if (selected)
    for (const Selected& s : *selected) out.emplace_back(s.name);
  return out;
}

// A launch of 4 SMs with 2 schedulers each: 1000 ns, 2000 elapsed and 1600 active cycles, 1000 of a scheduler.
sm::Summary some_time() {
  sm::Summary t;
  t.sms = 4, t.schedulers = 2, t.duration_ns = 1000, t.elapsed_cycles = 2000, t.active_cycles = 1600;
  t.scheduler_active_cycles = 1000;
  t.warp_instructions = 6400, t.dram_read_bytes = 3000, t.dram_write_bytes = 1000, t.peak_dram_bytes = 8e9;
  t.sm_pct = 42;
  return t;
}

std::optional<double> timed_value(std::string_view name) {
  const sm::Summary time = some_time();
  Facts facts;
  facts.time = &time;
  const Metric* m = find_metric(name);
  EXPECT_NE(m, nullptr) << name;
  return m ? m->evaluate(global_load(100, 12800, 400, 400), facts) : std::nullopt;
}

TEST(RollUps, FollowFromACounterAndTheNumberOfUnits) {
  EXPECT_THAT(timed_value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), Optional(DoubleEq(400)));
  EXPECT_THAT(timed_value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.avg"), Optional(DoubleEq(100)));
  EXPECT_THAT(timed_value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum.per_second"), Optional(DoubleEq(4e8)));
  EXPECT_THAT(timed_value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.avg.per_cycle_active"),
              Optional(DoubleEq(0.0625)));
  EXPECT_THAT(timed_value("smsp__inst_executed.avg"), Optional(DoubleEq(800)));
  EXPECT_THAT(timed_value("smsp__inst_executed.avg.pct_of_peak_sustained_active"), Optional(DoubleEq(80)));
  EXPECT_THAT(timed_value("smsp__inst_executed.sum.pct_of_peak_sustained_active"), Optional(DoubleEq(80)));
  EXPECT_THAT(timed_value("sm__inst_executed.avg.pct_of_peak_sustained_elapsed"), Optional(DoubleEq(40)));
  EXPECT_THAT(timed_value("dram__bytes.sum"), Optional(DoubleEq(4000)));
  EXPECT_THAT(timed_value("dram__bytes.sum.per_second"), Optional(DoubleEq(4e9)));
  EXPECT_THAT(timed_value("dram__bytes.sum.pct_of_peak_sustained_elapsed"), Optional(DoubleEq(50)));
  EXPECT_THAT(timed_value("sm__cycles_active.sum"), Optional(DoubleEq(6400)));
  EXPECT_THAT(timed_value("smsp__cycles_elapsed.avg.per_second"), Optional(DoubleEq(2e9)));
  EXPECT_THAT(timed_value("sm__throughput.sum.pct_of_peak_sustained_elapsed"), Optional(DoubleEq(42)));
  for (const char* same : {"gpu__time_duration.avg", "gpu__time_duration.min", "gpu__time_duration.max"})
    EXPECT_THAT(timed_value(same), Optional(DoubleEq(1000))) << same;
}

TEST(RollUps, AreNotAvailableWhereDrywarpCannotKnow) {
  for (const char* name :
       {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.max", "smsp__inst_executed.min", "dram__bytes.avg",
        "sm__throughput.max.pct_of_peak_sustained_elapsed", "dram__bytes.sum.per_cycle_elapsed",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.avg.pct_of_peak_sustained_elapsed"}) {
    const Metric* m = find_metric(name);
    ASSERT_NE(m, nullptr) << name;
    EXPECT_EQ(m->klass, MetricClass::NotAvailable) << name;
    EXPECT_FALSE(m->reason.empty()) << name;
    EXPECT_EQ(timed_value(name), std::nullopt) << name;
  }
  // Counted without a time: nothing that needs one.
  EXPECT_EQ(find_metric("dram__bytes.sum.per_second")->evaluate(global_load(1, 1, 1, 1), {}), std::nullopt);
  for (const char* name : {"dram__bytes.median", "dram__bytes", "nosuch__metric.sum", "ptx__branches.avg", "", "."})
    EXPECT_EQ(find_metric(name), nullptr) << name;
}

TEST(RollUps, HaveUniqueNamesAndUnits) {
  std::set<std::string_view> seen;
  for (const Selected& s : compute_names()) EXPECT_TRUE(seen.insert(s.name).second) << s.name;
  EXPECT_EQ(find_metric("dram__bytes.sum.per_second")->unit, "byte/s");
  EXPECT_EQ(find_metric("smsp__inst_executed.avg")->unit, "inst");
  for (const Metric& m : all_rollups())
    if (m.klass != MetricClass::NotAvailable) EXPECT_EQ(m.klass, MetricClass::Modelled) << m.name;
  const auto expanded = [](std::string_view base) {
    std::vector<std::string_view> found;
    for (const Selected& s : expand_base(base)) found.push_back(s.name);
    return found;
  };
  EXPECT_EQ(expanded("dram__bytes"), (std::vector<std::string_view>{"dram__bytes.avg", "dram__bytes.max",
                                                                    "dram__bytes.min", "dram__bytes.sum"}));
  EXPECT_EQ(expanded("l1tex__t_sector_hit_rate"), std::vector<std::string_view>{"l1tex__t_sector_hit_rate.pct"});
  EXPECT_TRUE(expanded("nosuch").empty());
}

TEST(Metrics, NewNamesOfNvprofAndNsightCompute) {
  for (const char* name : {"single_precision_fu_utilization",
                           "double_precision_fu_utilization",
                           "half_precision_fu_utilization",
                           "special_fu_utilization",
                           "l2_utilization",
                           "shared_utilization",
                           "tex_utilization",
                           "ldst_fu_utilization",
                           "cf_fu_utilization",
                           "inst_issued",
                           "issued_ipc",
                           "issue_slots",
                           "inst_replay_overhead",
                           "global_hit_rate",
                           "atomic_transactions",
                           "shared_load_throughput",
                           "dram__bytes.sum",
                           "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                           "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
                           "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
                           "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
                           "smsp__sass_thread_inst_executed_op_integer_pred_on.sum"})
    EXPECT_NE(find_metric(name), nullptr) << name;
  // PTX counts are not called machine instructions.
  EXPECT_EQ(find_metric("smsp__sass_thread_inst_executed_op_integer_pred_on.sum")->klass, MetricClass::NotAvailable);
  EXPECT_EQ(find_metric("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum")->klass, MetricClass::Modelled);
}

TEST(Select, NamesGlobsAndLists) {
  EXPECT_EQ(names("gst_efficiency,gld_efficiency"), (std::vector<std::string>{"gst_efficiency", "gld_efficiency"}));
  EXPECT_EQ(names(" gld_efficiency , gld_efficiency,"), std::vector<std::string>{"gld_efficiency"});
  EXPECT_EQ(names("g?d_transactions"), std::vector<std::string>{"gld_transactions"});
  EXPECT_EQ(names("l1tex__t_sectors_*global*"),
            (std::vector<std::string>{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                      "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}));
  EXPECT_EQ(names("all").size(), available(false).size());
  EXPECT_GT(available(true).size(), available(false).size());
}

TEST(Select, GlobsPreferMetricsWithValues) {
  EXPECT_EQ(names("achieved_occupancy"), std::vector<std::string>{"achieved_occupancy"});
  EXPECT_EQ(names("stall_*").size(), 10u);
  for (const std::string& name : names("inst*,ptx__inst_executed*")) EXPECT_NE(find_metric(name), nullptr);
  for (const std::string& name : names("*inst_executed*")) EXPECT_TRUE(find_metric(name)->has_values()) << name;
}

TEST(Select, SuggestsTheNearestNames) {
  const auto hint = [](std::string_view list) {
    auto s = select(list);
    EXPECT_FALSE(s.ok()) << list;
    return s.ok() ? "" : s.problem().message + " | " + s.problem().hint;
  };
  EXPECT_THAT(hint("gld_eficiency"), HasSubstr("did you mean gld_efficiency"));
  EXPECT_THAT(hint("gld_efficiency,ocupancy"), HasSubstr("'ocupancy'"));
  EXPECT_THAT(hint("occupancy"), HasSubstr("achieved_occupancy"));
  EXPECT_THAT(hint("zzzzzzzzzzzz"), HasSubstr("--query-metrics"));
  EXPECT_THAT(hint("zz*"), HasSubstr("no metric matches 'zz*'"));
  EXPECT_THAT(hint(""), HasSubstr("the list of metrics is empty"));
}

// Of a kernel, a line and an instruction; what CUDA defines is not counted.
TEST(Barriers, DivergentOnesAreCountedWhereTheyAre) {
  KernelInfo k;
  k.files = {"a.cu"};
  k.instructions = {instruction(InstructionClass::Barrier, 3, 0), instruction(InstructionClass::Barrier, 8, 1)};
  for (InstructionInfo& i : k.instructions) i.barrier = true;
  LaunchCounts c;
  c.blocks = {{4, 128}, {4, 128}};
  c.barrier_notes = {{BarrierNote::Kind::ThreadsEnded, 0, 5, {}, 0, 1, 1},
                     {BarrierNote::Kind::SkippedByWarps, 1, 7, {}, 0, 1, 1}};
  EXPECT_THAT(value(sum_launch(k, c), "divergent_barriers"), Optional(DoubleEq(7)));
  const std::vector<LineSums> lines = sum_lines(k, c);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(value(lines[0].sums, "divergent_barriers"), Optional(DoubleEq(0)));
  EXPECT_THAT(value(lines[1].sums, "divergent_barriers"), Optional(DoubleEq(7)));
  Sums twice = lines[1].sums;
  twice += lines[1].sums;
  EXPECT_THAT(value(twice, "divergent_barriers"), Optional(DoubleEq(14)));
}

}  // namespace
}  // namespace drywarp::metrics
