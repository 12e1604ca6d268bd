// Fewer blocks than multiprocessors.
#include <fmt/format.h>

#include <algorithm>

#include "base/support/plural.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {

std::optional<Finding> small_grid(const Facts& facts) {
  const LimiterFacts& f = facts.limiter;
  if (!f.blocks || !f.multiprocessors || *f.blocks >= *f.multiprocessors) return std::nullopt;
  const double sms = *f.multiprocessors;
  Finding finding;
  finding.headline = "launch more blocks than the device has multiprocessors";
  if (const auto& all = f.all_blocks) {
    const double idle = std::max(0.0, sms - all->most);
    finding.observation = fmt::format(
        "grids of {:.0f} to {:.0f} blocks, {} launches, for {:.0f} multiprocessors: {} {:.0f} stand idle", all->least,
        all->most, f.launches, sms, idle > 0 ? fmt::format("{:.0f} to", idle) : "up to", sms - all->least);
  } else {
    finding.observation = fmt::format("the grid has {} for {:.0f} multiprocessors: {:.0f} stand idle",
                                      plural(uint64_t(*f.blocks), "block"), sms, sms - *f.blocks);
  }
  finding.cure = "Give each block less work, or launch independent kernels beside it in other streams.";
  finding.evidence = {{"launch__grid_size", *f.blocks, "block", f.all_blocks},
                      {"device__attribute_multiprocessor_count", sms, "SM"}};
  return finding;
}

}  // namespace drywarp::advice
