// Times a launch again with a setting that can be had without editing its kernel: blocks of another size, fewer
// registers, another carve-out, another GPU. The kernel is lowered again where the setting changes its machine code;
// the recorded warps stay.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cuda/launch/recorded_work.h"
#include "cuda/modules/kernel_resources.h"
#include "engine/exec/engine.h"
#include "model/machine/machine_model.h"
#include "model/sm/summary.h"
#include "model/whatif/what_if.h"

namespace drywarp::cuda {

// A launch that ran and was recorded.
struct RecordedLaunch {
  const machine::MachineModel& model;  // of the device that it ran on
  const ir::Module& module;
  std::span<const analysis::CodePart> parts;  // as they run: the kernel, and the functions that it really calls
  const CompiledKernel& kernel;
  const exec::LaunchRequest& request;
  const std::shared_ptr<const LaunchTrace>& trace;
  int carveout = -1;
  uint64_t instructions = 0;  // warp instructions of PTX
  [[nodiscard]] const ir::Function& code() const { return *parts.front().code; }
};

class SettingTimer {
 public:
  // `complain` gets each reason for which there is no answer, once.
  SettingTimer(const device::DeviceSpec& device, const TimePlan& plan, std::function<void(const std::string&)> complain)
      : device_(device), plan_(plan), complain_(std::move(complain)) {}

  // One answer for each value: the question's, or those that are worth trying. No answer where the setting changes
  // nothing or cannot be had. Errors: as sm::time_launch.
  Result<std::vector<sm::Alternative>> answers(const whatif::ChosenSetting& question, const RecordedLaunch& launch,
                                               const sm::Watch& watch);

 private:
  using Seconds = Result<std::optional<double>>;
  Seconds with_block_size(const std::string& value, const RecordedLaunch& launch, const sm::Watch& watch);
  Seconds with_registers(const std::string& value, const RecordedLaunch& launch, const sm::Watch& watch);
  Seconds with_carveout(const std::string& value, const RecordedLaunch& launch, const sm::Watch& watch);
  Seconds on_device(const std::string& value, const RecordedLaunch& launch, const sm::Watch& watch);
  struct Row {
    Seconds (SettingTimer::*with)(const std::string& value, const RecordedLaunch& launch, const sm::Watch& watch);
    std::vector<std::string> (*worth_trying)(const device::DeviceSpec& device, const RecordedLaunch& launch);
  };
  [[nodiscard]] static const Row& row(whatif::Setting setting);
  std::optional<double> no_answer(const std::string& message);
  // The kernel as it is lowered for `device` with at most `most` registers; 0: no limit.
  CompiledKernel lowered_again(const device::DeviceSpec& device, const RecordedLaunch& launch, uint32_t most);
  struct Gpu {
    device::DeviceSpec device;
    machine::MachineModel model;
  };
  // Read once.
  Result<const Gpu*> gpu(const std::string& name);

  const device::DeviceSpec& device_;
  const TimePlan& plan_;
  std::function<void(const std::string&)> complain_;
  std::set<std::string> complained_;
  std::map<std::string, Gpu> gpus_;
};

}  // namespace drywarp::cuda
