#include "model/machine/device_numbers.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/device/device_features.h"

namespace drywarp::machine {
namespace {

using device::DeviceSpec;

std::optional<double> product(const DeviceSpec& device, std::string_view a, std::string_view b) {
  const auto x = file_number(device, a), y = file_number(device, b);
  return x && y ? std::optional(*x * *y) : std::nullopt;
}

// The stand-in for a number that a device file lacks: another number of the file, or a function of several. The first
// row with a known stand-in applies. A stand-in is the nearest published relative: the same unit does the work of both,
// or both pass through it. A number without a row has no stand-in.
constexpr struct StandInRow {
  std::string_view number, by;
  std::optional<double> (*made)(const DeviceSpec&) = nullptr;
} kStandIns[] = {
    // The same lanes, or the same kind of lanes.
    {"latency.shift", "latency.alu"},
    {"latency.fma_f32", "latency.alu"},
    {"latency.imad", "latency.fma_f32"},
    {"latency.imad_wide", "latency.imad"},
    {"latency.half", "latency.fma_f32"},
    {"latency.vote", "latency.alu"},
    {"latency.uniform", "latency.alu"},
    {"latency.double", "latency.fma_f32"},  // on GPUs with few fp64 lanes the issue rate matters more
    {"issue.shift", "issue.alu"},
    {"issue.imad", "issue.fma_f32"},
    {"issue.imad_wide", "issue.imad"},
    {"issue.half", "issue.fma_f32"},
    {"issue.vote", "issue.alu"},
    // Tensor cores: half the work takes half as long in the pipe.
    {"latency.matrix_short", "latency.matrix"},
    {"latency.matrix_small", "latency.matrix_short"},
    {"issue.matrix_small", "issue.matrix_short"},
    {"latency.matrix_double_4", "latency.matrix_double"},
    {"latency.matrix_double_8", "latency.matrix_double_4"},
    {"latency.matrix_double_16", "latency.matrix_double_8"},
    // The unit of slow operations: transcendental functions, conversions, bit counting.
    {"latency.transcendental", "latency.convert"},
    {"latency.transcendental", "latency.bit_count"},
    {"latency.transcendental", "latency.fma_f32"},
    {"latency.convert", "latency.transcendental"},
    {"latency.bit_count", "latency.POPC"},
    {"latency.bit_count", "latency.transcendental"},
    {"issue.convert", "issue.transcendental"},
    {"issue.bit_count", "issue.transcendental"},
    // Instructions that pass through the load-store unit and its queue.
    {"latency.special_register", "shared.latency"},
    {"latency.shuffle", "shared.latency"},
    {"latency.barrier_object", "atomics.shared_latency"},
    {"latency.barrier_object", "shared.latency"},
    {"latency.redux", "latency.shuffle"},
    {"issue.redux", "issue.shuffle"},
    {"latency.match", "latency.redux"},
    {"latency.match", "latency.shuffle"},
    {"issue.match", "issue.redux"},
    {"issue.match", "issue.shuffle"},
    {"latency.constant_load", "constant.l1_latency"},
    {"latency.constant_load", "shared.latency"},
    {"barrier.latency", "shared.latency"},
    {"scheduler.branch_cycles", "latency.alu"},
    // One array, one pipe.
    {"shared.latency", "l1.hit_latency"},
    {"l1.hit_latency", "texture.l1_latency"},
    {"l1.bytes_per_cycle", "shared.bytes_per_cycle"},
    {"l1.bytes_per_cycle", "shared.banks x shared.bank_bytes",
     [](const DeviceSpec& d) { return product(d, "shared.banks", "shared.bank_bytes"); }},
    // Between the multiprocessors and the L2.
    {"l2.read_bytes_per_cycle", "l2.slices x l2.sector_bytes",
     [](const DeviceSpec& d) { return product(d, "l2.slices", "l2.sector_bytes"); }},
    {"l2.read_bytes_per_cycle", "l1.fill_bytes_per_cycle of all multiprocessors",
     [](const DeviceSpec& d) {
       const auto one = file_number(d, "l1.fill_bytes_per_cycle");
       return one ? std::optional(*one * d.multiprocessors) : std::nullopt;
     }},
    {"l1.fill_bytes_per_cycle", "a multiprocessor's share of l2.read_bytes_per_cycle",
     [](const DeviceSpec& d) {
       const auto all = file_number(d, "l2.read_bytes_per_cycle");
       return all ? std::optional(*all / d.multiprocessors) : std::nullopt;
     }},
    {"l1.fill_bytes_per_cycle", "a multiprocessor's share of l2.slices x l2.sector_bytes",
     [](const DeviceSpec& d) {
       const auto all = product(d, "l2.slices", "l2.sector_bytes");
       return all ? std::optional(*all / d.multiprocessors) : std::nullopt;
     }},
    {"l2.slices", "dram.channels"},
    {"atomics.global_latency", "l2.latency_near"},
    {"atomics.global_latency", "dram.latency"},  // where there is no L2
    {"atomics.shared_latency", "shared.latency"},
    {"launch.overhead_ns", "nothing: it is not in the time", [](const DeviceSpec&) { return std::optional(0.0); }},
};

// Numbers that are identical to another one: not reported as stand-ins.
constexpr std::string_view kSameNumber[] = {"constant.l1_latency"};

struct Found {
  double value = 1;
  std::string_view by;  // the stand-in; empty: the file has the number itself
};

std::optional<Found> find(const DeviceSpec& device, std::string_view path, unsigned depth = 0) {
  if (const auto value = file_number(device, path)) return Found{*value, {}};
  constexpr unsigned kDeepest = 4;  // rows can name each other
  if (depth == kDeepest || !device::exists(device, path)) return std::nullopt;
  for (const StandInRow& row : kStandIns) {
    if (row.number != path) continue;
    if (row.made) {
      if (const auto value = row.made(device)) return Found{*value, row.by};
    } else if (const auto other = find(device, row.by, depth + 1)) {
      return Found{other->value, other->by.empty() ? row.by : other->by};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> file_number(const DeviceSpec& device, std::string_view path) {
  if (path == "rates.dram_bytes_per_second")
    return device.dram_bytes_per_second ? std::optional(static_cast<double>(*device.dram_bytes_per_second))
                                        : std::nullopt;
  return device.timing.number(path);
}

double NumberReader::need(std::string_view path, ClassSet classes) {
  const auto found = find(device_, path);
  const bool same = found && std::ranges::find(kSameNumber, found->by) != std::end(kSameNumber);
  if (!found || (!found->by.empty() && !same))
    add({std::string(path), std::string(found ? found->by : ""), classes, !device::exists(device_, path)});
  return found ? found->value : 1;
}

double NumberReader::issue(TimingClass timing) {
  const std::string path = fmt::format("issue.{}", key(timing));
  return find(device_, path) ? need(path, set_of(timing)) : 1;
}

double NumberReader::either(std::string_view path, double otherwise) const {
  return device_.timing.number(path).value_or(otherwise);
}

std::vector<Gap> NumberReader::take_gaps() { return std::move(gaps_); }

void NumberReader::add(Gap gap) {
  for (Gap& known : gaps_)
    if (known.path == gap.path) {
      known.classes =
          known.classes == kEveryLaunch || gap.classes == kEveryLaunch ? kEveryLaunch : known.classes | gap.classes;
      return;
    }
  gaps_.push_back(std::move(gap));
}

}  // namespace drywarp::machine
