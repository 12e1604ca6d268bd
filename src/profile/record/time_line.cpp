#include "profile/record/time_line.h"

#include <algorithm>

#include "model/timeline/pipelined.h"
#include "model/timeline/simulator.h"

namespace drywarp::record {
namespace {

constexpr uint32_t kParts = 8;
constexpr size_t kMostOperations = 20'000;  // that are cut into parts

bool works(const timeline::Operation& o) { return o.kind != timeline::Kind::Mark && o.kind != timeline::Kind::Wait; }

}  // namespace

std::optional<TimeLine> time_line(const Profile& profile) {
  if (std::ranges::none_of(profile.operations, works)) return std::nullopt;
  TimeLine out;
  out.spans = timeline::time_line(profile.operations, profile.operation_numbers);
  out.totals = timeline::totals(profile.operations, out.spans);
  out.untimed = static_cast<uint64_t>(std::ranges::count_if(
      profile.operations, [](const timeline::Operation& o) { return works(o) && o.duration_ns == 0; }));
  return out;
}

std::optional<double> pipelined_seconds(const Profile& profile) {
  const auto& operations = profile.operations;
  if (operations.size() > kMostOperations || std::ranges::none_of(operations, works)) return std::nullopt;
  const auto parts = timeline::pipelined(operations, kParts);
  return 1e-9 * timeline::totals(parts, timeline::time_line(parts, profile.operation_numbers)).whole_ns;
}

}  // namespace drywarp::record
