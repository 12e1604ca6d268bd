// What a launch would take if one of its costs were ideal: the recorded launch is changed and timed again.
//
// A counterfactual bounds what an optimisation can gain; it is no program. Where the order of accesses decides (which
// sectors a coalesced access would touch), the change keeps what the block as a whole touches. All results are
// modelled.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/line_range.h"
#include "model/sm/timing.h"

namespace drywarp::whatif {

enum class Scenario : uint8_t {
#define DW_SCENARIO(name, key, text, change) name,
#include "model/whatif/scenarios.def"
};
inline constexpr unsigned kScenarios = 0
#define DW_SCENARIO(name, key, text, change) +1
#include "model/whatif/scenarios.def"
    ;
[[nodiscard]] const char* key(Scenario scenario);   // "no-bank-conflicts"
[[nodiscard]] const char* text(Scenario scenario);  // "no shared-memory access conflicts in the banks"
[[nodiscard]] std::optional<Scenario> parse_scenario(std::string_view key);

// What would a launch take if ...
struct Question {
  std::string text;  // as the user gave it: "coalesced", "line transpose.cu:12", "line transpose.cu:12-14"
  std::optional<Scenario> scenario = {};
  LineRange lines = {};  // ... or if only these cost anything
};
// Comma-separated questions; "all" is every scenario. Errors name what is no question.
[[nodiscard]] Result<std::vector<Question>> parse_questions(std::string_view text);

// A launch as sm::time_launch takes it.
struct TimedLaunch {
  machine::MachineModel model;
  machine::MachineKernel code;
  LaunchTrace trace;
  sm::SimulatedLaunch launch;
};

// Makes the cost ideal. False: the launch has no such cost, and nothing changed.
bool change(Scenario scenario, TimedLaunch& launch, const KernelInfo& kernel);

// Seconds of the launch after the change; nothing if it has no such cost. Errors: as sm::time_launch.
[[nodiscard]] Result<std::optional<double>> seconds_if(const Question& question, const TimedLaunch& launch,
                                                       const KernelInfo& kernel, const sm::Watch& watch = {});

}  // namespace drywarp::whatif
