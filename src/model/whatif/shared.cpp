// Accesses that meet in shared memory instead of global memory: tiles, and private copies of counters.
#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "model/whatif/changes.h"

namespace drywarp::whatif {
namespace {

constexpr unsigned kLineSectors = kLineBytes / kSectorBytes;

// By TraceAccess::access: whether it is an atomic, and the bytes a lane of the others.
struct Kind {
  bool atomic = false, load = false;
  uint32_t bytes = 0;
};
std::vector<Kind> kinds_of(const KernelInfo& kernel) {
  std::vector<Kind> kinds;
  for (const InstructionInfo& in : kernel.instructions) {
    if (in.access == InstructionInfo::kNone) continue;
    const size_t end = size_t{in.access} + (in.generic ? 3 : 1);
    if (kinds.size() < end) kinds.resize(end);
    std::fill(kinds.begin() + in.access, kinds.begin() + static_cast<ptrdiff_t>(end),
              Kind{in.atomic, in.load && !in.atomic, in.access_bytes});
  }
  return kinds;
}

// An access of a block, and the warp that makes it.
struct Place {
  WarpTrace* warp;
  size_t index;
  [[nodiscard]] TraceAccess& access() const { return warp->accesses[index]; }
};

// The chosen accesses to global memory: the first of each warp, then the second of each, as warps take turns.
template <class Chosen>
std::vector<Place> in_turns(BlockTrace& block, Chosen chosen) {
  std::vector<std::pair<size_t, Place>> places;
  for (WarpTrace& warp : block.warps) {
    size_t turn = 0;
    for (size_t i = 0; i < warp.accesses.size(); ++i)
      if (warp.accesses[i].space == AddressSpace::Global && chosen(warp.accesses[i]))
        places.push_back({turn++, {&warp, i}});
  }
  std::ranges::stable_sort(places, {}, [](const auto& place) { return place.first; });
  std::vector<Place> result;
  for (const auto& [turn, place] : places) result.push_back(place);
  return result;
}

template <class Visit>  // visit(number of the sector)
void for_each_sector(const Place& place, Visit visit) {
  const TraceAccess& a = place.access();
  for (uint32_t i = a.first_line; i < a.first_line + a.line_count; ++i)
    for (unsigned mask = place.warp->lines[i].sectors(); mask != 0; mask &= mask - 1)
      visit(place.warp->lines[i].number() * kLineSectors + static_cast<unsigned>(std::countr_zero(mask)));
}

// Makes it an access to these sectors alone, which are in ascending order.
void set_sectors(const Place& place, std::span<const uint64_t> sectors, bool atomic) {
  TraceAccess& a = place.access();
  std::pmr::vector<TraceLine>& lines = place.warp->lines;
  a.first_line = static_cast<uint32_t>(lines.size());
  for (size_t i = 0; i < sectors.size();) {
    const uint64_t line = sectors[i] / kLineSectors;
    unsigned mask = 0;
    for (; i < sectors.size() && sectors[i] / kLineSectors == line; ++i) mask |= 1u << sectors[i] % kLineSectors;
    lines.push_back(atomic ? TraceLine::of_atomic(line * kLineBytes, mask, static_cast<unsigned>(std::popcount(mask)))
                           : TraceLine::of(line * kLineBytes, mask));
  }
  a.line_count = static_cast<uint16_t>(lines.size() - a.first_line);
  a.units = a.ideal_units = a.line_count;
}

void set_shared(const Place& place, unsigned wavefronts) {
  TraceAccess& a = place.access();
  a.space = AddressSpace::Shared;
  a.first_line = 0, a.line_count = 0;
  a.units = a.ideal_units = static_cast<uint16_t>(std::max(wavefronts, 1u));
}

// The sectors that an access of so many bytes takes next.
class Queue {
 public:
  void push(uint64_t sector) { sectors_.push_back(sector); }
  [[nodiscard]] bool empty() const { return at_ == sectors_.size(); }
  std::vector<uint64_t> take(size_t most) {
    const auto first = sectors_.begin() + static_cast<ptrdiff_t>(at_);
    at_ = std::min(at_ + most, sectors_.size());
    std::vector<uint64_t> taken(first, sectors_.begin() + static_cast<ptrdiff_t>(at_));
    std::ranges::sort(taken);
    return taken;
  }

