// Atomics that many threads send to few addresses: they are served one after another.
#include <fmt/format.h>

#include <algorithm>

#include "base/support/plural.h"
#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kRoundsOfWarp = 2;       // a request: lanes on one address
constexpr double kUpdatesOfAddress = 64;  // by the recorded blocks

// Updates of each address, of the recorded blocks; a sector may have fewer addresses in use than fit in it.
double updates(const AccessSite& s) {
  const AccessReuse* r = s.sample() ? &s.sample()->reuse : nullptr;
  return !r || r->grid_bytes == 0 ? 0 : double(r->requested) / double(r->grid_bytes);
}

double rounds(const AccessSite& s) {
  return s.sums.requests == 0 ? 0 : double(s.sums.atomic_rounds) / double(s.sums.requests);
}

// All updates go to one sector, and those of a warp to one address.
bool is_one_address(const AccessSite& s) {
  return s.sample() && s.sample()->reuse.grid_bytes == kSectorBytes && s.sums.atomic_addresses == s.sums.requests;
}

std::vector<AccessSite> contended(const Facts& facts, Memory memory) {
  std::vector<AccessSite> sites = access_sites(facts, memory);
  std::erase_if(sites, [&](const AccessSite& s) {
    if (s.kind != metrics::AccessKind::Atomic) return true;
    return rounds(s) < kRoundsOfWarp && (memory != Memory::Global || updates(s) < kUpdatesOfAddress);
  });
  std::ranges::sort(sites, [](const AccessSite& a, const AccessSite& b) {
    return std::tie(b.sums.atomic_rounds, a.line) < std::tie(a.sums.atomic_rounds, b.line);
  });
  return sites;
}

std::string what(const AccessSite& s) {
  return fmt::format("{} atomic: {} a request", memory_name(s.memory), plural_real(rounds(s), "serial round"));
}

}  // namespace

std::optional<Finding> contended_atomics(const Facts& facts) {
  std::vector<AccessSite> sites = contended(facts, Memory::Global);
  const bool global = !sites.empty();
  if (!global) sites = contended(facts, Memory::Shared);
  if (sites.empty()) return std::nullopt;
  const AccessSite& site = sites.front();
  const std::string name = name_of(facts, site);
  Finding finding;
  finding.observation = what(site);
  if (updates(site) >= kUpdatesOfAddress)
    finding.observation += fmt::format("; the {} recorded blocks update each element of {} {:.0f} times",
                                       site.sample()->reuse.blocks, name, updates(site));
  if (global && is_one_address(site)) {
    finding.headline = fmt::format("add up in the block before the atomic on {}", name);
    finding.cure = fmt::format(
        "Aggregate: reduce over the warp with shuffles and over the block in shared memory, so that one thread of a "
        "block updates {}.",
        name);
    finding.sketch = {fmt::format("if (threadIdx.x == 0) atomicAdd({}, sum_of_block);", name)};
  } else if (global && access_sites(facts, Memory::Shared).empty()) {
    finding.headline = fmt::format("privatize {}: a copy in shared memory for each block", name);
    finding.cure = fmt::format(
        "Privatize: let each block update a copy of {} in shared memory, and add it to the global one at its end. "
        "Aggregate: let threads that update the same element add up first, and one of them update it.",
        name);
    finding.sketch = {
        fmt::format("__shared__ {0} own_{1}[...];  // zeroed, then __syncthreads()", element_type(site), name),
        fmt::format("atomicAdd(&own_{}[...], value);", name),
        fmt::format("// at the end, after __syncthreads(): atomicAdd(&{0}[i], own_{0}[i]);", name)};
  } else if (global) {
    finding.headline = fmt::format("update {} less often: coarsen, or reduce in the block first", name);
    finding.cure =
        "Launch fewer blocks and let each do more before it updates global memory, or add up over the block in shared "
        "memory or with warp shuffles, so that one thread updates each element.";
  } else {
    finding.headline = fmt::format("aggregate before the atomics on {}", name);
    finding.cure =
        "Lanes of a warp update one element: let each thread add up runs of equal elements first, or give each warp a "
        "copy of its own.";
  }
  for (const char* name : {"atomic_global_rounds", "atomic_shared_rounds"}) add_evidence(finding, facts, name, "round");
  for (const AccessSite& s : sites) {
    if (s.line == 0) continue;
    const LineFacts* at = facts.find_line(s.file, s.line);
    finding.lines.push_back({s.file, s.line, at ? at->source : "", what(s), {}, {}, "atomics"});
  }
  finding.explain = "access";
  return finding;
}

}  // namespace drywarp::advice
