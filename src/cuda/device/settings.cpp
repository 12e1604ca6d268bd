#include "cuda/device/settings.h"

#include <iterator>

namespace drywarp::cuda {
namespace {

// By cudaLimit's number; the names are those of a device file's [limits].
constexpr const char* kLimits[] = {
    "StackSize",
    "PrintfFifoSize",
    "MallocHeapSize",
    "DevRuntimeSyncDepth",
    "DevRuntimePendingLaunchCount",
    "MaxL2FetchGranularity",
    "PersistingL2CacheSize",
};
constexpr unsigned kKnownFlags = 0x1f | 0x80;  // scheduling, map host, local memory resize, sync memory operations

}  // namespace

void Settings::take_defaults(const device::DeviceSpec& spec) {
  limits_.clear();
  for (int i = 0; i < int(std::size(kLimits)); ++i)
    if (const auto found = spec.limits.find(kLimits[i]); found != spec.limits.end()) limits_[i] = size_t(found->second);
}

Error Settings::limit(int number, size_t& value) const {
  if (number < 0 || number >= int(std::size(kLimits))) return Error::InvalidValue;
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
