#include "faces/profilers/ncu/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "faces/profilers/ncu/layout.h"
#include "profile/advice/rules/advise.h"
#include "profile/report/writers/layout.h"

namespace drywarp::profilers::ncu {
namespace {

constexpr std::string_view kLimiterSection = "SpeedOfLight", kLimiter = "limiter";

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

// Nsight Compute's rules on the same matter, by which `--rule` chooses ours too.
struct SameMatter {
  std::string_view theirs, ours;
};
constexpr SameMatter kSameMatter[] = {{"SOLBottleneck", kLimiter},
                                      {"Compute", kLimiter},
                                      {"Memory", kLimiter},
                                      {"AchievedOccupancy", "uneven_warps"},
                                      {"TheoreticalOccupancy", "block_size"},
                                      {"TheoreticalOccupancy", "unused_shared"},
                                      {"LaunchConfiguration", "small_grid"},
                                      {"LaunchConfiguration", "tail"},
                                      {"LaunchConfiguration", "partial_warps"},
                                      {"CPIStall", "exposed_loads"},
                                      {"CPIStall", "barriers"},
                                      {"ThreadDivergence", "divergence"},
                                      {"ThreadDivergence", "uneven_threads"},
                                      {"UncoalescedGlobalAccess", "row_column"},
                                      {"UncoalescedGlobalAccess", "uncoalesced"},
                                      {"UncoalescedGlobalAccess", "misaligned"},
                                      {"SharedMemoryConflicts", "bank_conflicts"},
                                      {"UncoalescedSharedAccess", "bank_conflicts"},
                                      {"FPInstructions", "unfused"}};

// One line of --list-rules.
struct ListedRule {
  std::string_view key, name, description;
};
std::vector<ListedRule> listed_rules() {
  std::vector<ListedRule> all = {{kLimiter, "what limits the launch", "which unit is busy, or what warps wait for"}};
  for (const advice::Rule& rule : advice::all_rules())
    all.push_back({rule.key, advice::text(rule.item).title, rule.source});
  std::ranges::sort(all, {}, &ListedRule::key);
  return all;
}

std::string sentence(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

RuleResult of_limiter(const advice::Verdict& limiter) {
  // A saturated unit is a fact; below that something can be improved.
  return {std::string(kLimiter), limiter.saturated ? "INF" : "OPT", sentence(limiter.text), {}};
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

std::vector<std::string> select_rules(std::span<const std::string> names, std::vector<std::string>& notes) {
  const std::vector<ListedRule> rules = listed_rules();
  std::vector<std::string> chosen;
  for (const std::string& name : names) {
    const size_t before = chosen.size();
    for (const SameMatter& same : kSameMatter)
      if (same.theirs == name) chosen.emplace_back(same.ours);
    if (std::ranges::find(rules, name, &ListedRule::key) != rules.end()) chosen.push_back(name);
    if (chosen.size() == before)
      notes.push_back(fmt::format("--rule {}: drywarp has no such rule; --list-rules has them", name));
  }
  return chosen;
}

void list_rules(std::ostream& out) {
  constexpr size_t kDescription = 30;
  constexpr const char* kFile = "(built in)";
  TextTable table{{"Identifier", "Display Name", "Description", "Filename"}, {}, TableStyle::List};
  for (const ListedRule& rule : listed_rules()) {
    bool first = true;
    for (const std::string& line : report::wrapped(std::string(rule.description), kDescription)) {
      if (first)
        table.rows.push_back({std::string(rule.key), std::string(rule.name), line, kFile});
      else
        table.rows.push_back({"", "", line, ""});
      first = false;
    }
  }
  table.head[2].resize(kDescription, ' ');
  table.print(out, 0);
}

}  // namespace drywarp::profilers::ncu
