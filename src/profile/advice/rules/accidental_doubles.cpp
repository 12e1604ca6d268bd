// Single-precision values that are computed on in double precision.
#include <fmt/format.h>

#include "profile/advice/rules/hot_spots.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

bool widens(const InstructionFacts& i) { return operation(*i.info) == "cvt.f64.f32"; }
bool narrows(const InstructionFacts& i) { return operation(*i.info).ends_with(".f32.f64"); }

}  // namespace

std::optional<Finding> accidental_doubles(const Facts& facts) {
  double widened = 0, narrowed = 0;
  for (const InstructionFacts& i : facts.instructions) {
    if (widens(i)) widened += double(i.sums.all().executed);
    if (narrows(i)) narrowed += double(i.sums.all().executed);
  }
  // Only one of the two is a sum in double precision, or a result that is wanted in it.
  if (widened == 0 || narrowed == 0) return std::nullopt;
  Finding finding;
  finding.lines = hot_lines(
      facts, {[](const auto& i) { return widens(i) ? double(i.sums.all().executed) : 0; }, "the widenings", widened,
              [](const metrics::Sums& s) { return fmt::format("{} floats become doubles", s.all().executed); }});
  finding.headline = "stay in single precision";
  finding.observation =
      fmt::format("{:.0f} floats become doubles and {:.0f} doubles become floats again", widened, narrowed);
  finding.cure =
      "Give constants a suffix (0.5f, not 0.5) and call the functions of floats (sqrtf, expf): most GPUs compute "
      "doubles at "
      "a small part of the speed of floats.";
  if (const auto flops = facts.metric("flop_count_dp")) finding.evidence = {{"flop_count_dp", *flops, "flop"}};
  return finding;
}

}  // namespace drywarp::advice
