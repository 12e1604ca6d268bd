#include "engine/check/record_pairs.h"

#include <bit>

namespace drywarp::check {
namespace {

// Of wide ones: one that is for its cluster alone is for the other, too.
bool in_scope(const AccessRecord& r, const AccessRecord& now) {
  return r.cluster == now.cluster || !(r.use.of_cluster || now.use.of_cluster);
}

}  // namespace

bool may_race(const AccessRecord& r, const AccessRecord& now) {
  if (!r.use.strong || !now.use.strong) return true;
  if (r.block != now.block) return !r.use.wide || !now.use.wide || !in_scope(r, now);
  return r.use.in_step && now.use.in_step && (r.warps & now.warps) != 0;
}

bool makes_needless(const AccessRecord& now, const AccessRecord& r, RaceListener& races) {
  if (r.section != 0 && r.section != now.section && races.stays(r, now)) return false;
  if (!now.use.strong) return now.use.writes || !r.use.writes;
  // A block's own does not race with what is for that block alone.
  if (!now.use.wide && r.block != now.block) return false;
  if (now.use.unread && !r.use.unread) return false;  // it has read something
  if (r.use.of_cluster != now.use.of_cluster || !in_scope(r, now)) return false;
  return r.use.strong && r.use.in_step == now.use.in_step && r.use.wide == now.use.wide;
}

bool is_later(const AccessRecord& now, AccessRecord& r) {
  if (r.copies || (r.warps & now.warps) == 0 || !r.run.bytes.within(now.run.bytes)) return false;
  const bool both_all = r.run.stride == 0 && now.run.stride == 0;
  if (both_all && (r.run.lanes & ~now.run.lanes) != 0) {
    if ((r.warps & ~now.warps) == 0) r.run.lanes &= ~now.run.lanes;
    return false;
  }
  if (!both_all && !r.run.same_lanes(now.run)) return false;
  r.warps &= ~now.warps;
  if (r.warps != 0) return false;
  r = now;
  return true;
}

AccessRecord of_warp(const AccessRecord& r, uint32_t warp) {
  AccessRecord one = r;
  one.warps = 1u << warp;
  return one;
}

bool warp_may_race(const AccessRecord& r, uint32_t warp, const AccessRecord& now) {
  return r.warps == 1u << warp || may_race(of_warp(r, warp), now);
}

bool reads_strongly(const AccessRecord& r) { return r.use.strong && !r.use.unread && (!r.use.writes || r.use.atomic); }
bool reads(const AccessRecord& r, const AccessRecord& w) {
  return w.use.strong && w.use.writes && !w.use.failed && !w.reader && w.last.turn < r.last.turn &&
         r.last.turn <= w.read_until && (w.block == r.block || (w.use.wide && r.use.wide)) &&
         !(w.run.bytes & r.run.bytes).empty();
}

}  // namespace drywarp::check
