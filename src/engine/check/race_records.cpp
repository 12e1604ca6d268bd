#include "engine/check/race_records.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace drywarp::check {
namespace {

// Lists that stay longer than this while their records have few bytes each are divided by word.
constexpr uint32_t kLongList = 48, kFewBytes = 8;
// How many records are looked at to join a new one to an older one; where blocks end, one of theirs may stand for it.
constexpr uint32_t kProbes = 4, kProbesForOver = 64;
// Of accesses that only tell who has read what, by list.
constexpr uint32_t kMostReaders = 256;

// Of wide ones: one that is for its cluster alone is for the other, too.
bool in_scope(const AccessRecord& r, const AccessRecord& now) {
  return r.cluster == now.cluster || !(r.use.of_cluster || now.use.of_cluster);
}

// Strong accesses do not race, if each one's scope has the other's thread: PTX ISA, memory consistency model. Volatile
// ones of one warp do in shared memory: that is how code looks that takes the lanes to be in step. In global memory,
// where any threads talk by them, they do not.
bool may_race(const AccessRecord& r, const AccessRecord& now) {
  if (!r.use.strong || !now.use.strong) return true;
  if (r.block != now.block) return !r.use.wide || !now.use.wide || !in_scope(r, now);
  return r.use.in_step && now.use.in_step && (r.warps & now.warps) != 0;
}

// Whatever races with `r`, which is ordered before `now`, and comes later, races with `now` too.
bool makes_needless(const AccessRecord& now, const AccessRecord& r, RaceListener& races) {
  if (r.section != 0 && r.section != now.section && races.stays(r, now)) return false;
  if (!now.use.strong) return now.use.writes || !r.use.writes;
  // A block's own does not race with what is for that block alone.
  if (!now.use.wide && r.block != now.block) return false;
  if (now.use.unread && !r.use.unread) return false;  // it has read something
  if (r.use.of_cluster != now.use.of_cluster || !in_scope(r, now)) return false;
  return r.use.strong && r.use.in_step == now.use.in_step && r.use.wide == now.use.wide;
}

// Of a store, the byte that it writes there; of several lanes, the lowest one's.
uint8_t value_at(uint32_t byte, uint64_t line, const RaceRecords::Accessor& by, LaneMask lane) {
  const auto l = static_cast<uint32_t>(std::countr_zero(lane));
  const uint32_t size = by.access.element_bytes;
  const auto at = static_cast<uint32_t>(line * kLineBytes + byte - by.at[l]);
  return by.access.values[(size_t{at / size} * kWarpSize + l) * size + at % size];
}

// The same threads' later access, which stands for `r`. If it does for some of the lanes or warps, `r` keeps the
// others.
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

// Of the lists of a line, and of its words.
uint64_t owner_of(uint64_t line, uint32_t part) { return line << 6 | part; }

LineBytes byte_set(uint32_t byte) { return LineBytes::range(byte, 1); }

// The bytes of lanes that write what the earlier store wrote. `values`: what the line had before.
LineBytes same_values(const AccessRecord& r, const AccessRecord& now, const LineBytes& bytes, uint64_t line,
                      const RaceRecords::Accessor& by, const LineTable::Values* values) {
  if (!r.valued || !now.valued || !values) return {};
  LaneMask different = 0;
  for_bytes(bytes, [&](uint32_t byte) {
    const LaneMask lanes = now.run.at(byte);
    if ((*values)[byte] != value_at(byte, line, by, lanes)) different |= lanes;
  });
  if (different == 0) return bytes;
  LineBytes same;
  for_bytes(bytes, [&](uint32_t byte) {
    if ((now.run.at(byte) & different) == 0) same = same | byte_set(byte);
  });
  return same;
}

void write_values(const AccessRecord& now, uint64_t line, const RaceRecords::Accessor& by, LineTable::Values& values) {
  const uint32_t size = by.access.element_bytes, count = now.run.bytes.count();
  // Neighbouring lanes' elements, as they lie in memory.
  if (now.run.stride == static_cast<int>(size) && now.run.rows == 1 && size == by.access.bytes &&
      now.run.bytes == LineBytes::range(now.run.first_byte, count)) {
    std::memcpy(&values[now.run.first_byte], by.access.values + size_t{now.run.first_lane} * size, count);
    return;
  }
  for_bytes(now.run.bytes, [&](uint32_t byte) {
    const LaneMask lanes = now.run.at(byte);
    values[byte] = value_at(byte, line, by, 1u << (31 - std::countl_zero(lanes)));  // the last lane wins
  });
}

// Lanes of one instruction that write the same bytes.
void lanes_race(const AccessRecord& now, uint64_t line, const RaceRecords::Accessor& by) {
  if (now.run.one_lane_each() || (now.use.strong && !now.use.in_step)) return;
  LineBytes several;
  bool same = now.valued;
  for_bytes(now.run.bytes, [&](uint32_t byte) {
    const LaneMask lanes = now.run.at(byte);
    if (std::has_single_bit(lanes)) return;
    several = several | byte_set(byte);
    for (LaneMask left = lanes; same && left != 0; left &= left - 1)
      same = value_at(byte, line, by, left) == value_at(byte, line, by, lanes);
  });
  AccessRecord first = now, second = now;
  LaneMask &one = now.run.stride == 0 ? first.run.lanes : first.run.rows,
           &others = now.run.stride == 0 ? second.run.lanes : second.run.rows;
  one &= -one;
  others &= ~one;
  by.races.race(first, second, several, line, same);
}

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
        bytes = bytes | byte_set(byte);
      });
    if (bytes.empty()) continue;
    visit(warp, bytes);
    all = all | bytes;
  }
  return all;
}

