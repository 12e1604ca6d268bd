#include "cuda/launch/stray_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/support/plural.h"

namespace drywarp::cuda {

std::vector<std::string> StrayMessages::new_ones(const KernelInfo& kernel, const std::vector<StrayAccess>& strays) {
  std::vector<std::string> out;
  for (const StrayAccess& s : strays) {
    const std::string place = fmt::format("{} in {}", s.place, kernel.display_name);
    if (!said_.insert(place).second) continue;
    out.push_back(fmt::format(
        "drywarp: warning: {}: {}, by thread ({},{},{}) of block ({},{},{}), {} in this launch. CUDA leaves that "
        "undefined; a GPU lets it through, so the kernel runs on, as there. `drywarp check` finds all of it, and "
        "--strict stops at the first",
        place, s.what, s.thread[0], s.thread[1], s.thread[2], s.block_index[0], s.block_index[1], s.block_index[2],
        plural(s.times, "time")));
  }
  return out;
}

std::vector<std::string> StrayMessages::new_ones(const KernelInfo& kernel,
                                                 const std::vector<exec::UndefinedUse>& uses) {
  // By UndefinedUse::Of.
  constexpr const char* kOutcomes[] = {
      "this run takes the bits that lie there for an object, and goes on",
      "this run copies as many of them as are a multiple of 16, as an H200 does, and the kernel goes on",
      "this run finds the lines where an H200 does, and the kernel goes on",
  };
  std::vector<std::string> out;
  for (const exec::UndefinedUse& use : uses) {
    SourceLocation line = use.first.location;
    line.column = 0;
    const std::string place = fmt::format("{} in {}", line.to_string(), kernel.display_name);
    if (!said_.insert(place + use.first.instruction).second) continue;
    const exec::Fault& f = use.first;
    out.push_back(fmt::format(
        "drywarp: warning: {}: {}, by thread ({},{},{}) of block ({},{},{}), {} in this launch. What hardware does "
        "then is undefined; {}. `drywarp check` finds all of it, and --strict stops at the first",
        place, f.message, f.thread.x, f.thread.y, f.thread.z, f.block.x, f.block.y, f.block.z,
        plural(use.times, "time"), kOutcomes[static_cast<size_t>(use.of)]));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace drywarp::cuda
