// Accesses to shared memory that take more passes through the banks than their width needs.
#include <fmt/format.h>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kExcessiveWavefronts = 10;  // percent of the wavefronts of shared loads and stores
// A GPU's counter of conflicts includes those with other accesses to L1: an H200 shows 25 % in a kernel that has none.
constexpr double kCountedConflicts = 30;

const char* const kConflicts[] = {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                                  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"};
const char* const kWavefronts[] = {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                   "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"};

std::optional<double> counted_percent(const Facts& facts) {
  double conflicts = 0, wavefronts = 0;
  for (const char* name : kConflicts) conflicts += facts.metric(name).value_or(0);
  for (const char* name : kWavefronts) wavefronts += facts.metric(name).value_or(0);
  return wavefronts > 0 ? std::optional(100 * conflicts / wavefronts) : std::nullopt;
}

}  // namespace

std::optional<Finding> bank_conflicts(const Facts& facts) {
  Finding finding;
  if (facts.instructions.empty()) {
    const auto percent = counted_percent(facts);
    if (!percent || *percent < kCountedConflicts) return std::nullopt;
    finding.observation = fmt::format("{:.3g} % of the wavefronts of shared memory are bank conflicts", *percent);
  } else {
    const std::vector<AccessSite> sites = wasteful_sites(facts, Memory::Shared);
    double excess = 0, all = 0;
    for (const AccessSite& s : access_sites(facts, Memory::Shared))
      if (s.kind != metrics::AccessKind::Atomic) excess += double(s.sums.excess), all += double(s.sums.units);
    if (all == 0 || 100 * excess < kExcessiveWavefronts * all) return std::nullopt;
    finding.observation = fmt::format("{:.3g} % of the wavefronts of shared memory are excessive; {}",
                                      100 * excess / all, units_text(sites.front()));
    finding.lines = evidence_lines(facts, sites);
  }
  finding.headline = "avoid the bank conflicts of shared memory";
  finding.cure = "Pad the rows of the array by an element, or swizzle the column: column ^ row.";
  for (const char* name : kWavefronts) add_evidence(finding, facts, name, "wavefront");
  finding.explain = "banks";
  return finding;
}

}  // namespace drywarp::advice
