// Threads of a block that load the same elements from global memory again and again: a tile in shared memory would load
// each once.
#include <fmt/format.h>

#include <algorithm>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kReuseOfBlock = 8;    // times that a block loads an element
constexpr double kExcessOfLoads = 50;  // percent of the sectors of global loads, as `uncoalesced`
constexpr uint64_t kLeastTile = 256;   // bytes that a block loads: less is a few values that all threads read
constexpr double kLoadsOfKernel = 2;   // percent of its PTX warp instructions

double times_of_block(const AccessReuse& r) {
  return r.block_bytes == 0 ? 0 : double(r.requested) / double(r.block_bytes);
}

bool is_tileable(const Facts& facts, const AccessSite& s, double all_warps) {
  const AccessSample* sample = s.sample();
  if (s.kind != metrics::AccessKind::Load || !sample || times_of_block(sample->reuse) < kReuseOfBlock) return false;
  if (sample->reuse.block_bytes < kLeastTile * sample->reuse.blocks) return false;
  // A row that its own thread walks along is row_column's: sectors that are touched again are not loaded anew.
  const LanePattern pattern = layout_of(facts, s).pattern;
  if (pattern == LanePattern::Rows || pattern == LanePattern::Scattered) return false;
  return 100 * double(s.sums.requests) >= kLoadsOfKernel * all_warps;
}

// While loads are not coalesced that comes first: what hits in L1 and what is loaded anew changes with it.
bool loads_are_coalesced(const std::vector<AccessSite>& sites) {
  double excess = 0, all = 0;
  for (const AccessSite& s : sites)
    if (s.kind == metrics::AccessKind::Load) excess += double(s.sums.excess), all += double(s.sums.units);
  return 100 * excess < kExcessOfLoads * all;
}

std::string reuse_text(const Facts& facts, const AccessSite& site) {
  const AccessReuse& r = site.sample()->reuse;
  const uint64_t blocks = facts.grid.count();
  std::string text =
      fmt::format("each element of {} is loaded {:.3g} times by a block", name_of(facts, site), times_of_block(r));
  if (r.blocks == blocks && r.grid_bytes != 0)
    text += fmt::format(", {:.0f} times by the grid", double(r.requested) / double(r.grid_bytes));
  return text;
}

}  // namespace

std::optional<Finding> tiling(const Facts& facts) {
  double all_warps = 0;
  for (const InstructionFacts& i : facts.instructions) all_warps += double(i.sums.all().warps);
  std::vector<AccessSite> sites = access_sites(facts, Memory::Global);
  if (!loads_are_coalesced(sites)) return std::nullopt;
  std::erase_if(sites, [&](const AccessSite& s) { return !is_tileable(facts, s, all_warps); });
  if (sites.empty()) return std::nullopt;
  const std::string names = names_of(facts, sites);
  Finding finding;
  finding.headline = fmt::format("tile {} in shared memory", names);
  for (const AccessSite& s : sites)
    finding.observation += (finding.observation.empty() ? "" : "; ") + reuse_text(facts, s);
  finding.cure = fmt::format(
      "Let the block load a tile of {} once, one element a thread, and read it from shared memory; then the next tile. "
      "What all threads read alike and nobody writes may be __constant__ instead.",
      names);
  for (const AccessSite& s : sites)
    if (const auto array = array_of(facts, s); array && finding.sketch.size() < 4) {
      const bool plane = facts.block.y > 1;
      finding.sketch.push_back(fmt::format("__shared__ {} {}_tile{}[{}];", element_type(s), array->name,
                                           plane ? fmt::format("[{}]", facts.block.y) : "", facts.block.x));
      finding.sketch.push_back(
          fmt::format("{0}_tile{1}[threadIdx.x] = {0}[...];", array->name, plane ? "[threadIdx.y]" : ""));
    }
  if (!finding.sketch.empty()) finding.sketch.emplace_back("__syncthreads();  // before and after the tile is used");
  add_evidence(finding, facts, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request");
  add_evidence(finding, facts, "l1tex__t_sector_hit_rate.pct", "%");
  finding.lines = evidence_lines(facts, sites);
  finding.explain = "access";
  return finding;
}

}  // namespace drywarp::advice
