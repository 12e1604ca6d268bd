#include "base/events/access_reuse.h"

#include <algorithm>

namespace drywarp {
namespace {

constexpr unsigned kSectorsOfLine = kLineBytes / kSectorBytes;

void keep_each_once(std::vector<uint64_t>& sectors) {
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
}

// By TraceAccess::access: bytes a lane of accesses to global memory; 0 for others.
std::vector<uint32_t> lane_bytes(const KernelInfo& kernel) {
  std::vector<uint32_t> bytes;
  for (const InstructionInfo& i : kernel.instructions) {
    if (i.access == InstructionInfo::kNone || i.access_bytes == 0) continue;
    const bool global = i.generic || i.memory == Memory::Global;  // the first of a generic access is the global one
    if (bytes.size() <= i.access) bytes.resize(size_t{i.access} + 1);
    bytes[i.access] = global ? i.access_bytes : 0;
  }
  return bytes;
}

}  // namespace

std::vector<AccessReuse> reuse_of(const LaunchTrace& trace, const KernelInfo& kernel) {
  const std::vector<uint32_t> bytes = lane_bytes(kernel);
  std::vector<AccessReuse> reuse(bytes.size());
  std::vector<std::vector<uint64_t>> of_block(bytes.size()), of_grid(bytes.size());
  for (const BlockTrace& block : trace.blocks) {
    for (const WarpTrace& warp : block.warps)
      for (const TraceAccess& a : warp.accesses) {
        if (a.space != AddressSpace::Global || a.access >= bytes.size() || bytes[a.access] == 0) continue;
        reuse[a.access].requested += uint64_t{a.lanes} * bytes[a.access];
        for (uint32_t i = a.first_line; i < a.first_line + a.line_count; ++i)
          for (unsigned s = 0; s < kSectorsOfLine; ++s)
            if ((warp.lines[i].sectors() >> s & 1) != 0)
              of_block[a.access].push_back(warp.lines[i].number() * kSectorsOfLine + s);
      }
    for (size_t access = 0; access < of_block.size(); ++access) {
      std::vector<uint64_t>& sectors = of_block[access];
      if (sectors.empty()) continue;
      keep_each_once(sectors);
      ++reuse[access].blocks;
      reuse[access].block_bytes += sectors.size() * kSectorBytes;
      of_grid[access].insert(of_grid[access].end(), sectors.begin(), sectors.end());
      sectors.clear();
    }
  }
  for (size_t access = 0; access < of_grid.size(); ++access) {
    keep_each_once(of_grid[access]);
    reuse[access].grid_bytes = of_grid[access].size() * kSectorBytes;
  }
  return reuse;
}

}  // namespace drywarp
