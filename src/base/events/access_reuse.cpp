#include "base/events/access_reuse.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace drywarp {
namespace {

constexpr unsigned kSectorsOfLine = kLineBytes / kSectorBytes;

void keep_each_once(std::vector<uint64_t>& sectors) {
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
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
  std::vector<std::vector<uint64_t>> in_block(groups.size()), in_grid(groups.size());
  for (const BlockTrace& block : trace.blocks) {
    for (const WarpTrace& warp : block.warps)
      for (const TraceAccess& a : warp.accesses) {
        if (a.space != AddressSpace::Global || a.access >= groups.size() || groups[a.access].bytes == 0) continue;
        const Group& group = groups[a.access];
        of_group[group.number].requested += uint64_t{a.lanes} * group.bytes;
        for (uint32_t i = a.first_line; i < a.first_line + a.line_count; ++i)
          for (unsigned s = 0; s < kSectorsOfLine; ++s)
            if ((warp.lines[i].sectors() >> s & 1) != 0)
              in_block[group.number].push_back(warp.lines[i].number() * kSectorsOfLine + s);
      }
    for (size_t g = 0; g < in_block.size(); ++g) {
      std::vector<uint64_t>& sectors = in_block[g];
      if (sectors.empty()) continue;
      keep_each_once(sectors);
      ++of_group[g].blocks;
      of_group[g].block_bytes += sectors.size() * kSectorBytes;
      in_grid[g].insert(in_grid[g].end(), sectors.begin(), sectors.end());
      sectors.clear();
    }
  }
  for (size_t g = 0; g < in_grid.size(); ++g) {
    keep_each_once(in_grid[g]);
    of_group[g].grid_bytes = in_grid[g].size() * kSectorBytes;
  }
  std::vector<AccessReuse> reuse(groups.size());
  for (size_t access = 0; access < groups.size(); ++access)
    if (groups[access].bytes != 0) reuse[access] = of_group[groups[access].number];
  return reuse;
}

}  // namespace drywarp
