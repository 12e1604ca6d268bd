#include "engine/check/race_records.h"

#include <algorithm>
#include <cstring>

namespace drywarp::check {
namespace {

// Lists that grow longer than this while their records have few bytes each are divided by word.
constexpr uint32_t kLongList = 24, kFewBytes = 16;
// How many records are looked at to join a new one to an older one; where blocks end, one of theirs may stand for it.
constexpr uint32_t kProbes = 8, kProbesForOver = 64;

// Strong accesses do not race, if each one's scope has the other's thread: PTX ISA, memory consistency model. Volatile
// ones of one warp do: that is how code looks that takes the lanes to be in step.
bool may_race(const AccessRecord& r, const AccessRecord& now) {
  if (!r.use.strong || !now.use.strong) return true;
  if (r.block != now.block) return !r.use.wide || !now.use.wide;
  return r.use.is_volatile && now.use.is_volatile && r.warp == now.warp;
}

// Whatever races with `r`, which is ordered before `now`, and comes later, races with `now` too.
bool makes_needless(const AccessRecord& now, const AccessRecord& r) {
  if (!now.use.strong) return now.use.writes || !r.use.writes;
  return r.use.strong && r.use.is_volatile == now.use.is_volatile && r.use.wide == now.use.wide;
}

// Of a store, the byte that it writes there; of several lanes, the lowest one's.
uint8_t value_at(uint32_t byte, uint64_t line, const RaceRecords::Accessor& by, LaneMask lane) {
  const auto l = static_cast<uint32_t>(std::countr_zero(lane));
  const uint32_t size = by.access.element_bytes;
  const auto at = static_cast<uint32_t>(line * kLineBytes + byte - by.at[l]);
  return by.access.values[(size_t{at / size} * kWarpSize + l) * size + at % size];
}

// The same threads' later access, which stands for `r`. If it does for some of the lanes, `r` keeps the others.
bool is_later(const AccessRecord& now, AccessRecord& r) {
  if (r.row != r.warp || !r.run.bytes.within(now.run.bytes)) return false;
  if (r.run.stride == 0 && now.run.stride == 0 && (r.run.lanes & ~now.run.lanes) != 0) {
    r.run.lanes &= ~now.run.lanes;
    return false;
  }
  if ((r.run.stride != 0 || now.run.stride != 0) && !r.run.same_lane(now.run)) return false;
  r = now;
  return true;
}

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
  if (now.run.stride == static_cast<int>(size) && size == by.access.bytes &&
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
  if (now.run.stride != 0 || std::has_single_bit(now.run.lanes) || (now.use.strong && !now.use.is_volatile)) return;
  bool same = now.valued;
  for_bytes(now.run.bytes, [&](uint32_t byte) {
    for (LaneMask left = now.run.lanes; same && left != 0; left &= left - 1)
      same = value_at(byte, line, by, left) == value_at(byte, line, by, now.run.lanes);
  });
  AccessRecord first = now, second = now;
  first.run.lanes = now.run.lanes & -now.run.lanes;
  second.run.lanes = now.run.lanes & ~first.run.lanes;
  by.races.race(first, second, now.run.bytes, line, same);
}

const BlockTimes* times_of(const Clock& known, uint32_t block, uint32_t own) {
  if (block == own) return &known.own;
  if (!known.others) return nullptr;
  const auto found = std::ranges::lower_bound(*known.others, uint64_t{block}, {}, [](const auto& b) { return b.first; });
  return found == known.others->end() || found->first != block ? nullptr : &*found->second;
}

}  // namespace

// The bytes of both that some lane of `r` accessed and nothing orders before another lane of `now`.
LineBytes RaceRecords::unordered(const AccessRecord& r, const AccessRecord& now, const Accessor& by) const {
  const LineBytes both = r.run.bytes & now.run.bytes;
  LaneMask unknown = r.run.lanes;
  if (const BlockTimes* times = times_of(by.known, r.block, now.block); times && r.row < times->size()) {
    if ((*times)[r.row].least() >= r.time) return {};
    unknown &= ~(*times)[r.row].reached(r.time);
  }
  if (unknown == 0) return {};
  // Behind its own accesses a lane needs no order, if they are not copies that it has not waited for.
  bool own = r.block == now.block && r.row == now.warp;
  LaneMask ordered = ~LaneMask{0};  // behind their own
  if (!own && r.block == now.block && r.row == by.copies && by.waited) {
    own = true, ordered = 0;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) ordered |= LaneMask{(*by.waited)[lane] >= r.time} << lane;
  }
  if (own && r.run.same_lane(now.run) && (r.run.lanes & ~ordered) == 0) return {};
  if (!own && unknown == r.run.lanes) return both;
  LineBytes bytes;
  for_bytes(both, [&](uint32_t byte) {
    const LaneMask before = r.run.at(byte) & unknown, after = now.run.at(byte);
    if (before == 0 || (own && before == after && std::has_single_bit(before) && (before & ordered) != 0)) return;
    bytes = bytes | byte_set(byte);
  });
  return bytes;
}

