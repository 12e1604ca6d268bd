// Modelled times of launches, kept from one run to the next: simulating a launch takes far longer than finding out that
// the same was simulated before. A time is a function of what a Key holds and of nothing else, so what is found is what
// would be computed, to the last bit. Any other build of drywarp has times of its own.
#pragma once

#include <optional>
#include <string>

#include "base/device/device_spec.h"
#include "base/device/occupancy.h"
#include "model/machine/machine_code.h"
#include "model/sm/summary.h"
#include "model/sm/timing.h"

namespace drywarp::cuda {

class TimeCache {
 public:
  // `folder`: made if need be; empty: nothing is kept.
  explicit TimeCache(std::string folder);

  // A digest of everything that sm::time_launch and sm::launch_time read; of the trace, the blocks that are to
  // be simulated. Empty: nothing is kept.
  [[nodiscard]] std::string key(const device::DeviceSpec& device, const machine::MachineKernel& code,
                                const LaunchTrace& trace, const sm::SimulatedLaunch& shape,
                                const device::Occupancy& occupancy) const;
  [[nodiscard]] std::optional<sm::LaunchTime> find(const std::string& key) const;
  void keep(const std::string& key, const sm::LaunchTime& time) const;

 private:
  [[nodiscard]] std::string path(const std::string& key) const { return folder_ + "/" + key + ".time"; }

  std::string folder_;
  std::string build_;  // of drywarp
};

}  // namespace drywarp::cuda
