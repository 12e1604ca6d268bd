// Two neighbouring blocks as one with coarser threads: what both load is loaded once. The instructions that both would
// run once, too, stay: this bounds what coarsening saves in memory, not what it saves in instructions.
#include <algorithm>

#include "model/whatif/changes.h"

namespace drywarp::whatif {
namespace {

// Removes what `second` loads as `first` does. The instructions stay: they issue and request nothing.
bool share(const WarpTrace& first, WarpTrace& second, const std::vector<bool>& loads) {
  if (first.accesses.size() != second.accesses.size()) return false;  // they took other paths
  auto partner = first.accesses.begin();
  return std::erase_if(second.accesses, [&](const TraceAccess& b) {
           const TraceAccess& a = *partner++;
           return loads_global(b, loads) && a.access == b.access && a.step == b.step &&
                  touch_the_same(first, a, second, b);
         }) != 0;
}

}  // namespace

bool coarsen(TimedLaunch& l, const KernelInfo& kernel) {
  const std::vector<bool> loads = loads_of(kernel);
  auto& blocks = l.trace.blocks;
  bool any = false;
  for (size_t b = 0; b + 1 < blocks.size(); b += 2)
    for (size_t w = 0; w < std::min(blocks[b].warps.size(), blocks[b + 1].warps.size()); ++w)
      any = share(blocks[b].warps[w], blocks[b + 1].warps[w], loads) || any;
  return any;
}

}  // namespace drywarp::whatif
