#include "model/sm/units/copy_groups.h"

#include <algorithm>

namespace drywarp::sm {

CopyGroups::Groups& CopyGroups::groups_of(uint32_t warp) {
  if (warp >= groups_.size()) groups_.resize(s.warps.size());
  Groups& groups = groups_[warp];
  if (groups.serial != s.warps[warp].serial) groups = {}, groups.serial = s.warps[warp].serial;
  return groups;
}

uint32_t CopyGroups::submit(uint32_t warp) {
  Groups& groups = groups_of(warp);
  ++groups.all.back().copies;
  return groups.gone + static_cast<uint32_t>(groups.all.size()) - 1;
}

void CopyGroups::finish(uint32_t warp, uint32_t group, Cycles done) {
  Groups& groups = groups_of(warp);
  Group& mine = groups.all[group - groups.gone];
  --mine.copies;
  mine.done = std::max(mine.done, done);
  if (!groups.waits) return;
  const Cycles all = done_at(groups);
  if (all >= kNever) return;
  groups.waits = s.warps[warp].waits = false;
  make_ready(s, warp, std::max(all, groups.since + 1), Stall::LongScoreboard);
  wake(s, s.warps[warp].part);
}

void CopyGroups::commit(uint32_t warp) { groups_of(warp).all.emplace_back(); }

Cycles CopyGroups::done_at(const Groups& groups) {
  Cycles done = 0;
  for (size_t i = 0; i < groups.awaited; ++i) {
    if (groups.all[i].copies != 0) return kNever;
    done = std::max(done, groups.all[i].done);
  }
  return done;
}

Effect CopyGroups::wait(uint32_t warp, const Decoded& in, Cycles now) {
  Groups& groups = groups_of(warp);
  groups.awaited = groups.all.size() - std::min<size_t>(groups.all.size(), in.pending + 1u);
  Effect effect;
  effect.next_reason = Stall::LongScoreboard;
  const Cycles done = done_at(groups);
  if (done < kNever) {
    groups.all.erase(groups.all.begin(), groups.all.begin() + static_cast<ptrdiff_t>(groups.awaited));
    groups.gone += static_cast<uint32_t>(groups.awaited);
    effect.next = std::max(now + in.latency, done);
    return effect;
  }
  groups.waits = s.warps[warp].waits = true, groups.since = now;
  effect.next = now + 1;  // finish() sets the real time
  return effect;
}

}  // namespace drywarp::sm
