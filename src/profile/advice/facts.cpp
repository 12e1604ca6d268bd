#include "profile/advice/facts.h"

#include <algorithm>

namespace drywarp::advice {
namespace {

using metrics::AccessKind;

// A copy with a sample, and of those the one that moved most.
bool is_better(const InstructionFacts& a, const InstructionFacts& than, Memory memory, AccessKind kind) {
  if ((a.sample != nullptr) != (than.sample != nullptr)) return a.sample != nullptr;
  return a.sums.of(memory, kind).units > than.sums.of(memory, kind).units;
}

}  // namespace

void Facts::set_resources(const sm::Summary& time) {
  spill_bytes = time.spill_bytes;
  if (time.warp_balance_pct > 0) balance = Balance{time.warp_balance_pct, time.block_balance_pct};
}

const LineFacts* Facts::find_line(const std::string& file, uint32_t line) const {
  const auto found = std::ranges::find_if(lines, [&](const LineFacts& l) { return l.line == line && l.file == file; });
  return found == lines.end() ? nullptr : &*found;
}

std::vector<AccessSite> access_sites(const Facts& facts, Memory memory) {
  std::vector<AccessSite> sites;
  for (const InstructionFacts& i : facts.instructions)
    for (const AccessKind kind : {AccessKind::Load, AccessKind::Store, AccessKind::Atomic}) {
      const metrics::AccessSums& sums = i.sums.of(memory, kind);
      if (sums.requests == 0) continue;
      auto site = std::ranges::find_if(sites, [&](const AccessSite& s) {
        return s.line == i.info->line && s.file == i.file && s.kind == kind &&
               (s.line != 0 ? s.instruction->base == i.base : s.instruction == &i);
      });
      if (site == sites.end()) {
        sites.push_back({i.file, i.info->line, memory, kind, sums, &i});
        continue;
      }
      site->sums += sums;
      if (is_better(i, *site->instruction, memory, kind)) site->instruction = &i;
    }
  return sites;
}

}  // namespace drywarp::advice
