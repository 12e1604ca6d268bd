#include "faces/profilers/ncu/rules.h"

#include <fmt/format.h>

namespace drywarp::profilers::ncu {
namespace {

constexpr std::string_view kLimiterSection = "SpeedOfLight";

struct SectionOfItem {
  advice::Item item;
  std::string_view section;
};
constexpr SectionOfItem kSectionOfItem[] = {
    {advice::Item::Occupancy, "Occupancy"},
    {advice::Item::Coalescing, "SourceCounters"},
    {advice::Item::Divergence, "WarpStateStats"},
    {advice::Item::Tiling, "MemoryWorkloadAnalysis"},
    {advice::Item::Privatization, "MemoryWorkloadAnalysis"},
    {advice::Item::Coarsening, "WarpStateStats"},
    {advice::Item::Latency, "WarpStateStats"},
    {advice::Item::Banks, "MemoryWorkloadAnalysis_Tables"},
    {advice::Item::Arithmetic, "InstructionStats"},
    {advice::Item::Transfers, ""},  // of the whole run, which has no section
    {advice::Item::Launches, ""},
};
static_assert(std::size(kSectionOfItem) == advice::kItems);

std::string sentence(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

RuleResult of_limiter(const advice::Verdict& limiter) {
  // A saturated unit is a fact; below that something can be improved.
  return {"limiter", limiter.saturated ? "INF" : "OPT", sentence(limiter.text), {}};
}

RuleResult of_advice(const advice::Advice& advice) {
  const advice::Finding& finding = advice.finding;
  RuleResult result{advice.rule->key, advice.is_worth_it() ? "OPT" : "INF", sentence(finding.headline), {}};
  for (const std::string& part : {finding.observation, finding.cure})
    if (!part.empty()) result.text += " " + sentence(part);
  if (advice.gain && advice.gain->factor >= 1) result.speedup = 100 * (1 - 1 / advice.gain->factor);
  return result;
}

}  // namespace

std::string_view section_of(advice::Item item) {
  for (const SectionOfItem& row : kSectionOfItem)
    if (row.item == item) return row.section;
  return {};
}

std::vector<RuleResult> rule_results(std::string_view section, const advice::Verdict* limiter,
                                     std::span<const advice::Advice> advice) {
  std::vector<RuleResult> results;
  if (limiter && section == kLimiterSection) results.push_back(of_limiter(*limiter));
  for (const advice::Advice& each : advice)
    if (section == section_of(each.rule->item)) results.push_back(of_advice(each));
  return results;
}

}  // namespace drywarp::profilers::ncu
