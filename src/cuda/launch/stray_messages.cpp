#include "cuda/launch/stray_messages.h"

#include <fmt/format.h>

#include "base/support/plural.h"

namespace drywarp::cuda {

std::vector<std::string> StrayMessages::new_ones(const KernelInfo& kernel, const std::vector<StrayAccess>& strays) {
  std::vector<std::string> out;
  for (const StrayAccess& s : strays) {
    const std::string place = fmt::format("{} in {}", s.place, kernel.display_name);
    if (!said_.insert(place).second) continue;
    out.push_back(fmt::format(
        "drywarp: warning: {}: {}, by thread ({},{},{}) of block ({},{},{}), {} in this launch. CUDA leaves that "
        "undefined; a GPU has mapped this memory, so the kernel runs on, as there. `drywarp check` finds all of it, "
        "and --strict stops at the first",
        place, s.what, s.thread[0], s.thread[1], s.thread[2], s.block_index[0], s.block_index[1], s.block_index[2],
        plural(s.times, "time")));
  }
  return out;
}

}  // namespace drywarp::cuda
