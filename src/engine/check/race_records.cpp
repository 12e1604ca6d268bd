#include "engine/check/race_records.h"

#include <algorithm>
#include <bit>

#include "engine/check/record_pairs.h"

namespace drywarp::check {
namespace {

// Lists that stay longer than this while their records have few bytes each are divided by word.
constexpr uint32_t kLongList = 48, kFewBytes = 8;

}  // namespace

// The bytes of both that some lane of `r` accessed and nothing orders before another lane of `now`. Visits them with
// the warp of `r`.
template <class Visit>
LineBytes RaceRecords::unordered(const AccessRecord& r, const AccessRecord& now, const Accessor& by,
                                 Visit visit) const {
  const LineBytes both = r.run.bytes & now.run.bytes;
  const BlockTimes* times = times_of(by.known, r.block, now.block);
  LineBytes all;
  for (uint32_t left = r.warps; left != 0; left &= left - 1) {
    const auto warp = static_cast<uint32_t>(std::countr_zero(left));
    const uint32_t row = r.copies ? by.warps + warp : warp;
    LaneMask unknown = r.run.lanes;
    if (times && row < times->size()) {
      if ((*times)[row].least() >= r.time) continue;
      unknown &= ~(*times)[row].reached(r.time);
    }
    if (unknown == 0) continue;
    // Behind its own accesses a lane needs no order, if they are not copies that it has not waited for.
    const bool own = r.block == now.block && warp == by.warp && (!r.copies || by.waited);
    LaneMask ordered = ~LaneMask{0};  // behind their own
    if (own && r.copies) {
      ordered = 0;
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) ordered |= LaneMask{(*by.waited)[lane] >= r.time} << lane;
    }
    if (own && r.run.same_lane(now.run) && (r.run.lanes & ~ordered) == 0) continue;
    LineBytes bytes;
    if (!own && unknown == r.run.lanes)
      bytes = both;
    else
      for_bytes(both, [&](uint32_t byte) {
        const LaneMask before = r.run.at(byte) & unknown, after = now.run.at(byte);
        if (before == 0 || (own && before == after && std::has_single_bit(before) && (before & ordered) != 0)) return;
        bytes = bytes | LineBytes::range(byte, 1);
      });
    if (bytes.empty()) continue;
    visit(warp, bytes);
    all = all | bytes;
  }
  return all;
}

// Causality order: a strong write comes before what comes after a strong read that reads from it, or from an atomic in
// between. Of what the write's thread did before, that says nothing. A compare-and-swap that fails writes nothing, so
// no read tells of it. Who does not look at what it read might have read anything.
void RaceRecords::find_readers(RecordedLine& lists, const AccessRecord& now, const Accessor& by) {
  for (uint32_t* list : {&lists.loads, &lists.stores})
    records_.filter(*list, [&](AccessRecord& r) {
      if (!reads_strongly(r)) return true;
      const LineBytes both = r.run.bytes & now.run.bytes;
      if (both.empty()) return true;
      LineBytes before = both.without(unordered(r, now, by, [](uint32_t, const LineBytes&) {})), last;
      // Of its last lanes, one that comes before is enough.
      const BlockTimes* const times = times_of(by.known, r.block, now.block);
      if (times && r.last.warp < times->size())
        if (const LaneMask known = (*times)[r.last.warp].reached(r.time) & r.last.lanes; known != 0)
          for_bytes(both, [&](uint32_t byte) {
            const LaneMask lanes = known & r.run.at(byte);
            if (lanes != 0) before = before | LineBytes::range(byte, 1);
            if ((lanes & r.last.top) != 0) last = last | LineBytes::range(byte, 1);
          });
      if (r.block == now.block && r.last.warp == by.warp)
        for_bytes(both, [&](uint32_t byte) {
          const LaneMask lanes = r.last.lanes & r.run.at(byte), behind = now.run.at(byte);
          if ((behind & ~lanes) == 0) before = before | LineBytes::range(byte, 1);  // each behind its own
          if ((lanes & behind) != 0 && behind == r.last.top) last = last | LineBytes::range(byte, 1);
        });
      if (!before.empty()) readers_.push_back({before, r.block, r.last.turn, r.use.wide});
      // Lanes run an atomic one after the other, and the last one has read what the others wrote.
      if (!last.empty() && r.use.atomic) readers_.push_back({last, r.block, r.last.turn + 1, r.use.wide});
      return true;
    });
}

