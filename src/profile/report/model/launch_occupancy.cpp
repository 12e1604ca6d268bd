#include "profile/report/model/launch_occupancy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/access/access_pattern.h"
#include "base/device/occupancy.h"
#include "profile/metrics/sums.h"

namespace drywarp::report {
namespace {

using device::DeviceSpec;
using device::HidingInput;

// The unit that runs a class of PTX instructions, by its key in [latency]. Memory accesses are not among them.
constexpr struct {
  InstructionClass klass;
  const char* key;
} kUnits[] = {
    {InstructionClass::Fp16, "latency.half"},
    {InstructionClass::Fp32, "latency.fma_f32"},
    {InstructionClass::Fp64, "latency.double"},
    {InstructionClass::Integer, "latency.alu"},
    {InstructionClass::BitConvert, "latency.convert"},
    {InstructionClass::Control, "latency.alu"},
    {InstructionClass::InterThread, "latency.shuffle"},
    {InstructionClass::Special, "latency.transcendental"},
    {InstructionClass::Misc, "latency.alu"},
};

double of_class(const DeviceSpec& device, const char* key, double otherwise) {
  return device.timing.number(key).value_or(otherwise);
}

uint64_t up(double value) { return std::max<uint64_t>(1, uint64_t(std::ceil(value - 1e-9 * value))); }

void present(KernelHiding& k, const DeviceSpec& device, const KernelInfo& info, const record::LaunchRecord& launch) {
  const auto threads = k.block.count();
  const device::Occupancy occupancy = device::occupancy(device, occupancy_request(device, info, launch));
  k.warps_by_occupancy = occupancy.warps;
  const uint64_t warps_per_block = (threads + device.warp_size - 1) / device.warp_size;
  const double of_grid = double(k.grid.count() * warps_per_block) / device.multiprocessors;
  k.warps_present = std::min(double(occupancy.warps), of_grid);
}

void needed(KernelHiding& k, const DeviceSpec& device, const metrics::Sums& sums, const HidingInput& given,
            bool latency_given) {
  double cycles = 0;
  for (const auto& unit : kUnits) {
    const uint64_t warps = sums.of(unit.klass).warps;
    k.arithmetic_instructions += warps;
    cycles += double(warps) *
              (latency_given ? given.arithmetic_latency : of_class(device, unit.key, given.arithmetic_latency));
  }
  HidingInput input = given;
  if (k.arithmetic_instructions > 0) input.arithmetic_latency = cycles / double(k.arithmetic_instructions);
  k.arithmetic_latency = input.arithmetic_latency;
  k.warps_for_arithmetic = device::hide_arithmetic(input).warps_per_multiprocessor;
  k.warps_needed = k.warps_for_arithmetic;

  const metrics::AccessSums& loads = sums.of(Memory::Global, metrics::AccessKind::Load);
  if (loads.requests == 0) return;
  k.requests = loads.requests;
  k.bytes_per_request = double(loads.units * kSectorBytes) / double(loads.requests);
  const device::MemoryHiding memory = device::hide_memory(input);
  k.warps_for_bandwidth =
      up(memory.bytes_in_flight / (k.bytes_per_request * input.ilp) / double(device.multiprocessors));
  // One iteration of a warp: the instructions between two requests, and the request.
  const double instructions = k.instructions_per_request();
  const double cycles_each = instructions * input.arithmetic_latency / input.ilp + input.memory_latency / input.ilp;
  k.warps_for_issue = up(input.schedulers * cycles_each / (instructions + 1));
  k.warps_needed = std::min(k.warps_for_bandwidth, k.warps_for_issue);
}

}  // namespace

device::OccupancyRequest occupancy_request(const device::DeviceSpec& device, const KernelInfo& kernel,
                                           const record::LaunchRecord& launch) {
  return sm::occupancy_request(device, kernel, {launch.block.count(), launch.dynamic_shared_bytes, launch.carveout});
}

Result<std::vector<KernelHiding>> kernel_hiding(const record::Profile& profile, const DeviceSpec& device,
                                                const device::HidingOptions& options) {
  const auto input = device::hiding_input(device, options);
  if (!input) return input.problem();
  using Configuration = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, int>;
  std::map<Configuration, size_t> places;
  std::vector<KernelHiding> kernels;
  std::vector<const record::LaunchRecord*> firsts;
  std::vector<metrics::Sums> sums;
  for (const record::LaunchRecord& launch : profile.launches) {
    if (!launch.counted) continue;
    const KernelInfo& info = *profile.kernels[launch.kernel];
    const Configuration which{launch.kernel,  launch.grid.x,  launch.grid.y,  launch.grid.z,
                              launch.block.x, launch.block.y, launch.block.z, launch.dynamic_shared_bytes,
                              launch.carveout};
    const auto [place, fresh] = places.emplace(which, kernels.size());
    if (fresh) {
      kernels.push_back({.kernel = info.display_name,
                         .grid = launch.grid,
                         .block = launch.block,
                         .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                         .registers = info.registers});
      firsts.push_back(&launch);
      sums.emplace_back();
    }
    ++kernels[place->second].launches;
    sums[place->second] += metrics::sum_launch(info, launch.counts);
  }
  for (size_t i = 0; i < kernels.size(); ++i) {
    present(kernels[i], device, *profile.kernels[firsts[i]->kernel], *firsts[i]);
    needed(kernels[i], device, sums[i], *input, options.arithmetic_latency.has_value());
  }
  return kernels;
}

}  // namespace drywarp::report
