#include "base/events/access_reuse.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <tuple>

namespace drywarp {
namespace {

constexpr unsigned kSectorsOfLine = kLineBytes / kSectorBytes;

constexpr size_t kMostLines = 2'000'000;  // touched lines to look at, in whole blocks: a fraction of a second

// A line's number and which of its sectors are touched.
using Lines = std::vector<uint64_t>;
uint64_t pack(const TraceLine& line) { return line.number() << kSectorsOfLine | line.sectors(); }

// Each line once, with the sectors of all its copies.
void keep_each_once(Lines& lines) {
  std::sort(lines.begin(), lines.end());
  size_t kept = 0;
  for (const uint64_t line : lines) {
    if (kept != 0 && lines[kept - 1] >> kSectorsOfLine == line >> kSectorsOfLine)
      lines[kept - 1] |= line;
    else
      lines[kept++] = line;
  }
  lines.resize(kept);
}

uint64_t bytes_of(const Lines& lines) {
  uint64_t sectors = 0;
  for (const uint64_t line : lines)
    sectors += static_cast<unsigned>(std::popcount(line & ((1u << kSectorsOfLine) - 1)));
  return sectors * kSectorBytes;
}

// "%rd29" of "ld.global.f32 %f1, [%rd29+-8];"
std::string_view address_register(std::string_view text) {
  const size_t open = text.find('[');
  if (open == std::string_view::npos) return {};
  text.remove_prefix(open + 1);
  return text.substr(0, text.find_first_of("+]"));
}

// The accesses to global memory, by TraceAccess::access.
struct Group {
  uint32_t bytes = 0;   // a lane; 0: no access to global memory
  uint32_t number = 0;  // the same for unrolled copies
};

std::vector<Group> groups_of(const KernelInfo& kernel) {
  std::vector<Group> groups;
  std::map<std::tuple<uint32_t, uint32_t, bool, std::string_view>, uint32_t> numbers;
  for (const InstructionInfo& i : kernel.instructions) {
    if (i.access == InstructionInfo::kNone || i.access_bytes == 0) continue;
    if (groups.size() <= i.access) groups.resize(size_t{i.access} + 1);
    if (!i.generic && i.memory != Memory::Global) continue;  // the first of a generic access is the global one
    const auto next = static_cast<uint32_t>(numbers.size());
    const auto [known, is_new] = numbers.try_emplace({i.file, i.line, i.store, address_register(i.text)}, next);
    groups[i.access] = {i.access_bytes, known->second};
  }
  return groups;
}

}  // namespace

std::vector<AccessReuse> reuse_of(const LaunchTrace& trace, const KernelInfo& kernel) {
  const std::vector<Group> groups = groups_of(kernel);
  std::vector<AccessReuse> of_group(groups.size());
  std::vector<Lines> in_block(groups.size()), in_grid(groups.size());
  size_t seen = 0;
  for (const BlockTrace& block : trace.blocks) {
    if (seen > kMostLines) break;
    for (const WarpTrace& warp : block.warps)
      for (const TraceAccess& a : warp.accesses) {
        if (a.space != AddressSpace::Global || a.access >= groups.size() || groups[a.access].bytes == 0) continue;
        const Group& group = groups[a.access];
        of_group[group.number].requested += uint64_t{a.lanes} * group.bytes;
        seen += a.line_count;
        for (uint32_t i = a.first_line; i < a.first_line + a.line_count; ++i)
          in_block[group.number].push_back(pack(warp.lines[i]));
      }
    for (size_t g = 0; g < in_block.size(); ++g) {
      Lines& lines = in_block[g];
      if (lines.empty()) continue;
      keep_each_once(lines);
      ++of_group[g].blocks;
      of_group[g].block_bytes += bytes_of(lines);
      in_grid[g].insert(in_grid[g].end(), lines.begin(), lines.end());
      lines.clear();
    }
  }
  for (size_t g = 0; g < in_grid.size(); ++g) {
    keep_each_once(in_grid[g]);
    of_group[g].grid_bytes = bytes_of(in_grid[g]);
  }
  std::vector<AccessReuse> reuse(groups.size());
  for (size_t access = 0; access < groups.size(); ++access)
    if (groups[access].bytes != 0) reuse[access] = of_group[groups[access].number];
  return reuse;
}

}  // namespace drywarp
