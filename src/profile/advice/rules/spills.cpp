// Values that did not fit into registers: the allocator keeps them in local memory.
#include <fmt/format.h>

#include "profile/advice/rules/rules.h"

namespace drywarp::advice {

std::optional<Finding> spills(const Facts& facts) {
  if (facts.spill_bytes <= 0) return std::nullopt;
  const bool bounded = facts.registers_from == ResourceSource::LaunchBounds;
  Finding finding;
  finding.headline = bounded ? "allow more registers: some are spilled" : "use fewer registers: some are spilled";
  finding.observation =
      fmt::format("{:.0f} bytes a thread are stored to local memory and loaded again{}", facts.spill_bytes,
                  facts.registers == 0 ? "" : fmt::format(", with {} registers a thread", facts.registers));
  finding.cure =
      bounded
          ? "Raise -maxrregcount, or lower the number of blocks in __launch_bounds__(threads, blocks): a few blocks "
            "fewer often cost less than the spills."
          : "Shorten the lives of values: smaller tiles a thread, less unrolling, or a kernel in two parts.";
  if (bounded) finding.sketch = {"__launch_bounds__(threads)  // without the number of blocks"};
  finding.evidence = {{"spill_bytes", facts.spill_bytes, "byte"}};
  return finding;
}

}  // namespace drywarp::advice
