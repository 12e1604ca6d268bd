#include "session/device.h"

#include "device/occupancy.h"

namespace drywarp::session {
namespace {

struct Named {
  int number;
  const char* name;
};

constexpr Named kAttributes[] = {
#define DW_ATTRIBUTE(number, name) {number, #name},
#include "device/cuda_attributes.def"
#undef DW_ATTRIBUTE
};

}  // namespace

Device::Device(device::DeviceSpec spec) : spec_(std::move(spec)) {
  for (const Named& attribute : kAttributes)
    attributes_[attribute.number] = spec_.attribute(attribute.name).value_or(0);
}

int64_t Device::attribute(Attribute attribute) const {
  const auto found = attributes_.find(static_cast<int>(attribute));
  return found == attributes_.end() ? 0 : found->second;
}

bool Device::is_attribute(int number) {
  for (const Named& attribute : kAttributes)
    if (attribute.number == number) return true;
  return false;
}

unsigned Device::active_blocks(unsigned threads, unsigned registers, uint64_t static_shared, uint64_t dynamic_shared,
                               int carveout) const {
  device::OccupancyRequest request;
  request.registers_per_thread = registers;
  request.threads_per_block = threads;
  request.static_shared_bytes = static_shared;
  request.dynamic_shared_bytes = dynamic_shared;
  if (carveout >= 0) request.carveout_percent = unsigned(carveout);
  return device::occupancy(spec_, request).blocks;
}

bool Device::registers_fit(unsigned threads, unsigned registers) const {
  return registers <= spec_.max_registers_per_thread && active_blocks(threads, registers, 0, 0) > 0;
}

unsigned Device::registers_for(unsigned threads, unsigned estimate) const {
  while (estimate > 1 && !registers_fit(threads, estimate)) --estimate;
  return estimate;
}

}  // namespace drywarp::session