// Whether a strong write may race with the access, so that it matters who has read it.
bool RaceRecords::needs_readers(const RecordedLine& lists, const AccessRecord& now, const Accessor& by) const {
  return records_.any(lists.stores, [&](const AccessRecord& r) {
    return r.use.strong && r.use.writes && !r.use.failed && !r.reader && !(r.run.bytes & now.run.bytes).empty() &&
           (r.valued || may_race(r, now)) && !unordered(r, now, by, [](uint32_t, const LineBytes&) {}).empty();
  });
}

// The bytes in which an access before the one that is compared has read what `r` wrote.
LineBytes RaceRecords::read_from(const AccessRecord& r) const {
  LineBytes bytes;
  if (!r.use.strong || !r.use.writes || r.use.failed) return bytes;
  for (const Reader& reader : readers_)
    if (reader.turn > r.last.turn && reader.turn <= r.read_until &&
        (reader.block == r.block || (reader.wide && r.use.wide)))
      bytes = bytes | reader.bytes;
  return bytes;
}

// Both are in sections of one lock. Had it passed the other way, the earlier one's thread would learn of the later one
// only by a fence of its own, and one of the other thread before it gives the lock back.
void RaceRecords::compare_sections(const AccessRecord& r, const AccessRecord& now, uint64_t line,
                                   const Accessor& by) const {
  const LaneMask lanes = now.run.at((r.run.bytes & now.run.bytes).first());
  if (!may_race(r, now) || !std::has_single_bit(lanes)) return;
  const auto locks = by.races.passed_locks(r, static_cast<uint32_t>(std::countr_zero(lanes)));
  if (locks.empty() || !unordered(r, now, by, [](uint32_t, const LineBytes&) {}).empty()) return;
  for (const RaceListener::PassedLock& lock : locks) {
    const Accessor then{*lock.before, by.access, by.at, by.waited, by.warp, by.warps, by.era, by.floor, by.races};
    unordered(r, now, then, [&](uint32_t warp, const LineBytes& bytes) {
      if (warp_may_race(r, warp, now)) by.races.race_of_lock(of_warp(r, warp), now, bytes, line, lock);
    });
  }
}

void RaceRecords::compare_loads(RecordedLine& lists, uint64_t line, const AccessRecord& now, const Accessor& by) {
  added_.clear();
  records_.filter(lists.loads, [&](AccessRecord& r) {
    const LineBytes both = r.run.bytes & now.run.bytes;
    if (both.empty() || r.reader) return true;
    if (r.section != 0) compare_sections(r, now, line, by);
    if (!may_race(r, now)) {
      if (is_needless(r, now, by)) take_bytes(lists, r, both);
      return !r.run.bytes.empty();
    }
    const LineBytes racing = unordered(r, now, by, [&](uint32_t warp, const LineBytes& bytes) {
      if (warp_may_race(r, warp, now)) by.races.race(of_warp(r, warp), now, bytes, line, false);
    });
    if (makes_needless(now, r, by.races)) take_bytes(lists, r, both.without(racing));
    return !r.run.bytes.empty();
  });
  push_added(lists, lists.loads);
}

void RaceRecords::compare_stores(RecordedLine& lists, uint64_t line, const AccessRecord& now, const Accessor& by,
                                 LineTable::Values* values) {
  added_.clear();
  records_.filter(lists.stores, [&](AccessRecord& r) {
    const LineBytes both = r.run.bytes & now.run.bytes;
    if (both.empty() || r.reader) return true;
    if (r.section != 0) compare_sections(r, now, line, by);
    // An access that was not remembered may have read it: better no finding than a false one.
    const LineBytes read = lists.strong_lost && r.use.strong ? both : readers_.empty() ? LineBytes() : read_from(r);
    if (now.use.writes && !now.use.atomic && r.use.strong) {
      r.read_until = std::min(r.read_until, turn_ - (now.use.strong ? 1 : 0));
      lists.replaced = true;
    }
    const bool racy = may_race(r, now);
    if (!racy && !r.valued) {
      if (now.use.writes && is_needless(r, now, by)) take_bytes(lists, r, both);
      return !r.run.bytes.empty();
    }
    const LineBytes unknown = unordered(r, now, by, [&](uint32_t warp, const LineBytes& unread) {
      const LineBytes bytes = unread.without(read);
      if (!racy || bytes.empty() || !warp_may_race(r, warp, now)) return;
      const LineBytes same = now.use.writes ? same_values(r, now, bytes, line, by, values) : LineBytes();
      if (const LineBytes different = bytes.without(same); !different.empty())
        by.races.race(of_warp(r, warp), now, different, line, false);
      if (!same.empty()) by.races.race(of_warp(r, warp), now, same, line, true);
    });
    const LineBytes racing = unknown.without(read);
    if (now.use.writes) {
      const LineBytes same = racing.empty() ? racing : same_values(r, now, racing, line, by, values);
      if (makes_needless(now, r, by.races)) take_bytes(lists, r, both.without(racing));
      // What was written there before is no longer known.
      if (const LineBytes lost = (r.run.bytes & both).without(same); r.valued && !lost.empty()) {
        AccessRecord rest = r;
        rest.run.bytes = lost, rest.valued = false;
        added_.push_back(rest);
        r.run.bytes = r.run.bytes.without(lost);
      }
      return !r.run.bytes.empty();
    }
    return true;
  });
  push_added(lists, lists.stores);
}

