// Warps that touch far more sectors than their bytes need.
#include <fmt/format.h>

#include <algorithm>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kUncoalescedExcess = 50;          // percent of the sectors of global loads and stores
constexpr double kSectorsOfBroadcast = 4;  // a request: up to here a low efficiency can be a broadcast's

struct Kind {
  metrics::AccessKind kind;
  const char *efficiency, *sectors;
};
constexpr Kind kKinds[] = {
    {metrics::AccessKind::Load, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"},
    {metrics::AccessKind::Store, "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"},
};

// From a GPU's counters, which do not say how many sectors would do.
bool is_wasteful(const Facts& facts, const Kind& kind) {
  const auto efficiency = facts.metric(kind.efficiency), sectors = facts.metric(kind.sectors);
  return efficiency && sectors && *efficiency < 100 - kUncoalescedExcess && *sectors > kSectorsOfBroadcast;
}

bool is_wasteful(const AccessSite& site) { return 100 * double(site.sums.excess) >= kUncoalescedExcess * double(site.sums.units); }

}  // namespace

std::optional<Finding> uncoalesced(const Facts& facts) {
  std::vector<AccessSite> sites = wasteful_sites(facts, Memory::Global);
  std::erase_if(sites, [](const AccessSite& s) { return !is_wasteful(s); });
  std::string kinds;
  for (const Kind& kind : kKinds) {
    const bool here = facts.instructions.empty()
                          ? is_wasteful(facts, kind)
                          : std::ranges::find(sites, kind.kind, &AccessSite::kind) != sites.end();
    if (here) kinds += fmt::format("{}{}s", kinds.empty() ? "" : " and ", access_name(kind.kind));
  }
  if (kinds.empty()) return std::nullopt;
  Finding finding;
  finding.headline = "coalesce the global " + kinds;
  finding.observation = sites.empty() ? fmt::format("global {} use less than half of the bytes that they move", kinds)
                                      : units_text(sites.front());
  finding.cure =
      "Let neighbouring threads access neighbouring elements: rearrange the threads (which index is threadIdx.x's), or "
      "rearrange the data (a structure of arrays, a transposed matrix), or load rows into a tile in shared memory and "
      "read its columns there (corner turning).";
  for (const Kind& kind : kKinds) {
    add_evidence(finding, facts, kind.efficiency, "%");
    add_evidence(finding, facts, kind.sectors, "sector/request");
  }
  finding.lines = evidence_lines(facts, sites);
  finding.explain = "access";
  return finding;
}

}  // namespace drywarp::advice
