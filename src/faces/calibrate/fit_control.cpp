// Barriers, branches, instruction caches, launches (cuda/control.cu, cuda/instruction_cache.cu, cuda/launches.cu), and
// Nsight Compute's counters.
#include <algorithm>
#include <cmath>

#include "faces/calibrate/fit_steps.h"

namespace drywarp::calibrate {
namespace {

void fit_branches(const RawResults& raw, Calibration& out) {
  const auto* fma = out.find("latency.fma_f32");
  const auto* alu = out.find("latency.alu");
  const auto longest = raw.at("control.loop", 32), shortest = lowest(raw.points("control.loop"));
  const auto lane = lowest(raw.points("control.lane_loop"));
  if (fma && alu && longest && shortest && lane) {
    // 32 dependent FFMA, then the branch, which issues one cycle after the last FFMA. The next round's first FFMA waits
    // for the branch, not for the last FFMA.
    const double branch = std::round(*longest - 32 * fma->value + fma->value - 1);
    set(out, "scheduler.branch_cycles", branch);
    // The shortest round: increment the counter, compare it, branch back.
    const double predicate = std::round(*lane - branch - alu->value);
    set(out, "scheduler.branch_predicate_cycles", predicate);
    set(out, "latency.uniform", std::round(*shortest - branch - predicate));
  } else {
    out.missing.push_back("scheduler.branch_cycles: needs control.loop");
  }
  // After the read of the register, a shift and an extension extract the warp's number.
  const auto special = raw.value("control.special_register");
  set_or_miss(out, "latency.special_register",
              special && alu ? std::optional(std::round(*special - 2 * alu->value)) : std::nullopt,
              "control.special_register");
  // Running both sides, compared with one side plus the other side's chain of 64.
  const auto one = raw.at("control.sides", 0), both = raw.at("control.sides", 16);
  set_or_miss(out, "scheduler.divergence_cycles",
              one && both && fma ? whole(*both - *one - 64 * fma->value) : std::nullopt, "control.sides");
  const auto& barriers = raw.points("control.barrier");
  set_or_miss(out, "barrier.latency", whole(raw.at("control.barrier", 1)), "control.barrier");
  const auto each = slope(barriers);
  set_or_miss(out, "barrier.warp_cycles", each ? std::round(*each * 100) / 100 : each, "control.barrier");
  set_or_miss(out, "barrier.fence_block_latency", whole(raw.value("control.fence_block")), "control.fence_block");
  set_or_miss(out, "barrier.fence_device_latency", whole(raw.value("control.fence_device")), "control.fence_device");
}

void fit_instruction_cache(const RawResults& raw, Calibration& out) {
  const auto& sweep = raw.points("instruction_cache.sweep");
  const auto fastest = lowest(sweep);
  if (!fastest) return out.missing.push_back("[instruction_cache]: needs instruction_cache.sweep");
  set(out, "scheduler.warp_issue_interval", snapped_to_power_of_two(*fastest));
  // A step in the cycles an instruction marks the size of a level. The smallest codes also pay for their loop.
  std::vector<Point> rest;
  for (const Point& p : sweep)
    if (p.x >= 4096) rest.push_back(p);
  const auto first = last_below(rest, *fastest * 1.25);
  if (!first) return;
  set(out, "instruction_cache.l1_bytes", *first);
  std::erase_if(rest, [&](const Point& p) { return p.x <= *first; });
  const auto second_level = lowest(rest);
  if (!second_level) return;
  set(out, "instruction_cache.l1_miss_cycles", rounded(*second_level, 2));
  const auto second = last_below(rest, *second_level * 1.25);
  if (!second) return;
  set(out, "instruction_cache.l2_bytes", *second);
  if (rest.back().x > *second) set(out, "instruction_cache.l2_miss_cycles", rounded(rest.back().y, 2));
}

void fit_launches(const RawResults& raw, Calibration& out) {
  set_or_miss(out, "launch.kernel_interval_ns", whole(raw.value("launch.graph_interval_ns")),
              "launch.graph_interval_ns");
  set_or_miss(out, "launch.host_latency_ns", whole(raw.value("launch.host_latency_ns")), "launch.host_latency_ns");
  // One resident block on a multiprocessor: from its end to the next block's start.
  const auto &starts = raw.points("launch.one_at_a_time.start"), &ends = raw.points("launch.one_at_a_time.end");
  std::vector<double> gaps;
  for (size_t i = 0; i + 1 < starts.size() && i < ends.size(); ++i) gaps.push_back(starts[i + 1].y - ends[i].y);
  set_or_miss(out, "launch.block_cycles", median(gaps), "launch.one_at_a_time");
  // Many resident blocks: the first wave on one multiprocessor.
  std::vector<double> intervals;
  const auto& many = raw.points("launch.many_at_a_time.start");
  for (size_t i = 0; i + 1 < many.size() && i < 16; ++i) intervals.push_back(many[i + 1].y - many[i].y);
  set_or_miss(out, "launch.block_interval", median(intervals), "launch.many_at_a_time");
  // Large, empty grids.
  std::vector<Point> grids;
  for (const Point& p : raw.points("launch.grid_32"))
    if (p.x > 50000) grids.push_back(p);
  const auto ns = slope(grids), hz = raw.value("clock.hz");
  set_or_miss(out, "launch.device_block_interval",
              ns && hz ? std::optional(rounded(*ns * 1e-9 * *hz, 3)) : std::nullopt, "launch.grid_32");
  const auto warps = slope(raw.points("launch.warp_start"));
  set_or_miss(out, "launch.warp_interval", warps ? std::optional(rounded(*warps, 3)) : warps, "launch.warp_start");
}

}  // namespace

void fit_control(const RawResults& raw, Calibration& out) {
  fit_branches(raw, out);
  fit_instruction_cache(raw, out);
  fit_launches(raw, out);
}

// All launches are empty except the last, which copies memory for a long time.
void fit_counters(const RawResults& raw, Calibration& out) {
  if (raw.counters.empty())
    return out.missing.push_back("launch.overhead_ns, l2.slices, dram.channels: need Nsight Compute");
  const auto all = [&](const char* name) {
    const auto found = raw.counters.find(name);
    return found == raw.counters.end() ? std::vector<double>() : found->second;
  };
  const auto last = [&](const char* name) {
    const auto values = all(name);
    return values.empty() ? std::nullopt : std::optional(values.back());
  };
  const auto empty = [&](const char* name) {
    auto values = all(name);
    if (!values.empty()) values.pop_back();
    return median(values);
  };
  const auto ratio = [&](const char* sum, const char* each) {
    const auto a = last(sum), b = last(each);
    return a && b && *b != 0 ? std::optional(std::round(*a / *b)) : std::nullopt;
  };
  constexpr Evidence kCounter = Evidence::Counter;
  set_or_miss(out, "launch.overhead_ns", empty("gpu__time_duration.sum"), "gpu__time_duration", kCounter);
  set_or_miss(out, "launch.overhead_cycles", empty("sm__cycles_elapsed.max"), "sm__cycles_elapsed", kCounter);
  const auto slices = ratio("lts__cycles_elapsed.sum", "lts__cycles_elapsed.avg");
  set_or_miss(out, "l2.slices", slices, "lts__cycles_elapsed", kCounter);
  // Use bandwidths, because disabled channels count cycles too.
  set_or_miss(out, "dram.channels", ratio("dram__bytes.sum.peak_sustained", "dram__bytes.max.peak_sustained"),
              "dram__bytes", kCounter);
  const auto sectors = last("lts__t_sectors.sum.peak_sustained");
  if (sectors && slices) set(out, "l2.sectors_per_cycle_per_slice", *sectors / *slices, kCounter);
  const auto clock = last("lts__cycles_elapsed.avg.per_second");
  if (clock) set(out, "clock.l2_khz", std::round(*clock / 1000), kCounter);
  if (const auto dram = last("dram__cycles_elapsed.avg.per_second"))
    set(out, "clock.dram_khz", std::round(*dram / 1000), kCounter);
  const auto* read = out.find("l2.read_bytes_per_cycle");
  const auto hz = raw.value("clock.hz");
  if (read && hz && clock && slices)
    set(out, "l2.bytes_per_cycle_per_slice", rounded(read->value * *hz / *clock / *slices, 3));
}

}  // namespace drywarp::calibrate
