#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "base/support/plural.h"
#include "profile/gates/writers.h"

namespace drywarp::gates {
namespace {

std::string extent(const record::Extent& e) {
  if (e.z != 1) return fmt::format("{}x{}x{}", e.x, e.y, e.z);
  return e.y != 1 ? fmt::format("{}x{}", e.x, e.y) : fmt::format("{}", e.x);
}

void write_finding(std::ostream& out, const Expectation& e, const Finding& f) {
  fmt::print(out, "    {}, {} (grid {}, block {})\n      {}\n", f.kernel, launches_text(f), extent(f.grid),
             extent(f.block), message(e, f));
  for (const Place& place : f.places) {
    if (place.line == 0) continue;
    fmt::print(out, "      {}:{}: {}\n", place.file, place.line,
               place.value ? value_text(e, *place.value) : "the kernel begins here");
    if (!place.source.empty()) fmt::print(out, "        {}\n", place.source);
  }
}

}  // namespace

void write_text(std::ostream& out, std::span<const Outcome> outcomes) {
  const auto holding = std::ranges::count_if(outcomes, &Outcome::holds);
  fmt::print(out, "Expectations: {} of {} hold\n", holding, outcomes.size());
  for (const Outcome& o : outcomes) {
    const uint64_t launches = o.launches();
    fmt::print(out, "  {}  {}{}\n", o.holds() ? "holds " : "BROKEN", o.expectation.full_text(),
               o.holds() ? fmt::format("  ({})", plural(launches, "launch")) : "");
    if (!o.expectation.title.empty()) fmt::print(out, "    {}\n", o.expectation.title);
    for (const Finding& f : o.findings)
      if (!f.holds) write_finding(out, o.expectation, f);
  }
}

}  // namespace drywarp::gates