 private:
  std::vector<uint64_t> sectors_;
  size_t at_ = 0;
};

uint32_t sectors_at_once(const TraceAccess& a, uint32_t bytes) {
  return std::max(1u, (uint32_t{a.lanes} * bytes + kSectorBytes - 1) / kSectorBytes);
}

// A tile serves a block that loads what it needs twice or more, and writes none of it.
bool tile_block(BlockTrace& block, const std::vector<Kind>& kinds) {
  std::unordered_set<uint64_t> stored;
  const auto kind = [&](const TraceAccess& a) { return a.access < kinds.size() ? kinds[a.access] : Kind{}; };
  for (const Place& place : in_turns(block, [&](const TraceAccess& a) { return !kind(a).load; }))
    for_each_sector(place, [&](uint64_t sector) { stored.insert(sector); });

  std::vector<Place> places = in_turns(block, [&](const TraceAccess& a) { return kind(a).load; });
  std::erase_if(places, [&](const Place& place) {
    bool writes = false;
    for_each_sector(place, [&](uint64_t sector) { writes = writes || stored.contains(sector); });
    return writes;
  });
  std::unordered_set<uint64_t> distinct;
  size_t touched = 0;
  for (const Place& place : places)
    for_each_sector(place, [&](uint64_t sector) { distinct.insert(sector), ++touched; });
  if (touched < 2 * distinct.size() || touched == 0) return false;

  // What an access needs first is loaded by it and by those that follow, as by all warps that fill a tile together.
  std::unordered_set<uint64_t> loaded;
  Queue queue;
  for (const Place& place : places) {
    const uint32_t bytes = kind(place.access()).bytes;
    const uint32_t at_once = sectors_at_once(place.access(), bytes);
    uint32_t needs = 0;
    for_each_sector(place, [&](uint64_t sector) {
      ++needs;
      if (loaded.insert(sector).second) queue.push(sector);
    });
    if (queue.empty())
      set_shared(place, (std::min(at_once, needs) + kLineSectors - 1) / kLineSectors);
    else
      set_sectors(place, queue.take(&place == &places.back() ? distinct.size() : at_once), false);
  }
  return true;
}

// A block's own counters: its atomics meet in shared memory, and its last ones add each sector of counters to the
// common ones.
bool privatize_block(BlockTrace& block, const std::vector<Kind>& kinds) {
  const std::vector<Place> places =
      in_turns(block, [&](const TraceAccess& a) { return a.access < kinds.size() && kinds[a.access].atomic; });
  std::vector<uint64_t> sectors;
  size_t rounds = 0;
  for (const Place& place : places) {
    for_each_sector(place, [&](uint64_t sector) { sectors.push_back(sector); });
    rounds += place.access().units;
  }
  std::ranges::sort(sectors);
  const auto [first, last] = std::ranges::unique(sectors);
  sectors.erase(first, last);
  // Counters that a block updates once are as dear to add up as to update.
  if (sectors.size() >= rounds) return false;
  const size_t at_once = std::max<size_t>(kLineSectors, (sectors.size() + places.size() - 1) / places.size());
  const size_t flushes = (sectors.size() + at_once - 1) / at_once;
  for (size_t i = 0; i < places.size(); ++i) {
    const TraceAccess& a = places[i].access();
    unsigned most = 1;  // lanes on one counter take turns, wherever it is
    for (uint32_t l = a.first_line; l < a.first_line + a.line_count; ++l) {
      const TraceLine& line = places[i].warp->lines[l];  // its rounds are the sum of its sectors'
      most = std::max(most, line.rounds() + 1 - static_cast<unsigned>(std::popcount(line.sectors())));
    }
    const size_t from_end = places.size() - i;
    if (from_end > flushes) {
      set_shared(places[i], most);
    } else {
      const size_t at = (flushes - from_end) * at_once;
      set_sectors(places[i], std::span(sectors).subspan(at, std::min(at_once, sectors.size() - at)), true);
    }
  }
  return true;
}

}  // namespace

bool tile(TimedLaunch& l, const KernelInfo& kernel) {
  const std::vector<Kind> kinds = kinds_of(kernel);
  bool all = !l.trace.blocks.empty(), any = false;
  for (BlockTrace& block : l.trace.blocks) {
    const bool tiled = tile_block(block, kinds);
    all = all && tiled;
    any = any || tiled;
  }
  // Addresses in a tile are offsets that the compiler knows.
  if (all) free_addresses(l, kernel);
  return any;
}

bool privatize(TimedLaunch& l, const KernelInfo& kernel) {
  const std::vector<Kind> kinds = kinds_of(kernel);
  bool any = false;
  for (BlockTrace& block : l.trace.blocks) any = privatize_block(block, kinds) || any;
  return any;
}

}  // namespace drywarp::whatif
