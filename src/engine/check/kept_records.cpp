// Which accesses to a line are remembered: what a later one makes needless goes, what is alike is one record.
#include <algorithm>
#include <tuple>

#include "engine/check/race_records.h"
#include "engine/check/record_pairs.h"

namespace drywarp::check {
namespace {

// How many records are looked at to join a new one to an older one; where blocks end, one of theirs may stand for it.
constexpr uint32_t kProbes = 4, kProbesForOver = 64;
// Of accesses that only tell who has read what, by list.
constexpr uint32_t kMostReaders = 256;

}  // namespace

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
  return lists.replaced && reads_strongly(r) &&
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
  const uint64_t warp = now.use.atomic ? static_cast<uint64_t>(std::countr_zero(now.warps)) * 1543 : 0;
  uint32_t& recent = recent_[(owner_ * 31 + instruction * 7 + now.run.bytes.first() / 4 * 512 + warp) % recent_.size()];
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
  if (needs_room(lists)) condense(lists), long_list_ = true;
  if (records_.used() >= limits_.records || lists.kept >= limits_.in_list) {
    if (lists.rest != 0) --lists.rest;
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
      for (size_t g = group; g < kept && !joined; ++g) {
        const bool may_join = all[g].time == now.time || (all[g].warps & now.warps) != 0;
        joined = may_join && all[g].alike(now) && joins(lists, all[g], now);
      }
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
  // A list that stays full would be looked through at each access: a lock that thousands of threads take once.
  const bool stays_full = size_t{lists.kept} * 8 > limits_.in_list * 7;
  lists.rest = static_cast<uint16_t>(stays_full ? limits_.in_list / 2 : 0);
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
    lists.kept = lists.kept_bytes = lists.readers = lists.rest = 0;
    lists.plain = false;
    for (uint32_t* list : {&lists.loads, &lists.stores})
      records_.filter(*list, [&](const AccessRecord& r) {
        if (known_by_all(r)) return false;
        ++lists.kept, lists.readers += r.reader;
        lists.plain |= !r.use.strong || r.valued;
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
        words.of[word].plain |= !r.use.strong || r.valued;
        words.of[word].failed |= r.use.failed;
        words.of[word].strong_lost = whole.strong_lost;
        words.of[word].replaced = whole.replaced;
        words.of[word].readers += r.reader;
      }
  }
}

}  // namespace drywarp::check
