// Blocks whose last warp is not full.
#include <fmt/format.h>

#include <cmath>

#include "base/support/plural.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr uint64_t kLanes = 32;

}  // namespace

std::optional<Finding> partial_warps(const Facts& facts) {
  const auto size = facts.metric("launch__block_size");
  const auto threads = uint64_t(std::llround(size.value_or(0)));
  if (threads % kLanes == 0) return std::nullopt;
  const uint64_t warps = (threads + kLanes - 1) / kLanes, idle = warps * kLanes - threads;
  Finding finding;
  finding.headline = fmt::format("launch blocks of {} threads", threads < kLanes ? kLanes : threads - threads % kLanes);
  finding.observation =
      fmt::format("a block has {}: its last warp has {} that never {}, of {} in all", plural(threads, "thread"),
                  plural(idle, "lane"), idle == 1 ? "works" : "work", warps * kLanes);
  finding.cure = "Choose a multiple of 32 threads a block, 128 to 256 as a first try, and bound the index with an if.";
  finding.evidence = {{"launch__block_size", double(threads), "thread"}};
  return finding;
}

}  // namespace drywarp::advice
