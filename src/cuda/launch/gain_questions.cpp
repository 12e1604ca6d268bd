#include "cuda/launch/gain_questions.h"

#include "profile/advice/launch_facts.h"
#include "profile/advice/rules/advise.h"

namespace drywarp::cuda {
namespace {

constexpr double kAllowance = 4e6;  // warp instructions: a second or less
constexpr unsigned kMostLooks = 8;  // timed launches of a kernel
constexpr double kShare = 1;        // of what timing simulated

record::Extent extent_of(const exec::Dim3& d) { return {d.x, d.y, d.z}; }

}  // namespace

std::vector<whatif::Question> GainQuestions::of(const std::shared_ptr<const KernelInfo>& kernel,
                                                const exec::LaunchRequest& request, const ObservedRun& run,
                                                const sm::LaunchTime& time, double warp_instructions) {
  if (!wanted_) return {};
  timed_ += warp_instructions;
  Asked& asked = asked_[{kernel, {request.block.x, request.block.y, request.block.z}}];
  if (asked.launches == kMostLooks) return {};
  ++asked.launches;
  advice::LaunchInput input;
  input.kernel = kernel.get(), input.counts = &run.result.counts, input.time = &time;
  input.grid = extent_of(request.grid), input.block = extent_of(request.block);
  input.dynamic_shared_bytes = request.dynamic_shared_bytes;
  if (run.samples) input.samples = *run.samples;
  std::vector<whatif::Question> questions;
  for (const whatif::Scenario scenario : advice::scenarios_of(advice::advise(advice::facts_of(input)))) {
    if (asked.scenarios.contains(scenario)) continue;
    if (timed_again_ + warp_instructions > kAllowance + kShare * timed_) break;
    timed_again_ += warp_instructions;
    asked.scenarios.insert(scenario);
    questions.push_back({whatif::key(scenario), scenario});
  }
  return questions;
}

}  // namespace drywarp::cuda
