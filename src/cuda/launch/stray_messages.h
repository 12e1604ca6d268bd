// What a program's author is told of what CUDA leaves undefined and a GPU lets through: accesses outside of every
// allocation, uses of what is no barrier object or no tensor map.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/events/counts.h"
#include "engine/exec/blocks/fault.h"

namespace drywarp::cuda {

// Chooses what has not been said yet: each line of a kernel once.
class StrayMessages {
 public:
  // "drywarp: warning: ...": a line each.
  [[nodiscard]] std::vector<std::string> new_ones(const KernelInfo& kernel, const std::vector<StrayAccess>& strays);
  [[nodiscard]] std::vector<std::string> new_ones(const KernelInfo& kernel,
                                                  const std::vector<exec::UndefinedUse>& uses);

 private:
  std::set<std::string> said_;  // kernel and line
};

}  // namespace drywarp::cuda
