#include "profile/advice/evaluate.h"

namespace drywarp::advice {

std::optional<Verdict> limiter_of(const metrics::Sums& sums, const metrics::Facts& facts) {
  if (!facts.time) return std::nullopt;
  return find_limiter(read_facts([&](const std::string& name) {
    const metrics::Metric* metric = metrics::find_metric(name);
    return metric ? metric->evaluate(sums, facts) : std::nullopt;
  }));
}

}  // namespace drywarp::advice
