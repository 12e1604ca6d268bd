// NVIDIA's cuda_occupancy.h describes the algorithm; every number in it comes from the device file.
#include "device/occupancy.h"

#include <algorithm>

namespace drywarp::device {
namespace {

uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

uint32_t as_limit(uint64_t blocks) { return uint32_t(std::min<uint64_t>(blocks, Occupancy::kUnlimited)); }

uint32_t register_unit(const DeviceSpec& device, uint32_t registers) {
  const auto& odd = device.odd_register_counts;
  const bool is_odd = std::find(odd.begin(), odd.end(), registers) != odd.end();
  return is_odd && device.register_allocation_unit_odd ? *device.register_allocation_unit_odd
                                                       : device.register_allocation_unit;
}

uint32_t blocks_by_registers(const DeviceSpec& device, uint32_t registers, uint32_t warps_per_block) {
  if (registers == 0) return Occupancy::kUnlimited;
  if (registers > device.max_registers_per_thread) return 0;
  const uint64_t unit = register_unit(device, registers);
  if (device.registers_allocated_per_block) {
    const uint64_t warps = round_up(warps_per_block, device.warp_allocation_granularity);
    const uint64_t per_block = round_up(uint64_t(registers) * device.warp_size * warps, unit);
    return per_block > device.registers_per_block ? 0 : as_limit(device.registers_per_multiprocessor / per_block);
  }
  const uint64_t per_warp = round_up(uint64_t(registers) * device.warp_size, unit);
  if (device.registers_per_block < per_warp * round_up(warps_per_block, device.sub_partitions)) return 0;
  const uint64_t warps = device.registers_per_multiprocessor / device.sub_partitions / per_warp * device.sub_partitions;
  return as_limit(warps / warps_per_block);
}

// The carve-out in effect. An asked-for percentage is a hint: the smallest size that reaches it, or that holds one
// block.
uint32_t shared_capacity(const DeviceSpec& device, const OccupancyRequest& request, uint64_t per_block) {
  if (!request.carveout_percent) return device.shared_per_multiprocessor;
  const uint64_t wanted = uint64_t(device.shared_per_multiprocessor) * *request.carveout_percent;
  for (uint32_t size : device.shared_carveouts)
    if (uint64_t(size) * 100 >= wanted && size >= per_block) return size;
  return device.shared_per_multiprocessor;
}

}  // namespace

const char* name(OccupancyLimiter limiter) {
  constexpr const char* kNames[] = {"warps", "blocks", "registers", "shared memory"};
  return kNames[unsigned(limiter)];
}

Occupancy occupancy(const DeviceSpec& device, const OccupancyRequest& request) {
  Occupancy out;
  if (request.threads_per_block == 0 || request.threads_per_block > device.max_threads_per_block) return out;
  const uint32_t warps_per_block = uint32_t(round_up(request.threads_per_block, device.warp_size) / device.warp_size);
  const uint64_t asked = request.static_shared_bytes + request.dynamic_shared_bytes;
  const uint64_t per_block = round_up(asked + device.shared_reserved_per_block, device.shared_allocation_unit);
  out.shared_capacity = shared_capacity(device, request, per_block);

  out.limit[unsigned(OccupancyLimiter::Warps)] = device.max_warps_per_multiprocessor() / warps_per_block;
  out.limit[unsigned(OccupancyLimiter::Blocks)] = device.max_blocks_per_multiprocessor;
  out.limit[unsigned(OccupancyLimiter::Registers)] =
      blocks_by_registers(device, request.registers_per_thread, warps_per_block);
  out.limit[unsigned(OccupancyLimiter::SharedMemory)] = asked > device.shared_per_block_optin ? 0
                                                        : per_block == 0                      ? Occupancy::kUnlimited
                                                                         : as_limit(out.shared_capacity / per_block);

  out.blocks = *std::min_element(std::begin(out.limit), std::end(out.limit));
  out.warps = out.blocks * warps_per_block;
  out.fraction = double(out.warps) / device.max_warps_per_multiprocessor();
  return out;
}

}  // namespace drywarp::device
