// Warps whose lanes all take one path: the threads of a block that run a piece of code share as few warps as hold them.
#include <algorithm>
#include <bit>
#include <map>

#include "model/whatif/changes.h"

namespace drywarp::whatif {
namespace {

constexpr unsigned kLanes = 32;

// How many of the block's executions of one piece of code, in parts of a warp, are left.
struct Packing {
  uint64_t lanes = 0;  // of all executions
  uint64_t seen = 0;
  // The next execution, by so many lanes, completes a full warp; the last one completes the last.
  bool completes(unsigned active) {
    const uint64_t offset = (kLanes - lanes % kLanes) % kLanes;  // so that the last execution is kept
    const uint64_t before = (seen + offset) / kLanes;
    seen += active;
    return (seen + offset) / kLanes != before;
  }
};

class Packer {
 public:
  explicit Packer(BlockTrace& block) : block_(block) {
    for (const WarpTrace& warp : block.warps) {
      const LaneMask all = warp.steps.empty() ? 0 : warp.steps.front().lanes;
      for (const WarpStep& s : warp.steps)
        if (s.lanes != all)
          packings_[s.block].lanes += uint64_t{s.repeats} * static_cast<unsigned>(std::popcount(s.lanes));
    }
  }
  bool pack() {
    if (packings_.empty()) return false;
    for (WarpTrace& warp : block_.warps) pack(warp);
    return dropped_;
  }

 private:
  void pack(WarpTrace& warp) {
    if (warp.steps.empty()) return;
    const LaneMask all = warp.steps.front().lanes;
    std::pmr::vector<WarpStep> steps;
    std::pmr::vector<TraceAccess> accesses;
    uint32_t old_step = 0, new_step = 0;
    size_t at = 0;
    for (const WarpStep& s : warp.steps)
      for (uint32_t repeat = 0; repeat < s.repeats; ++repeat, ++old_step) {
        size_t end = at;
        bool barrier = false;
        for (; end < warp.accesses.size() && warp.accesses[end].step == old_step; ++end)
          barrier = barrier || warp.accesses[end].is_barrier();
        const bool partial = s.lanes != all;
        const bool kept =
            !partial || packings_[s.block].completes(static_cast<unsigned>(std::popcount(s.lanes))) || barrier;
        for (; at < end; ++at) {
          TraceAccess access = warp.accesses[at];
          access.step = new_step;
          if (!kept) {
            hold(warp, access);
            continue;
          }
          if (partial) add_held(warp, access);
          accesses.push_back(access);
        }
        dropped_ = dropped_ || !kept;
        if (!kept) continue;
        ++new_step;
        if (!steps.empty() && steps.back().block == s.block && steps.back().lanes == all)
          ++steps.back().repeats;
        else
          steps.push_back({s.block, all, 1});
      }
    warp.steps = std::move(steps);
    warp.accesses = std::move(accesses);
  }

  // What a dropped execution accesses, the next one that stays accesses too.
  void hold(const WarpTrace& warp, const TraceAccess& access) {
    for (uint32_t i = access.first_line; i < access.first_line + access.line_count; ++i)
      held_[access.access].push_back(warp.lines[i]);
  }
  void add_held(WarpTrace& warp, TraceAccess& access) {
    const auto held = held_.find(access.access);
    if (held == held_.end() || held->second.empty() || access.line_count == 0) return;
    std::map<uint64_t, unsigned> sectors;
    for (uint32_t i = access.first_line; i < access.first_line + access.line_count; ++i)
      sectors[warp.lines[i].number()] |= warp.lines[i].sectors();
    for (const TraceLine& line : held->second) sectors[line.number()] |= line.sectors();
    held->second.clear();
    access.first_line = static_cast<uint32_t>(warp.lines.size());
    access.line_count = 0;
    for (const auto& [line, mask] : sectors) {
      if (access.line_count == kLanes) break;
      warp.lines.push_back(TraceLine::of(line * kLineBytes, mask));
      ++access.line_count;
    }
  }

  BlockTrace& block_;
  std::map<uint32_t, Packing> packings_;             // by PTX block
  std::map<uint32_t, std::vector<TraceLine>> held_;  // by access
  bool dropped_ = false;
};

}  // namespace

bool remove_divergence(TimedLaunch& l, const KernelInfo&) {
  if (l.trace.uses_objects()) return false;  // a single lane may speak for its warp
  bool any = false;
  for (BlockTrace& block : l.trace.blocks) any |= Packer(block).pack();
  return any;
}

}  // namespace drywarp::whatif
