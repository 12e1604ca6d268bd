// NVIDIA's cuda_occupancy.h describes the algorithm; every number in it comes from the device file.

#include "base/device/occupancy.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/support/round_up.h"

namespace drywarp::device {
namespace {

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
  const uint64_t per_warp = registers_per_warp(device, registers);
  const uint32_t checked = device.register_check_partitions.value_or(device.sub_partitions);
  if (device.registers_per_block < per_warp * round_up(warps_per_block, checked)) return 0;
  const uint64_t warps = device.registers_per_multiprocessor / device.sub_partitions / per_warp * device.sub_partitions;
  return as_limit(warps / warps_per_block);
}

// Shared memory that one block allocates.
uint64_t shared_of_block(const DeviceSpec& device, const OccupancyRequest& request) {
  return round_up(request.static_shared_bytes + request.dynamic_shared_bytes + device.shared_reserved_per_block,
                  device.shared_allocation_unit);
}

// The carve-out in effect. A preferred percentage is a hint: the smallest size that reaches it and holds one block.
uint32_t shared_capacity(const DeviceSpec& device, const OccupancyRequest& request, uint64_t per_block) {
  if (!request.carveout_percent) return device.shared_per_multiprocessor;
  const uint64_t wanted = uint64_t(device.shared_per_multiprocessor) * *request.carveout_percent;
  for (uint32_t size : device.shared_carveouts)
    if (uint64_t(size) * 100 >= wanted && size >= per_block) return size;
  return device.shared_per_multiprocessor;
}

// Whether a launch may request this much shared memory.
bool shared_is_allowed(const DeviceSpec& device, const OccupancyRequest& request) {
  const uint64_t asked = request.static_shared_bytes + request.dynamic_shared_bytes;
  if (asked > device.shared_per_block_optin) return false;
  return !request.max_dynamic_shared_bytes || request.dynamic_shared_bytes <= *request.max_dynamic_shared_bytes ||
         asked <= device.shared_per_block;
}

uint32_t blocks_by_barriers(const DeviceSpec& device, uint32_t barriers) {
  return device.block_barriers && barriers ? *device.block_barriers / barriers : Occupancy::kUnlimited;
}

}  // namespace

const char* name(OccupancyLimiter limiter) {
  constexpr const char* kNames[] = {"warps", "blocks", "registers", "shared memory", "barriers"};
  return kNames[unsigned(limiter)];
}

uint64_t registers_per_warp(const DeviceSpec& device, uint32_t registers_per_thread) {
  return round_up(uint64_t(registers_per_thread) * device.warp_size, register_unit(device, registers_per_thread));
}

Occupancy occupancy(const DeviceSpec& device, const OccupancyRequest& request) {
  Occupancy out;
  if (request.threads_per_block == 0 || request.threads_per_block > device.max_threads_per_block) return out;
  const uint32_t warps_per_block = uint32_t(round_up(request.threads_per_block, device.warp_size) / device.warp_size);
  const uint64_t per_block = shared_of_block(device, request);
  out.shared_capacity = shared_capacity(device, request, per_block);

  out.limit[unsigned(OccupancyLimiter::Warps)] = device.max_warps_per_multiprocessor() / warps_per_block;
  out.limit[unsigned(OccupancyLimiter::Blocks)] = device.max_blocks_per_multiprocessor;
  out.limit[unsigned(OccupancyLimiter::Registers)] =
      blocks_by_registers(device, request.registers_per_thread, warps_per_block);
  out.limit[unsigned(OccupancyLimiter::SharedMemory)] = !shared_is_allowed(device, request) ? 0
                                                        : per_block == 0                    ? Occupancy::kUnlimited
                                                                         : as_limit(out.shared_capacity / per_block);
  out.limit[unsigned(OccupancyLimiter::Barriers)] = blocks_by_barriers(device, request.barriers);

  out.blocks = *std::min_element(std::begin(out.limit), std::end(out.limit));
  out.warps = out.blocks * warps_per_block;
  out.fraction = double(out.warps) / device.max_warps_per_multiprocessor();
  return out;
}

