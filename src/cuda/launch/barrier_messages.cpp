#include "cuda/launch/barrier_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/events/barriers_by_line.h"

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

}  // namespace drywarp::cuda
