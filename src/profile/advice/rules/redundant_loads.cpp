// Blocks that load the same elements: threads that do the work of several blocks would load them once (coarsening).
#include <fmt/format.h>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kBlocksAlike = 2;       // recorded blocks that load the same bytes, on average
constexpr double kTiledAlready = 2;      // times that a block loads an element: more is `tiling`'s
constexpr double kSectorsOfKernel = 10;  // percent of the kernel's global sectors

bool is_redundant(const Facts& facts, const AccessSite& s, double all_sectors) {
  const AccessSample* sample = s.sample();
  if (s.kind != metrics::AccessKind::Load || !sample) return false;
  // Of bad patterns, blocks share sectors of which each wants a part.
  const LanePattern pattern = layout_of(facts, s).pattern;
  if (pattern != LanePattern::Contiguous && pattern != LanePattern::Broadcast) return false;
  const AccessReuse& r = sample->reuse;
  return r.blocks > 1 && double(r.block_bytes) >= kBlocksAlike * double(r.grid_bytes) &&
         double(r.requested) <= kTiledAlready * double(r.block_bytes) &&
         100 * double(s.sums.units) >= kSectorsOfKernel * all_sectors;
}

}  // namespace

std::optional<Finding> redundant_loads(const Facts& facts) {
  std::vector<AccessSite> sites = access_sites(facts, Memory::Global);
  double all = 0;
  for (const AccessSite& s : sites) all += double(s.sums.units);
  std::erase_if(sites, [&](const AccessSite& s) { return !is_redundant(facts, s, all); });
  if (sites.empty()) return std::nullopt;
  const AccessReuse& r = sites.front().sample()->reuse;
  const std::string names = names_of(facts, sites);
  Finding finding;
  finding.headline = fmt::format("coarsen: let a block use {} for several results", names);
  finding.observation = fmt::format("the {} recorded blocks load each part of {} {:.3g} times between them", r.blocks,
                                    name_of(facts, sites.front()), double(r.block_bytes) / double(r.grid_bytes));
  finding.cure = fmt::format(
      "Let each thread compute 2 or 4 results that need the same part of {}, so that it is loaded once for all of "
      "them. "
      "That costs registers and blocks: stop where occupancy falls.",
      names);
  add_evidence(finding, facts, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector");
  finding.lines = evidence_lines(facts, sites);
  return finding;
}

}  // namespace drywarp::advice
