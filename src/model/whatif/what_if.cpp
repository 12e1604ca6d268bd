#include "model/whatif/what_if.h"

#include <algorithm>

#include "model/whatif/changes.h"

namespace drywarp::whatif {
namespace {

constexpr bool (*kScenarioChanges[])(TimedLaunch&, const KernelInfo&) = {
#define DW_SCENARIO(name, key, text, change) change,
#include "model/whatif/scenarios.def"
};

struct Changer {
  TimedLaunch& launch;
  const KernelInfo& kernel;
  bool operator()(Scenario scenario) const { return change(scenario, launch, kernel); }
  bool operator()(const LineRange& lines) const { return keep_only_lines(launch, kernel, lines); }
  bool operator()(MoreWarps more) const { return add_warps(launch, more); }
  bool operator()(const ChosenSetting&) const { return false; }
};

// Awaited writes are named by their places in the trace.
bool keeps_places(const LaunchTrace& before, const LaunchTrace& after) {
  return std::ranges::equal(before.blocks, after.blocks, [](const BlockTrace& a, const BlockTrace& b) {
    return std::ranges::equal(
        a.warps, b.warps, {}, [](const WarpTrace& w) { return w.accesses.size(); },
        [](const WarpTrace& w) { return w.accesses.size(); });
  });
}

}  // namespace

bool change(Scenario scenario, TimedLaunch& launch, const KernelInfo& kernel) {
  return kScenarioChanges[unsigned(scenario)](launch, kernel);
}

Result<std::optional<double>> seconds_if(const Question& question, const TimedLaunch& launch, const KernelInfo& kernel,
                                         const sm::Watch& watch) {
  TimedLaunch changed = launch;
  if (!std::visit(Changer{changed, kernel}, question.change)) return std::optional<double>();
  if (launch.trace.awaits_writes() && !keeps_places(launch.trace, changed.trace)) return std::optional<double>();
  auto timed = sm::time_launch(changed.model, changed.code, changed.trace, changed.launch, watch);
  if (!timed) return timed.problem();
  return std::optional(timed->seconds);
}

}  // namespace drywarp::whatif
