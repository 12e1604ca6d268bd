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
#include <variant>
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

enum class Setting : uint8_t {
#define DW_SETTING(name, key, value, text) name,
#include "model/whatif/settings.def"
};
inline constexpr unsigned kSettings = 0
#define DW_SETTING(name, key, value, text) +1
#include "model/whatif/settings.def"
    ;
[[nodiscard]] const char* key(Setting setting);         // "block-size"
[[nodiscard]] const char* value_name(Setting setting);  // "THREADS"
[[nodiscard]] const char* text(Setting setting);        // "as many threads in blocks of {}"

struct MoreWarps {
  uint32_t warps = 0;  // an SM
};
struct ChosenSetting {
  Setting setting{};
  std::string value;  // empty: those that are worth trying
};

// What would a launch take if ...
struct Question {
  std::string text;  // as the user gave it: "coalesced", "line transpose.cu:12-14", "registers=32"
  // ... a cost were ideal, only these lines cost anything, an SM held more warps, or it had another setting?
  std::variant<Scenario, LineRange, MoreWarps, ChosenSetting> change;
};
// Comma-separated questions; "all" is every scenario, and every setting but the device. Errors name what is no
// question.
[[nodiscard]] Result<std::vector<Question>> parse_questions(std::string_view text);
// What would be different, in words, for an answer's text: "on the a100".
[[nodiscard]] std::string meaning(std::string_view question);
// Whether it can be had without editing the kernel.
[[nodiscard]] bool is_setting(std::string_view question);

// A launch as sm::time_launch takes it.
struct TimedLaunch {
  machine::MachineModel model;
  machine::MachineKernel code;
  LaunchTrace trace;
  sm::SimulatedLaunch launch;
};

// Makes the cost ideal. False: the launch has no such cost, and nothing changed.
bool change(Scenario scenario, TimedLaunch& launch, const KernelInfo& kernel);

// Seconds of the launch after the change; nothing if it has no such cost. `question`: not of a setting, which needs
// more than a recorded launch. Errors: as sm::time_launch.
[[nodiscard]] Result<std::optional<double>> seconds_if(const Question& question, const TimedLaunch& launch,
                                                       const KernelInfo& kernel, const sm::Watch& watch = {});

// The same launch in blocks of another size, of whole warps. `launch.simulated` is left to the caller. Precondition:
// the kernel does the same work in blocks of any size (analysis::any_block_size). False: the recorded blocks are not of
// whole warps.
bool regroup(TimedLaunch& launch, uint32_t threads_per_block);

}  // namespace drywarp::whatif
