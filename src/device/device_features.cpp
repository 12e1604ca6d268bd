#include "device/device_features.h"

namespace drywarp::device {
namespace {

constexpr std::string_view kLatencyTable[] = {"latency.alu",    "latency.fma_f32", "latency.imad", "shared.latency",
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

bool has(const DeviceSpec& device, std::string_view path) {
  if (path == "rates.dram_bytes_per_second") return device.dram_bytes_per_second.has_value();
  // Integer and floating-point pipelines are as long wherever only one was measured.
  if (path == "latency.fma_f32" && device.timing.number("latency.alu")) return true;
  return device.timing.number(path).has_value();
}

}  // namespace

std::span<const Feature> features() { return kFeatures; }

std::vector<std::string_view> lacks(const DeviceSpec& device, const Feature& feature) {
  std::vector<std::string_view> out;
  for (const std::string_view path : feature.needs)
    if (!has(device, path)) out.push_back(path);
  return out;
}

}  // namespace drywarp::device
