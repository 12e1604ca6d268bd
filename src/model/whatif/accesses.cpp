// Accesses as they would be if each were arranged well.
#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>
#include <utility>

#include "model/whatif/changes.h"

namespace drywarp::whatif {
namespace {

constexpr unsigned kSectorsOfLine = kLineBytes / kSectorBytes;

// By TraceAccess::access: bytes a lane of loads and stores; 0 for others.
std::vector<uint32_t> bytes_by_access(const KernelInfo& kernel) {
  std::vector<uint32_t> bytes;
  for (const InstructionInfo& in : kernel.instructions) {
    if (in.access == InstructionInfo::kNone || in.atomic || !(in.load || in.store)) continue;
    const size_t end = size_t{in.access} + (in.generic ? 3 : 1);
    if (bytes.size() < end) bytes.resize(end);
    std::fill(bytes.begin() + in.access, bytes.begin() + static_cast<ptrdiff_t>(end), in.access_bytes);
  }
  return bytes;
}

// What one instruction does in one block.
struct Use {
  std::vector<uint64_t> sectors;  // touched, by address
  uint64_t needed = 0;            // sectors that its accesses need, each alone
  uint64_t touched = 0;           // ... and touch
};

// Gives each access of an instruction the next sectors out of those that the block touches, so that neighbouring
// accesses touch neighbouring sectors and what the block reads or writes in all stays the same. Where a block needs
// fewer sectors than it touches, because other blocks use the rest of each, those blocks get different ones.
class Dealer {
 public:
  Dealer(Use use, uint32_t turn) : sectors_(std::move(use.sectors)) {
    std::sort(sectors_.begin(), sectors_.end());
    sectors_.erase(std::unique(sectors_.begin(), sectors_.end()), sectors_.end());
    const uint64_t sharers = sectors_.size() / std::max<uint64_t>(use.needed, 1);
    if (sharers <= 1) return;
    const uint64_t piece = sectors_.size() / sharers, first = turn % sharers * piece;
    sectors_.assign(sectors_.begin() + static_cast<ptrdiff_t>(first),
                    sectors_.begin() + static_cast<ptrdiff_t>(first + piece));
  }
  uint64_t next() { return sectors_[at_++ % sectors_.size()]; }

