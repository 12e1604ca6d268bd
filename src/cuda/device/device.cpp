#include "cuda/device/device.h"

#include <iterator>

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

constexpr unsigned kKnownFlags = 0x1f | 0x80;  // scheduling, map host, local memory resize, sync memory operations

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

void Settings::take_defaults(const device::DeviceSpec& spec) {
  limits_.clear();
  for (int i = 0; i < int(std::size(device::kLimits)); ++i)
    if (const auto found = spec.limits.find(device::kLimits[i]); found != spec.limits.end())
      limits_[i] = size_t(found->second);
}

Error Settings::limit(int number, size_t& value) const {
  if (number < 0 || number >= int(std::size(device::kLimits))) return Error::InvalidValue;
  const auto found = limits_.find(number);
  if (found == limits_.end()) return Error::UnsupportedLimit;
  value = found->second;
  return Error::Success;
}

Error Settings::set_limit(int number, size_t value) {
  size_t before = 0;
  if (const Error error = limit(number, before); error != Error::Success) return error;
  limits_[number] = value;
  return Error::Success;
}

Error Settings::set_device_flags(unsigned flags) {
  if (flags & ~kKnownFlags) return Error::InvalidValue;
  flags_ = flags | 0x08;
  return Error::Success;
}

}  // namespace drywarp::cuda
