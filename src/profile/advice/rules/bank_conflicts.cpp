// Accesses to shared memory that take more passes through the banks than their width needs.
#include <fmt/format.h>

#include <cstdlib>

#include "base/events/lane_steps.h"
#include "base/support/plural.h"
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

void advise_banks(const Facts& facts, const AccessSite& site, Finding& out) {
  const std::string name = name_of(facts, site);
  const auto array = find_shared_array(facts, site.file, site.line, name);
  const auto longer = site.sample() ? find_longer_step(*site.sample()) : std::nullopt;
  const auto step = site.sample() ? lane_step(*site.sample()) : std::nullopt;
  const auto use = array_of(facts, site);
  const bool has_rows = array ? array->dimensions.size() > 1 : use ? use->subscripts.size() > 1 : facts.block.y > 1;
  if (longer && has_rows) {
    const std::string more = plural(longer->elements, "element");
    out.headline = fmt::format("pad the rows of {} by {}", name, more);
    out.cure = fmt::format(
        "With rows that are {} longer the costliest access takes {}. Where that is too much shared memory, "
        "swizzle: store element (row, column) at column ^ row.",
        more, plural(longer->wavefronts, "wavefront"));
    if (array) out.sketch = {array->padded(longer->elements)};
    return;
  }
  if (step && std::abs(*step) > int64_t{site.bytes()}) {
    out.headline = fmt::format("let neighbouring threads access neighbouring elements of {}", name);
    out.cure = fmt::format(
        "In the costliest access neighbouring threads are {} apart. Rearrange the index so that thread t accesses "
        "element t of the part that the warp works on{}.",
        distance_text(*step, site.bytes()),
        longer ? fmt::format(", or leave a gap after every {} bytes", site.sample()->banks.row_bytes()) : "");
    return;
  }
  out.headline = fmt::format("spread the accesses to {} over the banks", name);
  out.cure =
      "The addresses follow no constant step: give each warp or group of lanes a copy of its own, or swizzle the index "
      "(column ^ row).";
}

}  // namespace

std::optional<Finding> bank_conflicts(const Facts& facts) {
  Finding finding;
  if (facts.instructions.empty()) {
    const auto percent = counted_percent(facts);
    if (!percent || *percent < kCountedConflicts) return std::nullopt;
    finding.observation = fmt::format("{:.3g} % of the wavefronts of shared memory are bank conflicts", *percent);
    finding.headline = "avoid the bank conflicts of shared memory";
    finding.cure = "Pad the rows of the array by an element, or swizzle the column: column ^ row.";
  } else {
    const std::vector<AccessSite> sites = wasteful_sites(facts, Memory::Shared);
    double excess = 0, all = 0;
    for (const AccessSite& s : access_sites(facts, Memory::Shared))
      if (s.kind != metrics::AccessKind::Atomic) excess += double(s.sums.excess), all += double(s.sums.units);
    if (all == 0 || 100 * excess < kExcessiveWavefronts * all) return std::nullopt;
    finding.observation = fmt::format("{:.3g} % of the wavefronts of shared memory are excessive; {}",
                                      100 * excess / all, units_text(sites.front()));
    finding.lines = evidence_lines(facts, sites);
    advise_banks(facts, sites.front(), finding);
    finding.explain = "banks";
  }
  for (const char* name : kWavefronts) add_evidence(finding, facts, name, "wavefront");
  return finding;
}

}  // namespace drywarp::advice