// Of one of its warps alone.
AccessRecord of_warp(const AccessRecord& r, uint32_t warp) {
  AccessRecord one = r;
  one.warps = 1u << warp;
  return one;
}

// What it reads counts for its thread's order.
bool reads_strongly(const AccessRecord& r) { return r.use.strong && !r.use.unread && (!r.use.writes || r.use.atomic); }
// Whether it has read what the write left there, or an atomic behind that.
bool reads(const AccessRecord& r, const AccessRecord& w) {
  return w.use.strong && w.use.writes && !w.use.failed && !w.reader && w.last.turn < r.last.turn &&
         r.last.turn <= w.read_until && (w.block == r.block || (w.use.wide && r.use.wide)) &&
         !(w.run.bytes & r.run.bytes).empty();
}

// Whether a thread of the warp may race with the access.
bool warp_may_race(const AccessRecord& r, uint32_t warp, const AccessRecord& now) {
  return r.warps == 1u << warp || may_race(of_warp(r, warp), now);
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
            if (lanes != 0) before = before | byte_set(byte);
            if ((lanes & r.last.top) != 0) last = last | byte_set(byte);
          });
      if (r.block == now.block && r.last.warp == by.warp)
        for_bytes(both, [&](uint32_t byte) {
          const LaneMask lanes = r.last.lanes & r.run.at(byte), behind = now.run.at(byte);
          if ((behind & ~lanes) == 0) before = before | byte_set(byte);  // each behind its own
          if ((lanes & behind) != 0 && behind == r.last.top) last = last | byte_set(byte);
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
    if (now.use.writes && !now.use.atomic && r.use.strong)
      r.read_until = std::min(r.read_until, turn_ - (now.use.strong ? 1 : 0));
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

// Of two that do not race: whether the later one, which is ordered behind the other, is enough.
bool RaceRecords::is_needless(const AccessRecord& r, const AccessRecord& now, const Accessor& by) const {
  if (!makes_needless(now, r, by.races)) return false;
  const BlockTimes* times = times_of(by.known, r.block, now.block);
  for (uint32_t left = r.warps; left != 0; left &= left - 1) {
    const auto row = static_cast<uint32_t>(std::countr_zero(left)) + (r.copies ? by.warps : 0);
    if (!times || row >= times->size() || (*times)[row].least() < r.time) return false;
  }
  return true;
}

// A loop of compare-and-swaps: the one that succeeds stands for the lane's earlier ones, as they are to the same word.
// Of those that have read what a strong store has replaced since, that stays known.
void RaceRecords::drop_failed(RecordedLine& lists, const AccessRecord& now) {
  records_.filter(lists.stores, [&](AccessRecord& r) {
    if (!r.use.failed || r.at != now.at || r.block != now.block || r.warps != now.warps || r.copies) return true;
    r.reader |= reads_what_is_replaced(lists, r, now);
    if (r.reader) return true;
    if (r.run.stride == 0 && now.run.stride == 0 && r.run.bytes.within(now.run.bytes)) {
      r.run.lanes &= ~now.run.lanes;
      return r.run.lanes != 0;
    }
    if (r.run.same_lanes(now.run)) r.run.bytes = r.run.bytes.without(now.run.bytes);
    return !r.run.bytes.empty();
  });
}

// Who comes behind a strong read is behind the writes that it read from, and need not be behind the thread's next
// access, which stands for it otherwise. So the reads stay that are the thread's first of some write.
bool RaceRecords::reads_first(const RecordedLine& lists, const AccessRecord& r) const {
  if (!reads_strongly(r)) return false;
  uint32_t before = 0;  // the turn of the thread's last read before it
  for (const uint32_t list : {lists.loads, lists.stores})
    (void)records_.any(list, [&](const AccessRecord& q) {
      if (q.last.turn < r.last.turn && q.last.turn > before && reads_strongly(q) && q.block == r.block &&
          q.warps == r.warps && q.use.wide == r.use.wide && q.run.same_lanes(r.run) && r.run.bytes.within(q.run.bytes))
        before = q.last.turn;
      return false;
    });
  return records_.any(lists.stores, [&](const AccessRecord& w) { return w.last.turn >= before && reads(r, w); });
}

// Whether it has read from a write that a strong store had replaced before `now`.
bool RaceRecords::reads_what_is_replaced(const RecordedLine& lists, const AccessRecord& r,
                                         const AccessRecord& now) const {
  return reads_strongly(r) &&
         records_.any(lists.stores, [&](const AccessRecord& w) { return w.read_until < now.last.turn && reads(r, w); });
}

// Another access stands for it in these bytes.
void RaceRecords::take_bytes(const RecordedLine& lists, AccessRecord& r, const LineBytes& bytes) {
  AccessRecord part = r;
  part.run.bytes = r.run.bytes & bytes;
  r.run.bytes = r.run.bytes.without(bytes);
  if (part.run.bytes.empty() || !reads_first(lists, part)) return;
  part.reader = true, part.valued = false;
  added_.push_back(part);
}

// Whether `r` stands for both from now on.
bool RaceRecords::joins(const RecordedLine& lists, AccessRecord& r, const AccessRecord& now) {
  if (!reads_strongly(r)) return r.take(now) || is_later(now, r);
  if (r.time == now.time) return !reads_what_is_replaced(lists, r, now) && r.take(now);
  AccessRecord older = r;
  const bool joined = is_later(now, r);
  if ((joined || r.warps != older.warps || r.run != older.run) && reads_first(lists, older)) {
    older.reader = true;
    added_.push_back(older);
  }
  return joined;
}

// While a list is visited, nothing is pushed.
void RaceRecords::push_added(RecordedLine& lists, uint32_t& list) {
  for (const AccessRecord& r : added_)
    if (!r.reader || has_room_for_reader(lists)) records_.push(list, r, owner_);
  added_.clear();
}

// Of what stands for no access itself, only so much is kept.
bool RaceRecords::has_room_for_reader(RecordedLine& lists) {
  if (lists.strong_lost) return false;
  if (records_.used() >= limits_.records || lists.readers >= kMostReaders) {
    drop_readers(lists);
    lists.strong_lost = records_.used() >= limits_.records || lists.readers > kMostReaders / 2;
  }
  if (!lists.strong_lost) ++lists.readers;
  return !lists.strong_lost;
}

// Those that are of no use any more.
void RaceRecords::drop_readers(RecordedLine& lists) {
  lists.readers = 0;
  for (uint32_t* list : {&lists.loads, &lists.stores})
    records_.filter(*list, [&](const AccessRecord& r) {
      if (!r.reader) return true;
      if (!reads_first(lists, r)) return false;
      ++lists.readers;
      return true;
    });
}

// Joins the access to an older one that it makes needless or that stands for it, or adds it.
void RaceRecords::remember(RecordedLine& lists, uint32_t& list, const AccessRecord& now) {
  // Most often the one that the instruction's last access to the line has joined.
  const auto instruction = reinterpret_cast<uintptr_t>(now.at) / sizeof(InstructionInfo);
  uint32_t& recent = recent_[(owner_ * 31 + instruction * 7 + now.run.bytes.first() / 4 * 512) % recent_.size()];
  added_.clear();
  if (AccessRecord* r = records_.get(recent, owner_); r && r->alike(now) && joins(lists, *r, now))
    return push_added(lists, list);
  AccessRecord* over = nullptr;
  const bool joined = records_.find(list, is_over ? kProbesForOver : kProbes, [&](AccessRecord& r) {
    if (r.at != now.at || r.use != now.use || r.valued != now.valued || r.copies != now.copies || r.reader ||
        r.read_until != now.read_until || r.section != now.section)
      return false;
    if (r.block != now.block) {
      if (!is_over || !now.run.bytes.within(r.run.bytes) || !is_over(r.block)) return false;
      if (!now.use.strong) return true;
      // Who reads from it, and goes on, must be known: it takes the place of another block that is over.
      if (!over) return over = &r, false;
      if (!r.run.bytes.within(over->run.bytes)) return false;
      over->take_last(r);
      r = now;
      return true;
    }
    return joins(lists, r, now);
  });
  push_added(lists, list);
  if (joined) return;
  if (lists.kept >= lists.room) condense(lists), long_list_ = true;
  if (records_.used() >= limits_.records || lists.kept >= limits_.in_list) {
    if (given_up_.accesses++ == 0) given_up_.first = now.at;
    lists.strong_lost |= now.use.strong;
    return;
  }
  recent = records_.push(list, now, owner_);
  ++lists.kept;
  lists.kept_bytes = static_cast<uint16_t>(std::min<uint32_t>(lists.kept_bytes + now.run.bytes.count(), 0xffff));
}

// Joins records that remember() has not: it looks at a few alone.
void RaceRecords::condense(RecordedLine& lists) {
  lists.kept = lists.kept_bytes = lists.readers = 0;
  for (uint32_t* list : {&lists.loads, &lists.stores}) {
    std::vector<AccessRecord>& all = condensed_;
    all.clear(), added_.clear();
    records_.filter(*list, [&](const AccessRecord& r) {
      if (!r.run.bytes.empty() && r.run.lanes != 0) all.push_back(r);
      return true;
    });
    std::ranges::reverse(all);  // the oldest first
    std::ranges::stable_sort(all, {}, [](const AccessRecord& r) { return std::tuple(r.at, r.block); });
    size_t kept = 0, group = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      const AccessRecord now = all[i];
      if (kept != 0 && (all[kept - 1].at != now.at || all[kept - 1].block != now.block)) group = kept;
      bool joined = false;
      for (size_t g = group; g < kept && !joined; ++g) joined = all[g].alike(now) && joins(lists, all[g], now);
      if (!joined) all[kept++] = now;
    }
    records_.filter(*list, [](const AccessRecord&) { return false; });
    for (size_t i = 0; i < kept; ++i) {
      records_.push(*list, all[i], owner_);
      ++lists.kept, lists.readers += all[i].reader;
      lists.kept_bytes = static_cast<uint16_t>(std::min<uint32_t>(lists.kept_bytes + all[i].run.bytes.count(), 0xffff));
    }
    push_added(lists, *list);
  }
  lists.room =
      static_cast<uint16_t>(std::clamp<size_t>(2 * size_t{lists.kept}, 64, std::max<size_t>(limits_.in_list, 64)));
}

void RaceRecords::access_list(RecordedLine& lists, uint64_t line, const AccessRecord& now, const Accessor& by,
                              LineTable::Values* values) {
  readers_.clear();
  // Two strong accesses for all blocks do not race, unless a warp takes its lanes to be in step.
  const bool wide = now.use.strong && now.use.wide && !now.use.of_cluster && !now.use.in_step;
  if (lists.strong && !(wide && !lists.narrow) && needs_readers(lists, now, by)) find_readers(lists, now, by);
  lists.strong |= now.use.strong;
  lists.narrow |= now.use.strong && (!now.use.wide || now.use.of_cluster);
  if (now.use.writes) compare_loads(lists, line, now, by);
  compare_stores(lists, line, now, by, values);
  if (lists.failed && now.use.swaps && !now.use.failed) drop_failed(lists, now);
  lists.failed |= now.use.failed;
  remember(lists, now.use.writes ? lists.stores : lists.loads, now);
}

void RaceRecords::prune(RecordedLine& line, const Accessor& by) {
  line.era = by.era;
  const auto known_by_all = [&](const AccessRecord& r) {
    for (uint32_t left = r.warps; left != 0; left &= left - 1) {
      const auto row = static_cast<uint32_t>(std::countr_zero(left)) + (r.copies ? by.warps : 0);
      if (row >= by.floor->size()) return false;
      const WarpTimes& known = (*by.floor)[row];
      if (known.least() < r.time && (r.run.lanes & ~known.reached(r.time)) != 0) return false;
    }
    return true;
  };
  const auto drop = [&](RecordedLine& lists) {
    lists.kept = lists.kept_bytes = lists.readers = 0;
    for (uint32_t* list : {&lists.loads, &lists.stores})
      records_.filter(*list, [&](const AccessRecord& r) {
        if (known_by_all(r)) return false;
        ++lists.kept, lists.readers += r.reader;
        return true;
      });
    lists.strong_lost &= lists.kept != 0;
  };
  drop(line);
  if (LineTable::Words* words = lines_.words(line))
    for (RecordedLine& lists : words->of) drop(lists);
}

// Divides the lists by word.
void RaceRecords::split(RecordedLine& line, uint64_t number) {
  RecordedLine whole = line;
  LineTable::Words& words = lines_.split(line);
  line.loads = line.stores = RecordLists::kNone;
  for (uint32_t RecordedLine::* list : {&RecordedLine::loads, &RecordedLine::stores}) {
    added_.clear();
    records_.filter(whole.*list, [&](const AccessRecord& r) {
      added_.push_back(r);
      return false;
    });
    for (const AccessRecord& r : added_)
      for (uint32_t word = 0; word < words.of.size(); ++word) {
        AccessRecord part = r;
        part.run.bytes = r.run.bytes & LineBytes::range(4 * word, 4);
        if (part.run.bytes.empty()) continue;
        records_.push(words.of[word].*list, part, owner_of(number, word + 1));
        ++words.of[word].kept;
        words.of[word].strong |= r.use.strong;
        words.of[word].narrow |= r.use.strong && (!r.use.wide || r.use.of_cluster);
        words.of[word].failed |= r.use.failed;
        words.of[word].strong_lost = whole.strong_lost;
        words.of[word].readers += r.reader;
      }
  }
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
