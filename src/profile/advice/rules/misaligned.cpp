// Contiguous accesses that begin in the middle of a sector, and so touch one more.
#include <fmt/format.h>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kMisalignedExcess = 10;  // percent of a site's sectors

}  // namespace

std::optional<Finding> misaligned(const Facts& facts) {
  std::vector<AccessSite> sites = wasteful_sites(facts, Memory::Global);
  std::erase_if(sites, [&](const AccessSite& s) {
    return 100 * double(s.sums.excess) < kMisalignedExcess * double(s.sums.units) ||
           layout_of(facts, s).pattern != LanePattern::Misaligned;
  });
  if (!matter(facts, sites)) return std::nullopt;
  const AccessSite& site = sites.front();
  Finding finding;
  finding.headline = fmt::format("align the accesses to {}", names_of(facts, sites));
  finding.observation =
      "neighbouring threads access neighbouring elements, but not from the start of a sector on: " + units_text(site);
  finding.cure = fmt::format(
      "Let each warp's first thread access a multiple of 32 bytes ({} elements): pad rows to such a length "
      "(cudaMallocPitch does), and shift an offset out of the index, as thread t - offset.",
      std::max(1u, kSectorBytes / std::max(1u, site.bytes())));
  for (const char* name : {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
                           "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"})
    add_evidence(finding, facts, name, "sector/request");
  finding.lines = evidence_lines(facts, sites);
  finding.explain = "access";
  return finding;
}

}  // namespace drywarp::advice
