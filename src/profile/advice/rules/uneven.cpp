#include "profile/advice/rules/uneven.h"

#include <fmt/format.h>

#include "profile/advice/rules/hot_spots.h"

namespace drywarp::advice {
namespace {

constexpr double kOccupancyLoss = 10;  // points below the theoretical occupancy

}  // namespace

std::vector<EvidenceLine> loop_lines(const Facts& facts) {
  double all = 0;
  for (const InstructionFacts& i : facts.instructions) all += i.info->loop_exit ? double(i.sums.all().warps) : 0;
  return hot_lines(
      facts, {[](const auto& i) { return i.info->loop_exit ? double(i.sums.all().warps) : 0; }, "the trips of warps",
              all, [](const metrics::Sums& s) { return fmt::format("{} trips of warps", s.all().warps); }});
}

bool loses_occupancy(const Facts& facts) {
  const LimiterFacts& f = facts.limiter;
  if (facts.verdict && facts.verdict->saturated) return false;  // what saturates a unit has warps enough
  return f.theoretical_occupancy && f.achieved_occupancy &&
         *f.theoretical_occupancy - *f.achieved_occupancy > kOccupancyLoss;
}

}  // namespace drywarp::advice
