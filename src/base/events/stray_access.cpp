#include "base/events/stray_access.h"

#include <algorithm>
#include <tuple>

namespace drywarp {
namespace {

auto site_of(const StrayAccess& a) { return std::tie(a.place, a.instruction); }

}  // namespace

void add(std::vector<StrayAccess>& all, const StrayAccess& more) {
  const auto known = std::ranges::lower_bound(all, site_of(more), {}, site_of);
  if (known == all.end() || site_of(*known) != site_of(more)) {
    all.insert(known, more);
    return;
  }
  const uint64_t times = known->times + more.times;
  if (more.block < known->block) *known = more;
  known->times = times;
}

}  // namespace drywarp
