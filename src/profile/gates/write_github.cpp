#include <fmt/format.h>

#include <ostream>

#include "profile/gates/writers.h"
#include "profile/results/results.h"

namespace drywarp::gates {

void write_github(std::ostream& out, std::span<const Outcome> outcomes, const std::string& root) {
  std::vector<results::Problem> problems;
  for (const Outcome& o : outcomes)
    for (const Finding& f : o.findings) {
      if (f.holds) continue;
      const Expectation& e = o.expectation;
      results::Problem p;
      p.title = e.title.empty() ? e.full_text() : e.title;
      p.message = fmt::format("{}, {}: {}", f.kernel, launches_text(f), message(e, f));
      if (!f.places.empty()) p.locations.push_back({f.places.front().file, f.places.front().line, {}, {}});
      problems.push_back(std::move(p));
    }
  results::write_github(out, problems, root);
}

}  // namespace drywarp::gates
