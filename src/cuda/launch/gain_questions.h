// Decides which costs of a launch to take away and time again, so that advice can say what its cure gains.
//
// Timing a launch again costs as much as timing it. So a kernel's launch is timed again only for rules that fire on it,
// once for each cost, among the kernel's first timed launches, and only within a budget: a fixed allowance and as much
// as timing itself simulated. The budget counts warp instructions, not seconds: the same program gives the same answers
// on any machine.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "cuda/launch/observed_run.h"
#include "model/sm/summary.h"
#include "model/whatif/what_if.h"

namespace drywarp::cuda {

class GainQuestions {
 public:
  explicit GainQuestions(bool wanted) : wanted_(wanted) {}

  // Call once for each launch that was timed. `warp_instructions`: simulated.
  [[nodiscard]] std::vector<whatif::Question> of(const std::shared_ptr<const KernelInfo>& kernel,
                                                 const exec::LaunchRequest& request, const ObservedRun& run,
                                                 const sm::LaunchTime& time, double warp_instructions);

 private:
  bool wanted_;
  // Launches of a kernel with blocks of one shape.
  using Configuration = std::pair<std::shared_ptr<const KernelInfo>, std::array<uint32_t, 3>>;
  struct Asked {
    unsigned launches = 0;  // that the rules looked at
    std::set<whatif::Scenario> scenarios;
  };
  std::map<Configuration, Asked> asked_;
  double timed_ = 0, timed_again_ = 0;  // warp instructions
};

}  // namespace drywarp::cuda
