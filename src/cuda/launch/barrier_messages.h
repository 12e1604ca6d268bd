// What a program's author is told of barriers that not every thread reaches.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/events/counts.h"

namespace drywarp::cuda {

// Chooses what has not been said yet: each barrier once.
class BarrierMessages {
 public:
  // "drywarp: warning: ...": a line each.
  [[nodiscard]] std::vector<std::string> new_ones(const KernelInfo& kernel, const std::vector<BarrierNote>& notes);

 private:
  std::set<std::string> said_;  // kernel and line
};

}  // namespace drywarp::cuda
