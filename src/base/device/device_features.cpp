#include "base/device/device_features.h"

#include <utility>

namespace drywarp::device {
namespace {

constexpr std::string_view kLatencyTable[] = {"latency.alu",    "latency.fma_f32", "shared.latency",
                                              "l1.hit_latency", "l2.latency_near", "dram.latency"};
constexpr std::string_view kLatencyHiding[] = {"latency.fma_f32", "dram.latency", "rates.dram_bytes_per_second"};
constexpr std::string_view kMemoryModel[] = {"l1.bytes",
                                             "l1.hit_latency",
                                             "l1.bytes_per_cycle",
                                             "l1.fill_bytes_per_cycle",
                                             "l2.slices",
                                             "l2.latency_near",
                                             "l2.read_bytes_per_cycle",
                                             "dram.channels",
                                             "dram.banks",
                                             "dram.row_bytes",
                                             "dram.burst_bytes",
                                             "dram.latency",
                                             "dram.t_rcd",
                                             "dram.t_rp",
                                             "dram.t_ras",
                                             "rates.dram_bytes_per_second"};

constexpr Feature kFeatures[] = {
    {"occupancy", "blocks and warps that fit on a multiprocessor", {}},
    {"latency table", "how long operations and levels of memory take", kLatencyTable},
    {"latency hiding", "warps that hide arithmetic and memory latency", kLatencyHiding},
    {"memory model", "caches, their bandwidths, channels, banks and rows of the DRAM", kMemoryModel},
};

// PTX ISA, target ISA notes: the first compute capability whose machine code has them.
constexpr std::pair<std::string_view, unsigned> kInstructionsSince[] = {
    {"latency.vote", 12},
    {"latency.shuffle", 30},
    {"latency.half", 53},
    {"latency.uniform", 75},
    {"latency.redux", 80},
    {"latency.match", 70},
    {"latency.matrix", 70},
    {"latency.matrix_short", 70},
    {"latency.matrix_small", 70},
    {"latency.matrix_double", 80},
    {"latency.matrix_double_4", 90},
    {"latency.matrix_double_8", 90},
    {"latency.matrix_double_16", 90},
    {"latency.bulk_copy", 90},
    {"latency.barrier_object", 80},
};

bool has(const DeviceSpec& device, std::string_view path) {
  if (path == "rates.dram_bytes_per_second") return device.dram_bytes_per_second.has_value();
  // Where only one of them is known, integer and floating-point latencies are taken to be equal.
  if (path == "latency.fma_f32" && device.timing.number("latency.alu")) return true;
  return device.timing.number(path).has_value();
}

}  // namespace

std::span<const Feature> features() { return kFeatures; }

bool exists(const DeviceSpec& device, std::string_view path) {
  for (const auto& [name, since] : kInstructionsSince)
    if (path == name) return device.compute_capability.number() >= since;
  if (path == "latency.matrix_group") return device.timing.matrix.group_float8_bits.has_value();
  if (path == "l2.latency_far") return device.timing.l2.partitions.value_or(1) > 1;
  if (path.starts_with("l2.")) return device.l2_bytes > 0;
  if (path.starts_with("l1.")) return device.timing.l1.bytes || device.timing.l1.caches_global.value_or(true);
  return true;
}

std::vector<std::string_view> lacks(const DeviceSpec& device, const Feature& feature) {
  std::vector<std::string_view> out;
  for (const std::string_view path : feature.needs)
    if (exists(device, path) && !has(device, path)) out.push_back(path);
  return out;
}

}  // namespace drywarp::device