Status check_launch(const DeviceSpec& device, const OccupancyRequest& request) {
  const uint64_t shared = request.static_shared_bytes + request.dynamic_shared_bytes;
  if (request.threads_per_block == 0 || request.threads_per_block > device.max_threads_per_block)
    return error(fmt::format("a block of {} threads cannot be launched", request.threads_per_block),
                 fmt::format("a block of the {} has 1 to {} threads", device.name, device.max_threads_per_block));
  if (request.registers_per_thread > device.max_registers_per_thread)
    return error(fmt::format("a thread cannot have {} registers", request.registers_per_thread),
                 fmt::format("a thread of the {} has at most {}", device.name, device.max_registers_per_thread));
  if (shared > device.shared_per_block_optin)
    return error(fmt::format("a block cannot have {} bytes of shared memory", shared),
                 fmt::format("a block of the {} has at most {}", device.name, device.shared_per_block_optin));
  const Occupancy fit = occupancy(device, request);
  if (fit.limit[unsigned(OccupancyLimiter::Registers)] == 0)
    return error(fmt::format("a block of {} threads with {} registers each cannot be launched",
                             request.threads_per_block, request.registers_per_thread),
                 fmt::format("a block of the {} has at most {} registers", device.name, device.registers_per_block));
  if (fit.blocks > 0) return {};
  std::string what;
  for (unsigned l = 0; l < kOccupancyLimiters; ++l)
    if (fit.limit[l] == 0) what += (what.empty() ? "" : " and ") + std::string(name(OccupancyLimiter(l)));
  return error(fmt::format("no such block fits on a multiprocessor of the {}: too much of its {}", device.name, what));
}

std::optional<uint64_t> available_dynamic_shared(const DeviceSpec& device, const OccupancyRequest& request,
                                                 uint32_t blocks) {
  OccupancyRequest without = request;
  without.dynamic_shared_bytes = 0;
  const uint32_t fit = occupancy(device, without).blocks;
  if (blocks == 0 || fit < blocks) return std::nullopt;
  uint64_t each = device.shared_per_block_optin;
  if (blocks > 1) {
    // The smallest carve-out that meets the preference.
    const uint64_t capacity = shared_capacity(device, request, 1);
    each = std::min(each, capacity / blocks / device.shared_allocation_unit * device.shared_allocation_unit);
  }
  each -= std::min(each, request.static_shared_bytes);
  return request.max_dynamic_shared_bytes ? std::min(each, *request.max_dynamic_shared_bytes) : each;
}

PotentialBlockSize max_potential_block_size(const DeviceSpec& device, OccupancyRequest request, uint32_t block_limit,
                                            const DynamicSharedOf& dynamic_shared_bytes_of) {
  PotentialBlockSize best;
  uint32_t best_threads = 0;
  const uint32_t most =
      block_limit ? std::min(block_limit, device.max_threads_per_block) : device.max_threads_per_block;
  for (uint64_t size = round_up(most, device.warp_size); size > 0; size -= device.warp_size) {
    request.threads_per_block = uint32_t(std::min<uint64_t>(size, most));
    request.dynamic_shared_bytes = dynamic_shared_bytes_of(request.threads_per_block);
    const uint32_t blocks = occupancy(device, request).blocks;
    const uint32_t threads = blocks * request.threads_per_block;
    if (threads > best_threads) {
      best_threads = threads;
      best = {request.threads_per_block, blocks * device.multiprocessors};
    }
    if (best_threads == device.max_threads_per_multiprocessor) break;
  }
  return best;
}

uint64_t driver_carveout(const DeviceSpec& device, const OccupancyRequest& request, const Occupancy& fits) {
  if (request.carveout_percent || device.shared_carveouts.size() < 2) return fits.shared_capacity;
  const uint64_t unit = std::max<uint64_t>(device.shared_allocation_unit, 1);
  const uint64_t asked = request.static_shared_bytes + request.dynamic_shared_bytes + device.shared_reserved_per_block;
  const uint64_t per_block = round_up(asked, unit);
  uint64_t together = device.max_blocks_per_multiprocessor;
  for (const OccupancyLimiter limiter :
       {OccupancyLimiter::Warps, OccupancyLimiter::Blocks, OccupancyLimiter::Registers})
    together = std::min<uint64_t>(together, fits.limit[unsigned(limiter)]);
  uint64_t wanted = together * per_block;
  const uint64_t twice = std::min<uint64_t>(2 * together, device.max_blocks_per_multiprocessor) * per_block;
  if (request.threads_per_block < device.max_threads_per_block && 3 * twice <= 2 * device.shared_per_multiprocessor)
    wanted = twice;
  for (const uint32_t size : device.shared_carveouts)
    if (size != 0 && size >= wanted) return size;
  return device.shared_per_multiprocessor;
}

}  // namespace drywarp::device
