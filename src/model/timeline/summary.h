// What a time line amounts to: how long, how much of it ran at the same time, and what the end waited for.
#pragma once

#include <array>
#include <vector>

#include "model/timeline/operation.h"

namespace drywarp::timeline {

// Parts of the critical path: kinds that take engines, as Kind; what is between them; the host's calls.
inline constexpr unsigned kGaps = unsigned(Kind::Mark), kHost = unsigned(Kind::Wait);

struct Totals {
  double whole_ns = 0;                       // from the first start to the last end
  std::array<double, kKinds> busy_ns{};      // while at least one operation of the kind runs
  double any_ns = 0;                         // while any runs
  double together_ns = 0;                    // how much longer the kinds' times would be, one after the other
  double possible_ns = 0;                    // the same if the longest kind hid all others
  std::array<double, kKinds> critical_ns{};  // of the whole, by what the last end waited for
};

[[nodiscard]] Totals totals(const std::vector<Operation>& operations, const std::vector<Span>& spans);

}  // namespace drywarp::timeline
