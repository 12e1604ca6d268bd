#include "timing/machine_model.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "events/access_pattern.h"

namespace drywarp::timing {
namespace {

using device::DeviceSpec;

// Reads numbers by their path in the device file and remembers what is missing.
class Reader {
 public:
  explicit Reader(const DeviceSpec& device) : device_(device) {}
  double need(std::string_view path) {
    const auto value = device_.timing.number(path);
    if (!value) missing_.push_back(std::string(path));
    return value.value_or(1);
  }
  double either(std::string_view path, double otherwise) const {
    return device_.timing.number(path).value_or(otherwise);
  }
  void lacks(std::string what) { missing_.push_back(std::move(what)); }
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

 private:
  const DeviceSpec& device_;
  std::vector<std::string> missing_;
};

constexpr const char* kClassKeys[] = {
#define DW_TIMING_CLASS(name, key, description) key,
#include "machine/operations.def"
};

// Classes whose latency is the memory system's or does not matter.
bool has_latency(std::string_view key) {
  for (const std::string_view other :
       {"global_load", "global_store", "local_load", "local_store", "global_atomic", "shared_load", "shared_atomic",
        "shared_store", "async_copy", "branch", "barrier", "texture", "matrix"})
    if (key == other) return false;
  return true;
}

// The unit that answers for a class where the file has no number of the class's own.
constexpr struct {
  std::string_view key, path;
} kStandIns[] = {
    {"special_register", "shared.latency"},  // both come through the memory input/output queue
    {"constant_load", "constant.l1_latency"},
};

double sm_clock_hz(const Reader& r, const DeviceSpec& device) {
  return r.either("clock.sm_khz", device.sm_clock_khz) * 1e3;
}

memsys::DramParameters read_dram(Reader& r, const DeviceSpec& device, double sm_clock_hz) {
  memsys::DramParameters dram;
  dram.channels = static_cast<uint32_t>(r.need("dram.channels"));
  dram.banks = static_cast<uint32_t>(r.need("dram.banks"));
  dram.row_bytes = static_cast<uint32_t>(r.need("dram.row_bytes"));
  dram.burst_bytes = static_cast<uint32_t>(r.need("dram.burst_bytes"));
  if (device.dram_bytes_per_second) {
    dram.bytes_per_cycle = static_cast<double>(*device.dram_bytes_per_second) / sm_clock_hz / dram.channels;
  } else {
    r.lacks("rates.dram_bytes_per_second");
  }
  const double cycles_per_ns = sm_clock_hz * 1e-9;
  dram.activate = r.need("dram.t_rcd") * cycles_per_ns;
  dram.precharge = r.need("dram.t_rp") * cycles_per_ns;
  dram.row_cycle = (r.need("dram.t_ras") + r.need("dram.t_rp")) * cycles_per_ns;
  dram.turnaround = (r.either("dram.t_wtr", 0) + r.either("dram.t_rtw", 0)) * cycles_per_ns;
  // What was measured to get through knows how much of a refresh is hidden behind other banks' work.
  dram.refresh_share = r.either("dram.t_rfc", 0) / r.either("dram.t_refi", 1);
  if (device.dram_bytes_per_second)
    dram.refresh_share =
        std::clamp(1 - r.either("dram.read_bytes_per_second", 0) / static_cast<double>(*device.dram_bytes_per_second),
                   0.0, dram.refresh_share);
  dram.reorder_window = dram.row_cycle * 4;
  return dram;
}

MachineModel read_model(Reader& r, const DeviceSpec& device) {
  MachineModel m;
  m.sms = device.multiprocessors;
  m.sub_partitions = device.sub_partitions;
  m.max_warps_per_sm = device.max_warps_per_multiprocessor();
  m.sm_clock_hz = sm_clock_hz(r, device);
  for (unsigned c = 0; c < kTimingClasses; ++c) {
    const std::string_view key = kClassKeys[c];
    auto latency = device.timing.latency_of(key);
    const auto issue = device.timing.issue_of(key);
    for (const auto& s : kStandIns)
      if (!latency && s.key == key) latency = device.timing.number(s.path);
    if (!latency && has_latency(key)) r.lacks(fmt::format("latency.{}", key));
    m.latency[c] = static_cast<float>(latency.value_or(1));
    m.issue[c] = static_cast<float>(issue.value_or(1));
  }
  m.shared_latency = r.need("shared.latency");
  m.shared_atomic_latency = r.either("atomics.shared_latency", m.shared_latency);
  m.shared_wavefronts_per_cycle = r.either("shared.wavefronts_per_cycle", 1);
  m.lsu_instructions_per_cycle = 1;
  m.lsu_queue = static_cast<uint32_t>(r.either("scheduler.memory_queue", 8));
  m.barrier_latency = r.need("barrier.latency");
  m.barrier_warp_cycles = r.either("barrier.warp_cycles", 0);
  m.branch_latency = r.need("scheduler.branch_cycles");
  m.block_launch_cycles = r.either("launch.block_cycles", 0);
  m.block_interval_cycles = r.either("launch.block_interval", 0);
  m.dispatch_cycles = r.either("launch.device_block_interval", 0);
  m.warp_interval_cycles = r.either("launch.warp_interval", 0);
  m.code_cache_bytes = static_cast<uint64_t>(r.either("instruction_cache.l1_bytes", 0));
  m.instruction_bytes = static_cast<uint32_t>(r.either("instruction_cache.instruction_bytes", 16));
  // As straight-line code that is in no cache of the SM runs.
  m.code_line_cycles = r.either("instruction_cache.l2_miss_cycles", 0) * kLineBytes / m.instruction_bytes;
  m.launch_seconds = r.need("launch.overhead_ns") * 1e-9;
  m.launch_cycles = r.either("launch.overhead_cycles", m.launch_seconds * m.sm_clock_hz);

  auto& memory = m.memory;
  memory.sms = m.sms;
  m.l1_bytes = static_cast<uint64_t>(r.need("l1.bytes"));
  auto& l1 = memory.l1;
  l1.ways = static_cast<uint32_t>(r.either("l1.ways", 8));
  l1.hit_latency = r.need("l1.hit_latency");
  l1.lines_per_cycle = r.either("l1.tags_per_cycle", 1);
  l1.bytes_per_cycle = r.need("l1.bytes_per_cycle");
  l1.fill_bytes_per_cycle = r.need("l1.fill_bytes_per_cycle");
  l1.store_bytes_per_cycle = r.either("l1.store_bytes_per_cycle", l1.fill_bytes_per_cycle);
  l1.fill_lines_per_cycle = r.either("l1.fill_lines_per_cycle", 0);
  l1.store_mask_bytes = r.either("l1.store_mask_bytes", 0);
  l1.bank_conflicts = r.either("l1.bank_conflicts", 0) != 0;
  l1.unified = r.either("l1.unified", 0) != 0;
  l1.caches_global = r.either("l1.caches_global", 1) != 0;
  l1.allocates_stores = r.either("l1.write_allocate", 1) != 0;
  auto& l2 = memory.l2;
  l2.bytes = device.l2_bytes;
  l2.ways = static_cast<uint32_t>(r.either("l2.ways", 16));
  l2.slices = static_cast<uint32_t>(r.need("l2.slices"));
  l2.partitions = static_cast<uint32_t>(r.either("l2.partitions", 1));
  l2.latency_near = r.need("l2.latency_near");
  l2.latency_far = r.either("l2.latency_far", l2.latency_near);
  l2.bytes_per_cycle = r.need("l2.read_bytes_per_cycle") / l2.slices;
  // With several partitions it is the fabric between them that limits writes, not the slices.
  l2.fabric_bytes_per_cycle = r.either("l2.fabric_bytes_per_cycle", 0);
  if (l2.fabric_bytes_per_cycle == 0) l2.write_bytes_per_cycle = r.either("l2.write_bytes_per_cycle", 0) / l2.slices;
  l2.lines_per_cycle = r.either("l2.read_lines_per_cycle", 0) / l2.slices;
  l2.fill_bytes = static_cast<uint32_t>(r.either("l2.fill_sectors", 1)) * 32;
  l2.atomic_latency = r.either("atomics.global_latency", l2.latency_near);
  // On one address all atomics are one slice's.
  l2.atomic_round_cycles = 1 / r.either("atomics.global_same_address_per_cycle", 1);
  memory.dram = read_dram(r, device, m.sm_clock_hz);
  memory.dram.latency = r.need("dram.latency");
  return m;
}

}  // namespace

Result<MachineModel> machine_model(const DeviceSpec& device) {
  Reader r(device);
  MachineModel m = read_model(r, device);
  if (!r.missing().empty())
    return error(fmt::format("the file of {} has no {}: its time cannot be predicted", device.name,
                             fmt::join(r.missing(), ", ")),
                 "add the numbers with their sources, or measure them with `drywarp calibrate`");
  return m;
}

Result<memsys::Parameters> memory_parameters(const DeviceSpec& device) {
  Reader r(device);
  MachineModel m = read_model(r, device);
  std::vector<std::string> missing = r.missing();
  std::erase_if(missing, [](const std::string& path) {
    for (const std::string_view table : {"l1.", "l2.", "dram.", "rates."})
      if (path.starts_with(table)) return false;
    return true;
  });
  if (!missing.empty())
    return error(
        fmt::format("the file of {} has no {}: its memory cannot be modelled", device.name, fmt::join(missing, ", ")),
        "add the numbers with their sources, or measure them with `drywarp calibrate`");
  const uint64_t shared = device.shared_carveouts.empty() ? 0 : device.shared_carveouts.front();
  m.memory.l1.bytes = device.timing.l1.largest_bytes.value_or(m.l1_bytes - std::min(m.l1_bytes, shared));
  return m.memory;
}

Result<memsys::DramParameters> dram_parameters(const DeviceSpec& device) {
  Reader r(device);
  const memsys::DramParameters dram = read_dram(r, device, sm_clock_hz(r, device));
  if (!r.missing().empty())
    return error(
        fmt::format("the file of {} has no {}: its DRAM cannot be modelled", device.name, fmt::join(r.missing(), ", ")),
        "add the numbers with their sources, or measure them with `drywarp calibrate`");
  return dram;
}

}  // namespace drywarp::timing
