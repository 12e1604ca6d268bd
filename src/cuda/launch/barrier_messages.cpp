#include "cuda/launch/barrier_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/events/barriers_by_line.h"
#include "base/support/plural.h"

namespace drywarp::cuda {

std::vector<std::string> BarrierMessages::new_ones(const KernelInfo& kernel, const std::vector<BarrierNote>& notes) {
  std::vector<BarrierOfLine> barriers;
  add_barriers(barriers, kernel, notes);
  std::vector<std::string> out;
  for (const BarrierOfLine& barrier : barriers) {
    const std::string place = fmt::format("{} in {}", place_of(barrier, true), kernel.display_name);
    if (said_.insert(place).second)
      out.push_back(barrier.note.divergent() ? fmt::format("drywarp: warning: {}. `drywarp check` finds all of it",
                                                           barrier_text(barrier, place))
                                             : fmt::format("drywarp: note: {}", barrier_text(barrier, place)));
  }
  return out;
}

std::vector<std::string> BarrierMessages::new_ones(const KernelInfo& kernel,
                                                   const std::vector<exec::OrdinaryGridBarrier>& barriers) {
  std::vector<std::string> out;
  for (const exec::OrdinaryGridBarrier& barrier : barriers) {
    SourceLocation line = barrier.first.location;
    line.column = 0;
    const std::string place = fmt::format("{} in {}", line.to_string(), kernel.display_name);
    if (said_.insert(place).second)
      out.push_back(
          fmt::format("drywarp: warning: {}: barrier of the grid in a launch that is not cooperative, {} in this "
                      "launch. CUDA leaves "
                      "that undefined; behind a cooperative launch in the same stream a GPU runs it, if all blocks fit "
                      "on the device "
                      "at once, and so does this run. `drywarp check` finds all of it, and --strict stops at the first",
                      place, plural(barrier.times, "time")));
  }
  return out;
}

}  // namespace drywarp::cuda
