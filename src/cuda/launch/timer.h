// The GPU's time of a launch: asks the engine to record enough of it, and has it simulated as the kernel was lowered.
// All of it is modelled; a kernel that needs numbers which the device file lacks has no time, said once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "base/device/device_spec.h"
#include "cuda/launch/time_cache.h"
#include "cuda/launch/time_plan.h"
#include "engine/exec/engine.h"
#include "model/machine/machine_code.h"
#include "model/machine/machine_model.h"
#include "model/sm/summary.h"
#include "model/sm/timing.h"

namespace drywarp::cuda {

class Timer {
 public:
  // `complain` gets at most one sentence a problem; nothing under TimeMode::Auto, where nobody asked for times.
  // `cache`: folder for times that were modelled before; empty: none.
  Timer(const device::DeviceSpec& device, TimeMode mode, const std::string& cache,
        std::function<void(const std::string&)> complain);

  // What the engine is to record of this launch; nothing if its time is not modelled. `carveout`: percent of shared
  // memory that the program asked for, -1: the driver's choice.
  TraceRequest plan(const std::shared_ptr<const KernelInfo>& kernel, const exec::LaunchRequest& request, int carveout);
  struct Timed {
    std::shared_ptr<const sm::LaunchTime> time;  // null: not modelled ...
    std::string reason;                          // ... and why, if it was to be
  };
  // Of the launch that was planned last. `watch` as sm::time_launch's.
  Timed time(const exec::LaunchRequest& request, const exec::LaunchResult& result, int carveout,
             const sm::Watch& watch = {});

 private:
  using Code = std::shared_ptr<const machine::MachineKernel>;
  // Why code cannot be timed; empty: it can.
  const std::string& problem_of(const Code& code);
  [[nodiscard]] device::Occupancy occupancy(const KernelInfo& kernel, const exec::LaunchRequest& request,
                                            int carveout) const;
  // The sentence, for the report.
  std::string complain(const Diagnostic& problem);

  const device::DeviceSpec& device_;
  std::function<void(const std::string&)> complain_;
  std::optional<machine::MachineModel> model_;
  std::map<Code, std::string> problems_;  // of code that was asked about
  TimeMode mode_;
  TimePlan plan_;
  TimeCache cache_;
  TimePlan::Shape shape_;                      // of the launch that was planned last
  std::shared_ptr<const KernelInfo> planned_;  // its kernel
  std::set<std::string> complained_;
};

}  // namespace drywarp::cuda
