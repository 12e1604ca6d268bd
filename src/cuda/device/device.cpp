#include "cuda/device/device.h"

namespace drywarp::cuda {
namespace {

struct Named {
  int number;
  const char* name;
};

constexpr Named kAttributes[] = {
#define DW_ATTRIBUTE(number, name) {number, #name},
#include "base/device/cuda_attributes.def"
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

}  // namespace drywarp::cuda
