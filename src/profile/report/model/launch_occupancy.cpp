#include "profile/report/model/launch_occupancy.h"

namespace drywarp::report {

device::OccupancyRequest occupancy_request(const KernelInfo& kernel) {
  device::OccupancyRequest request;
  request.registers_per_thread = kernel.registers;
  request.static_shared_bytes = kernel.static_shared_bytes;
  request.barriers = kernel.barriers;
  return request;
}

device::OccupancyRequest occupancy_request(const device::DeviceSpec& device, const KernelInfo& kernel,
                                           uint32_t threads_per_block, uint64_t dynamic_shared_bytes, int carveout) {
  device::OccupancyRequest request = occupancy_request(kernel);
  request.threads_per_block = threads_per_block;
  request.dynamic_shared_bytes = dynamic_shared_bytes;
  if (carveout >= 0) request.carveout_percent = static_cast<uint32_t>(carveout);
  if (is_compiled(kernel.resources_from)) return request;
  constexpr auto kRegisters = unsigned(device::OccupancyLimiter::Registers);
  while (request.registers_per_thread > 1 && device::occupancy(device, request).limit[kRegisters] == 0)
    --request.registers_per_thread;
  return request;
}

device::OccupancyRequest occupancy_request(const device::DeviceSpec& device, const KernelInfo& kernel,
                                           const LaunchRecord& launch) {
  const uint64_t threads = uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  return occupancy_request(device, kernel, static_cast<uint32_t>(threads), launch.dynamic_shared_bytes,
                           launch.carveout);
}

}  // namespace drywarp::report
