// Warps that touch far more sectors than their bytes need: strides, structures, narrow blocks, scattered addresses.
// Columns have a rule of their own (row_column), and so has misalignment.
#include <fmt/format.h>

#include <algorithm>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

using metrics::AccessKind;

constexpr double kUncoalescedExcess = 50;  // percent of the sectors of global loads and stores
constexpr double kSectorsOfBroadcast = 4;  // a request: up to here a low efficiency can be a broadcast's

struct CountedKind {
  AccessKind kind;
  const char *efficiency, *sectors;
};
constexpr CountedKind kCountedKinds[] = {
    {AccessKind::Load, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"},
    {AccessKind::Store, "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"},
};

constexpr const char* kRemedies =
    "Let neighbouring threads access neighbouring elements: rearrange the threads (which index is threadIdx.x's), or "
    "rearrange the data (a structure of arrays, a transposed matrix), or load rows into a tile in shared memory and "
    "read its columns there (corner turning).";

// A GPU's counters do not say how many sectors would do.
std::optional<Finding> find_in_counters(const Facts& facts) {
  std::string kinds;
  for (const CountedKind& kind : kCountedKinds) {
    const auto efficiency = facts.metric(kind.efficiency), sectors = facts.metric(kind.sectors);
    if (efficiency && sectors && *efficiency < 100 - kUncoalescedExcess && *sectors > kSectorsOfBroadcast)
      kinds += fmt::format("{}{}s", kinds.empty() ? "" : " and ", access_name(kind.kind));
  }
  if (kinds.empty()) return std::nullopt;
  return Finding{"coalesce the global " + kinds,
                 fmt::format("global {} use less than half of the bytes that they move", kinds), kRemedies};
}

void advise_stride(const Facts& facts, const AccessSite& site, int64_t step, Finding& out) {
  const std::string name = name_of(facts, site);
  const std::string apart = distance_text(step, site.bytes());
  if (const auto array = array_of(facts, site); array && array->field) {
    out.headline = fmt::format("make {} a structure of arrays", name);
    out.cure = fmt::format(
        "{} is an array of structures: neighbouring threads access one field of structures that are {} bytes apart. "
        "Rearrange the data: an array for each field.",
        name, std::abs(step));
    return;
  }
  out.headline = fmt::format("let neighbouring threads access neighbouring elements of {}", name);
  out.cure = fmt::format(
      "Neighbouring threads are {} apart. Rearrange the threads: thread t takes elements t, t + blockDim.x, ..., not a "
      "run of its own. If the elements are fields of a structure, rearrange the data: a structure of arrays.",
      apart);
}

void advise(const Facts& facts, const AccessSite& site, Finding& out) {
  const auto [pattern, step] = layout_of(facts, site);
  const std::string name = name_of(facts, site);
  if (pattern == LanePattern::Strided || pattern == LanePattern::Rows) return advise_stride(facts, site, step, out);
  if (pattern == LanePattern::NarrowRows) {
    out.headline = fmt::format("widen the block: its rows have {} threads", facts.block.x);
    out.cure = "Make blockDim.x a multiple of 32, so that a warp accesses one row.";
  } else if (pattern == LanePattern::Scattered) {
    out.headline = fmt::format("gather the accesses to {}", name);
    out.cure =
        "The addresses follow no constant step, as with indices from data: sort or bin the indices, so that a warp's "
        "lie "
        "close together, or stage the part that a block needs in shared memory.";
  } else {
    out.headline = fmt::format("coalesce the {}s of {}", access_name(site.kind), name);
    out.cure = kRemedies;
  }
}

bool is_this_rules(const Facts& facts, const AccessSite& s) {
  if (100 * double(s.sums.excess) < kUncoalescedExcess * double(s.sums.units)) return false;
  const LanePattern pattern = layout_of(facts, s).pattern;
  // Contiguous lanes that touch too much are too few: divergence is the cause.
  return !walks_columns(facts, s) && pattern != LanePattern::Misaligned && pattern != LanePattern::Contiguous;
}

}  // namespace

std::optional<Finding> uncoalesced(const Facts& facts) {
  std::optional<Finding> finding;
  if (facts.instructions.empty()) {
    finding = find_in_counters(facts);
    if (!finding) return std::nullopt;
  } else {
    std::vector<AccessSite> sites = wasteful_sites(facts, Memory::Global);
    std::erase_if(sites, [&](const AccessSite& s) { return !is_this_rules(facts, s); });
    if (!matter(facts, sites)) return std::nullopt;
    finding.emplace();
    finding->observation = units_text(sites.front());
    advise(facts, sites.front(), *finding);
    finding->lines = evidence_lines(facts, sites);
    finding->explain = "access";
  }
  for (const CountedKind& kind : kCountedKinds) {
    add_evidence(*finding, facts, kind.efficiency, "%");
    add_evidence(*finding, facts, kind.sectors, "sector/request");
  }
  return finding;
}

}  // namespace drywarp::advice
