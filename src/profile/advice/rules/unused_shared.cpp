// Shared memory that a block reserves and never touches: it takes the room of other blocks, and of L1.
#include <fmt/format.h>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {

std::optional<Finding> unused_shared(const Facts& facts) {
  if (facts.shared_bytes == 0 || facts.instructions.empty() || !access_sites(facts, Memory::Shared).empty()) return {};
  Finding finding;
  finding.headline = "reserve no shared memory: none is used";
  finding.observation =
      fmt::format("a block reserves {} bytes of shared memory, and no thread accesses them", facts.shared_bytes);
  finding.cure = "Drop the __shared__ array, or the size in the launch <<<grid, block, size>>>.";
  add_evidence(finding, facts, "launch__occupancy_limit_shared_mem", "block");
  return finding;
}

}  // namespace drywarp::advice