void RaceRecords::compare_loads(RecordedLine& lists, uint64_t line, const AccessRecord& now, const Accessor& by) {
  records_.filter(lists.loads, [&](AccessRecord& r) {
    ++walked_, walked_bytes_ += r.run.bytes.count();
    const LineBytes both = r.run.bytes & now.run.bytes;
    if (both.empty()) return true;
    const LineBytes racing = unordered(r, now, by);
    if (!racing.empty() && may_race(r, now)) by.races.race(r, now, racing, line, false);
    if (makes_needless(now, r)) r.run.bytes = r.run.bytes.without(both.without(racing));
    return !r.run.bytes.empty();
  });
}

void RaceRecords::compare_stores(RecordedLine& lists, uint64_t line, const AccessRecord& now, const Accessor& by,
                                 LineTable::Values* values) {
  added_.clear();
  records_.filter(lists.stores, [&](AccessRecord& r) {
    ++walked_, walked_bytes_ += r.run.bytes.count();
    const LineBytes both = r.run.bytes & now.run.bytes;
    if (both.empty()) return true;
    const LineBytes racing = unordered(r, now, by);
    if (now.use.writes) {
      const LineBytes same = racing.empty() ? racing : same_values(r, now, racing, line, by, values);
      if (!racing.empty() && may_race(r, now)) {
        if (const LineBytes different = racing.without(same); !different.empty())
          by.races.race(r, now, different, line, false);
        if (!same.empty()) by.races.race(r, now, same, line, true);
      }
      if (makes_needless(now, r)) r.run.bytes = r.run.bytes.without(both.without(racing));
      // What was written there before is no longer known.
      if (const LineBytes lost = (r.run.bytes & both).without(same); r.valued && !lost.empty()) {
        AccessRecord rest = r;
        rest.run.bytes = lost, rest.valued = false;
        added_.push_back(rest);
        r.run.bytes = r.run.bytes.without(lost);
      }
      return !r.run.bytes.empty();
    }
    if (!racing.empty() && may_race(r, now)) by.races.race(r, now, racing, line, false);
    return true;
  });
  for (const AccessRecord& r : added_) records_.push(lists.stores, r);
}

// Joins the access to an older one that it makes needless or that stands for it, or adds it.
void RaceRecords::remember(RecordedLine& lists, uint32_t& list, const AccessRecord& now, bool of_word) {
  const bool everywhere = of_word || lists.kept > kProbesForOver;
  uint32_t left = everywhere ? kMostInList : is_over ? kProbesForOver : kProbes;
  bool done = false;
  records_.find(list, [&](AccessRecord& r) {
    if (r.at == now.at && r.use == now.use && r.valued == now.valued) {
      if (r.block != now.block)
        done = is_over && now.run.bytes.within(r.run.bytes) && is_over(r.block);
      else if (r.row == now.row)
        done = r.take(now) || is_later(now, r);
    }
    return done || --left == 0;
  });
  if (done) return;
  if (records_.used() >= kMostRecords || (everywhere && left == 0)) {
    gave_up_ = true;
    return;
  }
  records_.push(list, now);
  ++lists.kept;
}

void RaceRecords::access_list(RecordedLine& lists, uint64_t line, const AccessRecord& now, const Accessor& by,
                              LineTable::Values* values, bool of_word) {
  if (now.use.writes) compare_loads(lists, line, now, by);
  compare_stores(lists, line, now, by, values);
  remember(lists, now.use.writes ? lists.stores : lists.loads, now, of_word);
}

void RaceRecords::prune(RecordedLine& line, const Accessor& by) {
  line.era = by.era, line.kept = 0;
  const auto known_by_all = [&](const AccessRecord& r) {
    return r.row < by.floor->size() && (r.run.lanes & ~(*by.floor)[r.row].reached(r.time)) == 0;
  };
  const auto drop = [&](RecordedLine& lists) {
    records_.filter(lists.loads, [&](const AccessRecord& r) { return !known_by_all(r); });
    records_.filter(lists.stores, [&](const AccessRecord& r) { return !known_by_all(r); });
  };
  drop(line);
  if (LineTable::Words* words = lines_.words(line))
    for (RecordedLine& lists : words->of) drop(lists);
}

// Divides the lists by word.
void RaceRecords::split(RecordedLine& line) {
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
        if (!part.run.bytes.empty()) records_.push(words.of[word].*list, part);
      }
  }
}

void RaceRecords::access(uint64_t number, AccessRecord now, const Accessor& by) {
  RecordedLine& line = lines_[number];
  now.valued = now.use.writes && by.access.values != nullptr && now.row == now.warp;
  if (line.era != by.era && by.floor) prune(line, by);
  LineTable::Values* values = now.use.writes && (now.valued || line.values != RecordLists::kNone)
                                  ? &lines_.values(line)
                                  : nullptr;
  if (now.use.writes) lanes_race(now, number, by);
  walked_ = walked_bytes_ = 0;
  if (LineTable::Words* words = lines_.words(line)) {
    for (uint32_t word = 0; word < words->of.size(); ++word) {
      AccessRecord part = now;
      part.run.bytes = now.run.bytes & LineBytes::range(4 * word, 4);
      if (!part.run.bytes.empty()) access_list(words->of[word], number, part, by, values, true);
    }
  } else {
    access_list(line, number, now, by, values, false);
    if ((walked_ > kLongList && walked_bytes_ < walked_ * kFewBytes) || line.kept == kProbesForOver) split(line);
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
}

}  // namespace drywarp::check
