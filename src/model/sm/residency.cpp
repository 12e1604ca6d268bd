#include "model/sm/residency.h"

namespace drywarp::sm {

device::OccupancyRequest occupancy_request(const KernelInfo& kernel) {
  device::OccupancyRequest request;
  request.registers_per_thread = kernel.registers;
  request.static_shared_bytes = kernel.static_shared_bytes;
  request.barriers = kernel.barriers;
  return request;
}

device::OccupancyRequest occupancy_request(const device::DeviceSpec& device, const KernelInfo& kernel,
                                           const BlockNeeds& needs) {
  device::OccupancyRequest request = occupancy_request(kernel);
  request.threads_per_block = static_cast<uint32_t>(needs.threads);
  request.dynamic_shared_bytes = needs.dynamic_shared_bytes;
  if (needs.carveout >= 0) request.carveout_percent = static_cast<uint32_t>(needs.carveout);
  if (is_compiled(kernel.resources_from)) return request;
  constexpr auto kRegisters = unsigned(device::OccupancyLimiter::Registers);
  while (request.registers_per_thread > 1 && device::occupancy(device, request).limit[kRegisters] == 0)
    --request.registers_per_thread;
  return request;
}

device::Occupancy occupancy_of(const device::DeviceSpec& device, const KernelInfo& kernel, const BlockNeeds& needs) {
  const device::OccupancyRequest wanted = occupancy_request(device, kernel, needs);
  device::Occupancy fits = device::occupancy(device, wanted);
  // The L1's size depends on the carveout that the driver chooses, not on the largest possible.
  fits.shared_capacity = static_cast<uint32_t>(device::driver_carveout(device, wanted, fits));
  return fits;
}

}  // namespace drywarp::sm
