#include "base/device/latency_hiding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/device/device_features.h"

namespace drywarp::device {
namespace {

// Rounds up; a whole number with the rounding error of a division stays itself.
uint64_t ceiling(double value) { return uint64_t(std::ceil(value - 1e-9 * value)); }

struct RowInfo {
  LatencyRow::Group group;
  const char *name, *path;
  const char* fallback = nullptr;  // if `path` is absent: the class of the same operation
};
constexpr RowInfo kRows[] = {
    {LatencyRow::Group::Operation, "ADD, SUB", "operations.add", "latency.alu"},
    {LatencyRow::Group::Operation, "MAX, MIN", "operations.max_min", "latency.IMNMX"},
    {LatencyRow::Group::Operation, "MAD", "operations.mad", "latency.imad"},
    {LatencyRow::Group::Operation, "MUL", "operations.mul", "latency.imad"},
    {LatencyRow::Group::Operation, "DIV", "operations.div"},
    {LatencyRow::Group::Operation, "REM", "operations.rem"},
    {LatencyRow::Group::Operation, "AND, OR, XOR", "operations.logic", "latency.alu"},
    {LatencyRow::Group::Instruction, "integer addition, logic, comparison", "latency.alu"},
    {LatencyRow::Group::Instruction, "shifts", "latency.shift"},
    {LatencyRow::Group::Instruction, "32-bit floating point", "latency.fma_f32"},
    {LatencyRow::Group::Instruction, "integer multiply-add", "latency.imad"},
    {LatencyRow::Group::Instruction, "integer multiply-add, 64-bit result", "latency.imad_wide"},
    {LatencyRow::Group::Instruction, "half precision", "latency.half"},
    {LatencyRow::Group::Instruction, "double precision", "latency.double"},
    {LatencyRow::Group::Instruction, "transcendental functions", "latency.transcendental"},
    {LatencyRow::Group::Instruction, "conversions", "latency.convert"},
    {LatencyRow::Group::Instruction, "bit counting", "latency.bit_count", "latency.POPC"},
    {LatencyRow::Group::Instruction, "shuffles", "latency.shuffle"},
    {LatencyRow::Group::Instruction, "votes", "latency.vote"},
    {LatencyRow::Group::Instruction, "warp-wide reductions", "latency.redux"},
    {LatencyRow::Group::Instruction, "uniform datapath", "latency.uniform"},
    {LatencyRow::Group::Instruction, "special registers", "latency.special_register"},
    {LatencyRow::Group::Unit, "global, local: L1 D", "l1.hit_latency"},
    {LatencyRow::Group::Unit, "global, local: L2 D", "l2.latency_near"},
    {LatencyRow::Group::Unit, "global, local: L2 D, far partition", "l2.latency_far"},
    {LatencyRow::Group::Unit, "global, local: DRAM", "dram.latency"},
    {LatencyRow::Group::Unit, "shared memory", "shared.latency"},
    {LatencyRow::Group::Unit, "texture: L1 D", "texture.l1_latency"},
    {LatencyRow::Group::Unit, "texture: L2 D", "texture.l2_latency"},
    {LatencyRow::Group::Unit, "texture: DRAM", "texture.dram_latency"},
    {LatencyRow::Group::Unit, "constant: L1 D", "constant.l1_latency"},
    {LatencyRow::Group::Unit, "constant: L1.5 D", "constant.l15_latency"},
    {LatencyRow::Group::Unit, "constant: L2 D", "constant.l2_latency"},
};

LatencyRow row(const DeviceSpec& device, const RowInfo& info, double ilp) {
  LatencyRow out{.group = info.group, .name = info.name, .path = info.path};
  out.cycles = device.timing.number(info.path);
  if (!out.cycles && info.fallback && (out.cycles = device.timing.number(info.fallback))) out.path = info.fallback;
  out.none = !out.cycles && !exists(device, info.path);
  if (info.group != LatencyRow::Group::Instruction) return out;
  out.issue = device.timing.issue_of(std::string_view(info.path).substr(std::string_view("latency.").size()));
  if (out.cycles && out.issue && *out.issue > 0)
    out.warps = device.sub_partitions * std::max<uint64_t>(1, ceiling(*out.cycles / *out.issue / ilp));
  return out;
}

}  // namespace

ArithmeticHiding hide_arithmetic(const HidingInput& in) {
  ArithmeticHiding out;
  out.warps_per_multiprocessor = std::max<uint64_t>(1, ceiling(in.schedulers * in.arithmetic_latency / in.ilp));
  out.warps = out.warps_per_multiprocessor * in.multiprocessors;
  return out;
}

MemoryHiding hide_memory(const HidingInput& in) {
  MemoryHiding out;
  out.bytes_per_cycle = in.bytes_per_second / in.clock_hz;
  if (out.bytes_per_cycle >= 1) out.bytes_per_cycle = std::floor(out.bytes_per_cycle);
  out.bytes_in_flight = out.bytes_per_cycle * in.memory_latency;
  out.threads = ceiling(out.bytes_in_flight / (in.bytes_per_thread * in.ilp));
  out.warps = ceiling(double(out.threads) / in.warp_size);
  out.warps_per_multiprocessor = ceiling(double(out.warps) / in.multiprocessors);
  return out;
}

Result<HidingInput> hiding_input(const DeviceSpec& device, const HidingOptions& options) {
  HidingInput in;
  std::vector<std::string> missing;
  const auto take = [&](const std::optional<double>& said, std::optional<double> known, const char* path) {
    if (said || known) return said ? *said : *known;
    missing.emplace_back(path);
    return 1.0;
  };
  const TimingNumbers& t = device.timing;
  const auto arithmetic = t.number("latency.fma_f32") ? t.number("latency.fma_f32") : t.number("latency.alu");
  in.arithmetic_latency = take(options.arithmetic_latency, arithmetic, "latency.fma_f32");
  in.memory_latency = take(options.memory_latency, t.dram.latency, "dram.latency");
  in.bytes_per_second = take(options.bytes_per_second, device.dram_bytes_per_second, "rates.dram_bytes_per_second");
  in.clock_hz = options.clock_hz.value_or(double(t.clock.sm_khz.value_or(device.sm_clock_khz)) * 1e3);
  in.bytes_per_thread = options.bytes_per_thread.value_or(in.bytes_per_thread);
  in.ilp = options.ilp.value_or(in.ilp);
  in.schedulers = device.sub_partitions;
  in.multiprocessors = device.multiprocessors;
  in.warp_size = device.warp_size;
  if (missing.empty()) return in;
  return error(fmt::format("hiding latency needs numbers that the device file of {} ({}) does not have: {}",
                           device.name, device.id, fmt::join(missing, ", ")),
               "nobody has published them; give them as options, or measure them with `drywarp calibrate`");
}

std::optional<HidingInput> worked_example(const DeviceSpec& device, const HidingOptions& options) {
  const WorkedExampleNumbers& e = device.timing.worked_example;
  if (!e.arithmetic_latency || !e.memory_latency || !e.bytes_per_second || !e.clock_khz || !e.bytes_per_thread)
    return std::nullopt;
  return HidingInput{.arithmetic_latency = options.arithmetic_latency.value_or(*e.arithmetic_latency),
                     .memory_latency = options.memory_latency.value_or(*e.memory_latency),
                     .bytes_per_second = options.bytes_per_second.value_or(double(*e.bytes_per_second)),
                     .clock_hz = options.clock_hz.value_or(*e.clock_khz * 1e3),
                     .bytes_per_thread = options.bytes_per_thread.value_or(*e.bytes_per_thread),
                     .ilp = options.ilp.value_or(1),
                     .schedulers = device.sub_partitions,
                     .multiprocessors = device.multiprocessors,
                     .warp_size = device.warp_size};
}

std::vector<LatencyRow> latency_table(const DeviceSpec& device, double ilp) {
  std::vector<LatencyRow> table;
  for (const RowInfo& info : kRows) table.push_back(row(device, info, ilp));
  return table;
}

}  // namespace drywarp::device
