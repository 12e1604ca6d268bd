// The GPU's time of a launch: lowers the kernel once, asks the engine to record enough of the launch, and has it
// simulated. All of it is modelled; a kernel that needs numbers which the device file lacks has no time, said once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "device/device_spec.h"
#include "exec/engine.h"
#include "machine/machine_code.h"
#include "session/time_plan.h"
#include "timing/machine_model.h"
#include "timing/summary.h"

namespace drywarp::session {

class Timer {
 public:
  // `complain` gets at most one sentence a problem; nothing under TimeMode::Auto, where nobody asked for times.
  Timer(const device::DeviceSpec& device, TimeMode mode, std::function<void(const std::string&)> complain);

  // What the engine is to record of this launch; nothing if its time is not modelled. `carveout`: percent of shared
  // memory that the program asked for, -1: the driver's choice.
  TraceRequest plan(const ir::Module& module, const std::shared_ptr<const KernelInfo>& kernel,
                    const exec::LaunchRequest& request, int carveout);
  struct Timed {
    std::shared_ptr<const timing::LaunchTime> time;  // null: not modelled ...
    std::string reason;                              // ... and why, if it was to be
  };
  // Of the launch that was planned last.
  Timed time(const exec::LaunchRequest& request, const exec::LaunchResult& result, int carveout);

 private:
  struct Lowered {
    std::shared_ptr<const KernelInfo> info;      // keeps the key its own
    std::optional<machine::MachineKernel> code;  // none: it cannot be timed ...
    std::string problem;                         // ... and why
  };
  const Lowered& lowered(const ir::Module& module, ir::FunctionId function,
                         const std::shared_ptr<const KernelInfo>& info);
  [[nodiscard]] device::Occupancy occupancy(const KernelInfo& kernel, const exec::LaunchRequest& request,
                                            int carveout) const;
  // The sentence, for the report.
  std::string complain(const Diagnostic& problem);

  const device::DeviceSpec& device_;
  std::function<void(const std::string&)> complain_;
  std::optional<timing::MachineModel> model_;
  std::map<std::string, Lowered> kernels_;  // by mangled name and module
  TimeMode mode_;
  TimePlan plan_;
  TimePlan::Shape shape_;             // of the launch that was planned last
  const Lowered* planned_ = nullptr;  // its kernel
  std::set<std::string> complained_;
};

}  // namespace drywarp::session
