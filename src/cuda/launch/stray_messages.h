// What a program's author is told of accesses outside of every allocation that a GPU lets through.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/events/counts.h"

namespace drywarp::cuda {

// Chooses what has not been said yet: each line of a kernel once.
class StrayMessages {
 public:
  // "drywarp: warning: ...": a line each.
  [[nodiscard]] std::vector<std::string> new_ones(const KernelInfo& kernel, const std::vector<StrayAccess>& strays);

 private:
  std::set<std::string> said_;  // kernel and line
};

}  // namespace drywarp::cuda