void RaceRecords::access_list(RecordedLine& lists, uint64_t line, const AccessRecord& now, const Accessor& by,
                              LineTable::Values* values) {
  readers_.clear();
  // Two strong accesses for all blocks do not race, unless a warp takes its lanes to be in step.
  const bool wide = now.use.strong && now.use.wide && !now.use.of_cluster && !now.use.in_step;
  if (lists.strong && !(wide && !lists.narrow) && needs_readers(lists, now, by)) find_readers(lists, now, by);
  // Among such accesses alone it races with none. Those that it makes needless go when room is needed.
  const bool among_wide = wide && !lists.narrow && !lists.plain && (now.use.atomic || !now.use.writes);
  lists.strong |= now.use.strong;
  lists.narrow |= now.use.strong && (!now.use.wide || now.use.of_cluster);
  lists.plain |= !now.use.strong || now.valued;
  lists.replaced |= now.read_until != ~0u;
  if (!among_wide || needs_room(lists)) {
    if (now.use.writes && lists.loads != RecordLists::kNone) compare_loads(lists, line, now, by);
    if (lists.stores != RecordLists::kNone) compare_stores(lists, line, now, by, values);
  }
  if (lists.failed && now.use.swaps && !now.use.failed) drop_failed(lists, now);
  lists.failed |= now.use.failed;
  remember(lists, now.use.writes ? lists.stores : lists.loads, now);
}

void RaceRecords::access(uint64_t number, AccessRecord now, const Accessor& by) {
  RecordedLine& line = lines_[number];
  now.valued = now.use.writes && by.access.values != nullptr && !now.copies;
  if (now.use.strong) now.last.lanes = now.run.lanes;
  // Of lanes that store to one word, one is read.
  if (now.use.strong && now.use.writes && !now.use.atomic && !now.run.one_lane_each()) now.read_until = 0;
  if (line.era != by.era && by.floor) prune(line, by);
  LineTable::Values* values =
      now.use.writes && (now.valued || line.values != RecordLists::kNone) ? &lines_.values(line) : nullptr;
  if (now.use.writes) lanes_race(now, number, by);
  if (LineTable::Words* words = lines_.words(line)) {
    for (LineBytes left = now.run.bytes; !left.empty();) {
      const uint32_t word = left.first() / 4;
      const LineBytes bytes = LineBytes::range(4 * word, 4);
      AccessRecord part = now;
      part.run.bytes = now.run.bytes & bytes;
      owner_ = owner_of(number, word + 1);
      access_list(words->of[word], number, part, by, values);
      left = left.without(bytes);
    }
  } else {
    long_list_ = false;
    owner_ = owner_of(number, 0);
    access_list(line, number, now, by, values);
    if (long_list_ && line.kept > kLongList && line.kept_bytes < line.kept * kFewBytes) split(line, number);
  }
  if (now.valued) write_values(now, number, by, *values);
}

void RaceRecords::forget(uint64_t address, uint64_t bytes) {
  for (uint64_t number = address / kLineBytes; number * kLineBytes < address + bytes; ++number) {
    RecordedLine& line = lines_[number];
    const auto drop = [&](RecordedLine& lists) {
      records_.filter(lists.loads, [](const AccessRecord&) { return false; });
      records_.filter(lists.stores, [](const AccessRecord&) { return false; });
    };
    drop(line);
    if (LineTable::Words* words = lines_.words(line))
      for (RecordedLine& lists : words->of) drop(lists);
  }
}

void RaceRecords::clear() {
  lines_.clear();
  records_.clear();
  given_up_ = {};
}

}  // namespace drywarp::check
