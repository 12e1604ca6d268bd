// Advice on a kernel of a report: its facts, and the gains that re-timed launches tell.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "profile/advice/advice.h"
#include "profile/report/model/model.h"

namespace drywarp::report {

// Times of a kernel's launches with one cost changed, by scenario.
class KernelGains {
 public:
  void add(const sm::LaunchTime& time);
  [[nodiscard]] std::optional<advice::Gain> of(whatif::Scenario scenario) const;

 private:
  struct Change {
    uint64_t launches = 0;
    double seconds = 0, changed = 0;
  };
  uint64_t launches_ = 0;
  std::map<std::string, Change> changes_;
};

// What a KernelModel does not have.
struct AdviceInput {
  std::span<const advice::LaunchSize> sizes;  // of the timed launches
  const KernelGains* gains = nullptr;
  std::function<std::string(const std::string& file, uint32_t line)> source;
};

// The kernel needs its totals, lines and instructions.
[[nodiscard]] std::vector<advice::Advice> kernel_advice(const KernelModel& kernel, const AdviceInput& input);

}  // namespace drywarp::report
