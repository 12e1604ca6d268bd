// Loads that a store beside them keeps in the loop: without __restrict__ the compiler must assume that the store
// changes what is loaded.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kTimesLoaded = 2;  // by each warp

}  // namespace

std::optional<Finding> read_only_loads(const Facts& facts) {
  const double warps = facts.metric("smsp__warps_launched.sum").value_or(0);
  if (warps == 0) return std::nullopt;
  // The basic blocks that store, and the pointers that they store through.
  std::set<uint32_t> storing;
  std::set<unsigned> written;
  for (const InstructionFacts& i : facts.instructions) {
    const bool stores = i.sums.of(Memory::Global, metrics::AccessKind::Store).requests +
                            i.sums.of(Memory::Global, metrics::AccessKind::Atomic).requests !=
                        0;
    if (!stores) continue;
    const AddressBase& base = i.base;
    if (!base.parameter) return std::nullopt;  // it may write anything
    storing.insert(i.info->block);
    written.insert(*base.parameter);
  }
  std::vector<AccessSite> sites;
  for (AccessSite& s : access_sites(facts, Memory::Global)) {
    if (s.kind != metrics::AccessKind::Load || s.instruction->info->text.find(".nc.") != std::string::npos) continue;
    const double loaded = double(s.instruction->sums.of(Memory::Global, s.kind).requests);
    if (!storing.contains(s.instruction->info->block) || loaded < kTimesLoaded * warps) continue;
    const AddressBase& base = s.instruction->base;
    // The same element each time: the compiler would keep it in a register.
    if (s.instruction->moves) continue;
    const AccessReuse* reuse = s.sample() ? &s.sample()->reuse : nullptr;
    const bool repeats = reuse && reuse->block_bytes != 0 && reuse->requested >= 2 * reuse->block_bytes;
    if (base.parameter && !written.contains(*base.parameter) && repeats) sites.push_back(std::move(s));
  }
  if (sites.empty()) return std::nullopt;
  Finding finding;
  const std::string names = names_of(facts, sites);
  finding.headline = fmt::format("declare {} const and __restrict__", names);
  finding.observation = fmt::format(
      "{} is only read, but each iteration loads it again: the store beside it may change it, as far as the compiler "
      "knows",
      names);
  finding.cure =
      "Declare the pointers __restrict__, and const what is only read: the compiler keeps the value in a register, or "
      "loads it through the read-only path.";
  finding.sketch = {
      fmt::format("const {}* __restrict__ {}", element_type(sites.front()), name_of(facts, sites.front()))};
  finding.lines = evidence_lines(facts, sites);
  return finding;
}

}  // namespace drywarp::advice
