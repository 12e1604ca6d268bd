// What a program's author is told of barriers that not every thread reaches.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/exec/blocks/barrier_note.h"

namespace drywarp::cuda {

// "drywarp: warning: ...": one line.
[[nodiscard]] std::string describe(const exec::BarrierNote& note);

// Chooses what has not been said yet: each barrier once.
class BarrierMessages {
 public:
  [[nodiscard]] std::vector<std::string> new_ones(const std::vector<exec::BarrierNote>& notes);

 private:
  std::set<std::string> said_;  // kernel and line
};

}  // namespace drywarp::cuda
