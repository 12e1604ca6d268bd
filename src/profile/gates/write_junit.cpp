#include <fmt/format.h>

#include <map>
#include <ostream>
#include <vector>

#include "profile/gates/writers.h"
#include "profile/results/results.h"

namespace drywarp::gates {
namespace {

results::TestCase::Failure failure(const Expectation& e, const std::vector<const Finding*>& broken) {
  std::string text;
  for (const Finding* f : broken) {
    text += fmt::format("{}: {}\n", launches_text(*f), message(e, *f));
    for (const Place& p : f->places)
      if (p.line != 0)
        text += fmt::format("  {}:{}{}  {}\n", p.file, p.line, p.value ? ": " + value_text(e, *p.value) : "", p.source);
  }
  return {message(e, *broken.front()), "expectation", text};
}

}  // namespace

void write_junit(std::ostream& out, std::span<const Outcome> outcomes, const std::string& program) {
  std::vector<results::TestCase> cases;
  for (const Outcome& o : outcomes) {
    const Expectation& e = o.expectation;
    const std::string name = e.title.empty() ? e.full_text() : fmt::format("{}: {}", e.title, e.full_text());
    std::map<std::string, std::vector<const Finding*>> by_kernel;
    for (const Finding& f : o.findings) {
      auto& broken = by_kernel[f.kernel];
      if (!f.holds) broken.push_back(&f);
    }
    for (const auto& [kernel, broken] : by_kernel) {
      cases.push_back({kernel, name, {}});
      if (!broken.empty()) cases.back().failure = failure(e, broken);
    }
  }
  results::write_junit(out, cases, program);
}

}  // namespace drywarp::gates
