#include "cuda/launch/barrier_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "profile/report/model/barriers.h"

namespace drywarp::cuda {

std::vector<std::string> BarrierMessages::new_ones(const KernelInfo& kernel, const std::vector<BarrierNote>& notes) {
  std::vector<report::BarrierModel> barriers;
  report::add_barriers(barriers, kernel, notes);
  std::vector<std::string> out;
  for (const report::BarrierModel& barrier : barriers) {
    const std::string place = fmt::format("{} in {}", report::place(barrier, true), kernel.display_name);
    if (said_.insert(place).second)
      out.push_back(fmt::format("drywarp: {}: {}", barrier.note.divergent() ? "warning" : "note",
                                report::barrier_text(barrier, place)));
  }
  return out;
}

}  // namespace drywarp::cuda
