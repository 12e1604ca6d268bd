// Caches modelled times of launches between runs, because simulating a launch takes far longer than a look-up. A time
// depends only on what the key digests, so a cached time equals the computed one to the last bit. Each build of drywarp
// has its own times.
#pragma once

#include <optional>
#include <string>

#include "base/device/device_spec.h"
#include "base/device/occupancy.h"
#include "model/machine/code_codec.h"
#include "model/machine/machine_code.h"
#include "model/sm/summary.h"
#include "model/sm/timing.h"

namespace drywarp::cuda {

class TimeCache {
 public:
  // `folder`: created if missing; empty: no cache.
  explicit TimeCache(std::string folder);

  // A digest of everything that sm::time_launch and sm::launch_time read; of the trace, only the simulated blocks.
  // Empty: no cache.
  [[nodiscard]] std::string key(const device::DeviceSpec& device, const machine::MachineKernel& code,
                                const LaunchTrace& trace, const sm::SimulatedLaunch& launch,
                                const device::Occupancy& occupancy, std::string_view what_if) const;
  [[nodiscard]] std::optional<sm::LaunchTime> find(const std::string& key) const;
  void keep(const std::string& key, const sm::LaunchTime& time) const;
  // What drawings show of a launch whose key this is.
  [[nodiscard]] std::optional<sm::Timeline> find_timeline(const std::string& key) const;
  void keep_timeline(const std::string& key, const sm::Timeline& timeline) const;

 private:
  [[nodiscard]] std::string path(const std::string& key, const char* kind) const { return folder_ + "/" + key + kind; }

  std::string folder_;
  std::string build_;  // of drywarp
};

}  // namespace drywarp::cuda
