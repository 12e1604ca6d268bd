// Divisions, square roots and functions that take many machine instructions each.
#include <fmt/format.h>

#include "profile/advice/rules/hot_spots.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kShareOfTime = 10;  // percent of the kernel's modelled time

struct SlowOperation {
  std::string_view prefix;
  const char* cure;
};
constexpr SlowOperation kSlow[] = {
    {"div.rn.f32", "Multiply by the reciprocal, or divide with __fdividef(a, b) where its error is small enough."},
    {"div.rn.f64", "Multiply by the reciprocal, computed once, or divide in single precision."},
    {"div.s", "Divide by a power of two with a shift, by a constant that the compiler sees, or not at all."},
    {"div.u", "Divide by a power of two with a shift, by a constant that the compiler sees, or not at all."},
    {"rem.s", "Replace the remainder: i & (n - 1) for a power of two, or a counter that starts again."},
    {"rem.u", "Replace the remainder: i & (n - 1) for a power of two, or a counter that starts again."},
    {"sqrt.rn.f32",
     "Use rsqrtf(x) for 1 / sqrtf(x), or compile with -prec-sqrt=false, where its error is small enough."},
    {"sqrt.rn.f64", "Take the root in single precision where its error is small enough."},
    {"rcp.rn", "Use __fdividef(1.f, x), or compile with -prec-div=false, where its error is small enough."},
};

const SlowOperation* slow(const InstructionFacts& i) {
  const std::string_view name = operation(*i.info);
  for (const SlowOperation& s : kSlow)
    if (name.starts_with(s.prefix)) return &s;
  return nullptr;
}

}  // namespace

std::optional<Finding> slow_arithmetic(const Facts& facts) {
  double all = 0, spent = 0;
  const InstructionFacts* worst = nullptr;
  for (const InstructionFacts& i : facts.instructions) {
    const double cycles = warp_cycles(i);
    all += cycles;
    if (!slow(i)) continue;
    spent += cycles;
    if (!worst || cycles > warp_cycles(*worst)) worst = &i;
  }
  if (!worst || all <= 0 || 100 * spent < kShareOfTime * all) return std::nullopt;
  Finding finding;
  finding.lines = hot_lines(
      facts, {[](const auto& i) { return slow(i) ? warp_cycles(i) : 0; }, "the time", all,
              [](const metrics::Sums& s) { return fmt::format("{} slow operations of warps", s.all().warps); }});
  finding.headline = fmt::format("replace the {}", operation(*worst->info));
  finding.observation = fmt::format(
      "{:.0f} % of the time is in divisions, remainders, roots and reciprocals, which have no instruction of their own",
      100 * spent / all);
  finding.cure = slow(*worst)->cure;
  return finding;
}

}  // namespace drywarp::advice
