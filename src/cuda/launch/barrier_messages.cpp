#include "cuda/launch/barrier_messages.h"

#include <fmt/format.h>

#include <algorithm>

namespace drywarp::cuda {

std::string describe(const exec::BarrierNote& n) {
  const std::string place = n.location.to_string();
  const std::string where = place.empty() ? std::string() : fmt::format(" at {}", place);
  const std::string block = fmt::format("block ({},{},{})", n.block.x, n.block.y, n.block.z);
  constexpr const char* kUndefined = "CUDA leaves that undefined; ended threads count as arrived, as on a GPU";
  switch (n.kind) {
    case exec::BarrierNote::Kind::DivergentWarp:
      return fmt::format(
          "drywarp: warning: divergent barrier{} in {}: of warp {} of {}, {} lanes wait at it and {} run on and end "
          "without it. {}",
          where, n.kernel, n.warp, block, n.waited, n.absent, kUndefined);
    case exec::BarrierNote::Kind::SkippedByWarps:
      return fmt::format(
          "drywarp: warning: skipped barrier{} in {}: of {}, {} warps wait at it and {} run on and end without it. {}",
          where, n.kernel, block, n.waited, n.absent, kUndefined);
    case exec::BarrierNote::Kind::ThreadsEnded:
      break;
  }
  return fmt::format(
      "drywarp: note: barrier{} in {}: {} of {} threads of {} have ended before it. They count as arrived since "
      "compute "
      "capability 7.0; before, that is undefined",
      where, n.kernel, n.absent, n.absent + n.waited, block);
}

std::vector<std::string> BarrierMessages::new_ones(const std::vector<exec::BarrierNote>& notes) {
  // Unrolled copies of a barrier share its line: the most precise note speaks for them.
  std::vector<exec::BarrierNote> sorted = notes;
  std::ranges::stable_sort(sorted, {}, &exec::BarrierNote::kind);
  std::vector<std::string> out;
  for (const exec::BarrierNote& note : sorted)
    if (said_.insert(fmt::format("{} {}", note.kernel, note.location.to_string())).second)
      out.push_back(describe(note));
  std::ranges::sort(out);
  return out;
}

}  // namespace drywarp::cuda
