// Multiplications and additions that are not fused.
#include <fmt/format.h>

#include <algorithm>

#include "base/support/readable.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {

std::optional<Finding> unfused(const Facts& facts) {
  if (!facts.verdict || facts.verdict->limiter != Limiter::Compute) return std::nullopt;
  const double add = facts.metric("flop_count_sp_add").value_or(0), mul = facts.metric("flop_count_sp_mul").value_or(0);
  const double fused = facts.metric("flop_count_sp_fma").value_or(0);
  if (std::min(add, mul) == 0 || std::min(add, mul) <= fused) return std::nullopt;
  Finding finding;
  finding.headline = "fuse multiplications with additions";
  finding.observation = fmt::format("{} additions and {} multiplications, but {} fused multiply-adds", readable(add),
                                    readable(mul), readable(fused));
  finding.cure = "Write a * b + c, or fmaf(a, b, c), and compile without -fmad=false: one instruction instead of two.";
  finding.evidence = {
      {"flop_count_sp_add", add, "flop"}, {"flop_count_sp_mul", mul, "flop"}, {"flop_count_sp_fma", fused, "flop"}};
  return finding;
}

}  // namespace drywarp::advice
