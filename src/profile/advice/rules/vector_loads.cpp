// A streaming kernel that moves at most four bytes a thread and instruction, and waits for memory.
#include <fmt/format.h>

#include <algorithm>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr unsigned kNarrow = 4;          // bytes a lane
constexpr double kSaturatedDram = 80;    // percent of the peak: nothing is left to gain
constexpr double kRequestsOfWarp = 1.5;  // a site: more is a loop, whose loads can be in flight together

}  // namespace

std::optional<Finding> vector_loads(const Facts& facts) {
  const LimiterFacts& f = facts.limiter;
  const auto data = f.stalls[unsigned(sm::Stall::LongScoreboard)];
  if (!f.dram || *f.dram >= kSaturatedDram || !data || !access_sites(facts, Memory::Shared).empty()) return {};
  double all = 0;
  for (const auto& warps : f.stalls) all += warps.value_or(0);
  if (all <= 0 || *data < all / 2) return {};
  const double warps = facts.metric("smsp__warps_launched.sum").value_or(0);
  std::vector<AccessSite> sites = access_sites(facts, Memory::Global);
  if (sites.empty() || warps == 0) return {};
  for (const AccessSite& s : sites) {
    const bool streams = s.bytes() <= kNarrow && layout_of(facts, s).pattern == LanePattern::Contiguous &&
                         double(s.sums.requests) <= kRequestsOfWarp * warps;
    if (!streams) return {};
  }
  std::erase_if(sites, [](const AccessSite& s) { return s.kind != metrics::AccessKind::Load; });
  if (sites.empty()) return {};
  const std::string type = element_type(sites.front()), name = name_of(facts, sites.front());
  Finding finding;
  finding.headline = fmt::format("load 16 bytes at a time from {}", names_of(facts, sites));
  finding.observation = fmt::format(
      "each thread loads {} bytes at a time and waits for them for {:.0f} % of its time, while DRAM is at {:.0f} % of "
      "its "
      "peak",
      sites.front().bytes(), 100 * *data / all, *f.dram);
  finding.cure =
      "Let each thread load, compute and store four neighbouring elements at once: a quarter of the instructions for "
      "the same bytes, and more bytes in flight. The address must be a multiple of 16 bytes.";
  if (type == "float" || type == "int" || type == "unsigned") {
    const std::string vector = type == "unsigned" ? "uint4" : type + "4";
    finding.sketch = {
        fmt::format("{0} v = reinterpret_cast<const {0}*>({1})[i];  // v.x, v.y, v.z, v.w", vector, name)};
  }
  add_evidence(finding, facts, "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%");
  finding.lines = evidence_lines(facts, sites);
  return finding;
}

}  // namespace drywarp::advice
