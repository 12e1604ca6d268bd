// What a program's author is told of barriers that not every thread reaches, and of barriers of a grid in launches that
// are not cooperative.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/events/counts.h"
#include "engine/exec/blocks/fault.h"

namespace drywarp::cuda {

// Chooses what has not been said yet: each barrier once.
class BarrierMessages {
 public:
  // "drywarp: warning: ...": a line each.
  [[nodiscard]] std::vector<std::string> new_ones(const KernelInfo& kernel, const std::vector<BarrierNote>& notes);
  [[nodiscard]] std::vector<std::string> new_ones(const KernelInfo& kernel,
                                                  const std::vector<exec::OrdinaryGridBarrier>& barriers);

 private:
  std::set<std::string> said_;  // kernel and line
};

}  // namespace drywarp::cuda
