#include <fmt/format.h>

#include <ostream>

#include "profile/gates/writers.h"
#include "profile/results/results.h"

namespace drywarp::gates {
namespace {

results::Location location(const Expectation& e, const Place& place) {
  return {place.file, place.line, place.source,
          place.value ? fmt::format("{} {}", e.metric_name, value_text(e, *place.value)) : std::string()};
}

results::Problem problem(const Expectation& e, const Finding& f) {
  results::Problem p;
  p.rule = e.full_text();
  p.message = fmt::format("{}, {}: {}", f.kernel, launches_text(f), message(e, f));
  for (const Place& place : f.places)
    if (place.line != 0) (p.locations.empty() ? p.locations : p.related).push_back(location(e, place));
  // Code hosts refuse results without a place: a program without lines fails at its line of the contract.
  if (p.locations.empty() && e.where.known()) p.locations.push_back({e.where.file, e.where.line, {}, {}});
  return p;
}

}  // namespace

void write_sarif(std::ostream& out, std::span<const Outcome> outcomes, const std::string& version,
                 const std::string& root) {
  std::vector<results::Rule> rules;
  std::vector<results::Problem> problems;
  for (const Outcome& o : outcomes) {
    const Expectation& e = o.expectation;
    rules.push_back({e.full_text(), e.title.empty() ? e.full_text() : e.title, std::string(e.metric->description)});
    for (const Finding& f : o.findings)
      if (!f.holds) problems.push_back(problem(e, f));
  }
  results::write_sarif(out, rules, problems, version, root);
}

}  // namespace drywarp::gates
