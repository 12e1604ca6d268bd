#include "model/timeline/summary.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace drywarp::timeline {
namespace {

bool works(const Operation& o) { return o.kind != Kind::Mark && o.kind != Kind::Wait; }

double united(std::vector<std::pair<double, double>> parts) {
  std::ranges::sort(parts);
  double sum = 0, until = -std::numeric_limits<double>::infinity();
  for (const auto& [start, end] : parts) {
    if (end > until) sum += end - std::max(start, until);
    until = std::max(until, end);
  }
  return sum;
}

}  // namespace

Totals totals(const std::vector<Operation>& operations, const std::vector<Span>& spans) {
  Totals out;
  std::array<std::vector<std::pair<double, double>>, kKinds> parts;
  std::vector<std::pair<double, double>> all;
  uint32_t last = kNone;
  double first = std::numeric_limits<double>::infinity();
  for (uint32_t i = 0; i < spans.size(); ++i) {
    if (!works(operations[i])) continue;
    parts[unsigned(operations[i].kind)].emplace_back(spans[i].start, spans[i].end);
    all.emplace_back(spans[i].start, spans[i].end);
    first = std::min(first, spans[i].start);
    if (last == kNone || spans[i].end > spans[last].end) last = i;
  }
  if (last == kNone) return out;
  out.whole_ns = spans[last].end - first;
  double sum = 0, longest = 0;
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    out.busy_ns[kind] = united(std::move(parts[kind]));
    sum += out.busy_ns[kind], longest = std::max(longest, out.busy_ns[kind]);
  }
  out.any_ns = united(std::move(all));
  out.together_ns = sum - out.any_ns;
  out.possible_ns = sum - longest;

  // From the end back: each step accounts for the time between the new `at` and the old one.
  double at = spans[last].end;
  const auto account = [&](unsigned what, double from) {
    if (from < at) out.critical_ns[what] += at - std::max(from, first), at = std::max(from, first);
  };
  for (uint32_t i = last; i != kNone && at > first;) {
    const Span& span = spans[i];
    if (works(operations[i])) account(unsigned(operations[i].kind), span.start);
    const uint32_t before = span.because;
    const double ended = before == kNone ? first : spans[before].end;
    account(span.cause == Cause::Host ? kHost : kGaps, ended);
    i = before;
  }
  return out;
}

}  // namespace drywarp::timeline