 private:
  std::vector<uint64_t> sectors_;
  size_t at_ = 0;
};

uint64_t sectors_needed(const TraceAccess& access, uint32_t bytes) {
  return (uint64_t{access.lanes} * bytes + kSectorBytes - 1) / kSectorBytes;
}

// Calls visit(sector) for each sector that the access touches.
template <class Visit>
void for_each_sector(const WarpTrace& warp, const TraceAccess& access, Visit visit) {
  for (uint32_t i = access.first_line; i < access.first_line + access.line_count; ++i)
    for (unsigned s = 0; s < kSectorsOfLine; ++s)
      if ((warp.lines[i].sectors() >> s & 1) != 0) visit(warp.lines[i].number() * kSectorsOfLine + s);
}

void deal(WarpTrace& warp, TraceAccess& access, uint64_t count, Dealer& dealer) {
  std::vector<uint64_t> sectors;
  for (uint64_t i = 0; i < count; ++i) sectors.push_back(dealer.next());
  std::sort(sectors.begin(), sectors.end());
  access.first_line = static_cast<uint32_t>(warp.lines.size());
  access.line_count = 0;
  for (size_t i = 0; i < sectors.size();) {
    const uint64_t line = sectors[i] / kSectorsOfLine;
    unsigned mask = 0;
    for (; i < sectors.size() && sectors[i] / kSectorsOfLine == line; ++i) mask |= 1u << sectors[i] % kSectorsOfLine;
    warp.lines.push_back(TraceLine::of(line * kLineBytes, mask));
    ++access.line_count;
  }
  access.units = access.ideal_units =
      static_cast<uint16_t>(std::max<uint64_t>((count + kSectorsOfLine - 1) / kSectorsOfLine, 1));
}

}  // namespace

bool coalesce(TimedLaunch& l, const KernelInfo& kernel) {
  const std::vector<uint32_t> bytes = bytes_by_access(kernel);
  const auto bytes_of = [&](const TraceAccess& a) {
    const bool dram = a.space == AddressSpace::Global || a.space == AddressSpace::Local;
    return dram && a.line_count != 0 && a.access < bytes.size() ? bytes[a.access] : 0;
  };
  // Uses with the same first sector share its sectors: of several blocks (columns of a matrix), or of several
  // instructions (fields of a structure). Loads and stores of one element take turns apart, in the same order.
  std::map<std::pair<bool, uint64_t>, uint32_t> turns;
  const std::vector<bool> loads = loads_of(kernel);
  const auto is_load = [&](uint32_t access) { return access < loads.size() && loads[access]; };
  bool any = false;
  for (BlockTrace& block : l.trace.blocks) {
    std::map<uint32_t, Use> uses;
    for (const WarpTrace& warp : block.warps)
      for (const TraceAccess& a : warp.accesses) {
        const uint32_t lane_bytes = bytes_of(a);
        if (lane_bytes == 0) continue;
        Use& use = uses[a.access];
        const size_t before = use.sectors.size();
        for_each_sector(warp, a, [&](uint64_t sector) { use.sectors.push_back(sector); });
        use.touched += use.sectors.size() - before;
        use.needed += std::min<uint64_t>(sectors_needed(a, lane_bytes), use.sectors.size() - before);
      }
    std::map<uint32_t, Dealer> dealers;
    for (auto& [access, use] : uses) {
      if (use.touched <= use.needed) continue;
      const uint64_t first = *std::min_element(use.sectors.begin(), use.sectors.end());
      const uint32_t turn = turns[{is_load(access), first}]++;
      dealers.emplace(access, Dealer(std::move(use), turn));
    }
    if (dealers.empty()) continue;
    any = true;
    for (WarpTrace& warp : block.warps)
      for (TraceAccess& a : warp.accesses) {
        const uint32_t lane_bytes = bytes_of(a);
        const auto dealer = lane_bytes == 0 ? dealers.end() : dealers.find(a.access);
        if (dealer == dealers.end()) continue;
        uint64_t touched = 0;
        for_each_sector(warp, a, [&](uint64_t) { ++touched; });
        deal(warp, a, std::min(sectors_needed(a, lane_bytes), touched), dealer->second);
      }
  }
  return any;
}

bool loads_global(const TraceAccess& access, const std::vector<bool>& loads) {
  return access.space == AddressSpace::Global && access.access < loads.size() && loads[access.access];
}

bool touch_the_same(const WarpTrace& one, const TraceAccess& a, const WarpTrace& other, const TraceAccess& b) {
  if (a.line_count != b.line_count || a.lanes != b.lanes) return false;
  const auto* first = one.lines.data() + a.first_line;
  return std::equal(first, first + a.line_count, other.lines.data() + b.first_line,
                    [](const TraceLine& x, const TraceLine& y) { return x.packed == y.packed; });
}

// The instruction stays: it issues and requests nothing. A stride within a sector looks like a repeated load, too.
bool remove_reloads(TimedLaunch& l, const KernelInfo& kernel) {
  const std::vector<bool> loads = loads_of(kernel);
  bool any = false;
  for (BlockTrace& block : l.trace.blocks)
    for (WarpTrace& warp : block.warps) {
      std::unordered_map<uint32_t, TraceAccess> last;  // by access
      const auto repeats = [&](const TraceAccess& a) {
        if (!loads_global(a, loads)) return false;
        const auto [before, is_first] = last.try_emplace(a.access, a);
        return !is_first && touch_the_same(warp, std::exchange(before->second, a), warp, a);
      };
      any = std::erase_if(warp.accesses, repeats) != 0 || any;
    }
  return any;
}

bool remove_bank_conflicts(TimedLaunch& l, const KernelInfo&) {
  bool any = false;
  for (BlockTrace& block : l.trace.blocks)
    for (WarpTrace& warp : block.warps)
      for (TraceAccess& a : warp.accesses) {
        if (a.space != AddressSpace::Shared) continue;
        any = any || a.units > a.ideal_units;
        a.units = std::min(a.units, a.ideal_units);
        for (const unsigned bytes : {8, 16}) {
          const WiderLoad wide = a.wider(bytes);
          any = any || wide.units > wide.ideal_units;
          a.set_wider(bytes, {std::min(wide.units, wide.ideal_units), wide.ideal_units});
        }
      }
  return any;
}

}  // namespace drywarp::whatif
