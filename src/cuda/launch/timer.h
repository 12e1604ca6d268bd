// Models the GPU time of a launch: requests a trace from the engine, and simulates the lowered kernel with it. A kernel
// that needs numbers which the device file lacks has no time; this is reported once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "base/device/device_spec.h"
#include "cuda/launch/drawings.h"
#include "cuda/launch/gain_questions.h"
#include "cuda/launch/observed_run.h"
#include "cuda/launch/program_times.h"
#include "cuda/launch/setting_timer.h"
#include "cuda/launch/time_cache.h"
#include "cuda/launch/time_plan.h"
#include "engine/exec/engine.h"
#include "model/machine/machine_code.h"
#include "model/machine/machine_model.h"
#include "model/sm/summary.h"
#include "model/sm/timing.h"
#include "model/whatif/what_if.h"
#include "profile/record/drawn_launch.h"

namespace drywarp::cuda {

class Timer {
 public:
  // `complain` gets at most one message a problem, and none under TimeMode::Auto, where the user did not ask for times.
  // `cache`: folder of the time cache; empty: none.
  // `what_if`: changes to time each launch with, as whatif::parse_questions() takes them; empty: none.
  // `gains`: whether to time launches again for the gains of advice; not with `what_if`.
  // `drawings`: whether to record launches for drawings.
  // `time_line`: whether to time launches within the program, too, with what earlier ones left in the L2.
  Timer(const device::DeviceSpec& device, TimeMode mode, const std::string& cache, const std::string& what_if,
        bool gains, bool drawings, bool time_line, std::function<void(const std::string&)> complain);

  // A launch that is to be timed.
  struct Plan {
    CompiledKernel kernel;  // without `info`: its time is not modelled
    TimePlan::Configuration configuration;
    TraceRequest trace;    // what the engine must record of it
    bool reported = true;  // false: its time is for the clock alone, and it is not drawn
  };
  // `carveout`: the program's shared memory carveout in percent; -1: the driver's choice.
  [[nodiscard]] Plan plan(const CompiledKernel& kernel, const exec::LaunchRequest& request, int carveout);
  struct Outcome {
    std::shared_ptr<const sm::LaunchTime> time;             // null: not modelled ...
    std::string reason;                                     // ... and why not
    std::shared_ptr<const record::DrawnLaunch> drawn = {};  // null: this launch is not drawn
    // What it takes within the program, where earlier launches and copies have left their lines in the L2.
    std::shared_ptr<const sm::LaunchTime> in_program = {};
  };
  // `module`, `parts`: of the plan's kernel, as it runs. `watch`: see sm::time_launch.
  Outcome time(const Plan& plan, const ir::Module& module, std::span<const analysis::CodePart> parts,
               const exec::LaunchRequest& request, const ObservedRun& run, const sm::Watch& watch = {});

  // A copy or a fill has written these bytes of the device's memory, counted from its start.
  void wrote(uint64_t address, uint64_t bytes) {
    if (in_program_) in_program_->wrote(address, bytes);
  }

 private:
  using Code = std::shared_ptr<const machine::MachineKernel>;
  // Why `code` cannot be timed; empty: it can.
  const std::string& problem_of(const Code& code);
  // `alone`: its time with cold caches.
  std::shared_ptr<const sm::LaunchTime> time_in_program(const std::shared_ptr<const sm::LaunchTime>& alone,
                                                        const ProgramTimes::Start& start, const Plan& plan,
                                                        const exec::LaunchRequest& request, const ObservedRun& run,
                                                        const sm::Watch& watch);
  [[nodiscard]] device::Occupancy occupancy(const Plan& plan, const exec::LaunchRequest& request) const;
  // Answers `questions_` of a launch.
  Result<std::vector<sm::Alternative>> alternatives(const whatif::TimedLaunch& launch, const RecordedLaunch& recorded,
                                                    const sm::Watch& watch);
  // Answers what advice asks of a launch, where the time from the cache does not. True: there are new answers.
  static Result<bool> add_gains(const std::vector<whatif::Question>& questions, const whatif::TimedLaunch& launch,
                                const KernelInfo& kernel, const sm::Watch& watch, sm::LaunchTime& time);
  // What drawings show of a launch. `recorded`: of its simulation; nothing: its time came from the cache. Null: `watch`
  // stopped the simulation.
  std::shared_ptr<const record::DrawnLaunch> draw(const machine::MachineKernel& code, const LaunchTrace& trace,
                                                  const sm::SimulatedLaunch& launch, const std::string& key,
                                                  std::optional<sm::Timeline> recorded, const sm::Watch& watch) const;
  // Returns the message for the report.
  std::string complain(const Diagnostic& problem);

  const device::DeviceSpec& device_;
  std::function<void(const std::string&)> complain_;
  std::optional<machine::MachineModel> model_;
  std::map<Code, std::string> problems_;  // by code, once checked
  TimeMode mode_;
  TimePlan plan_;
  TimeCache cache_;
  std::optional<ProgramTimes> in_program_;  // nothing: no times are modelled
  std::string what_if_;
  std::vector<whatif::Question> questions_;
  GainQuestions gain_questions_;
  SettingTimer settings_;
  Drawings drawings_;
  std::set<std::string> complained_;
};

}  // namespace drywarp::cuda
