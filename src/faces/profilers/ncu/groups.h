// Groups of metrics, and the counters of a throughput, as --metrics names them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drywarp::profilers::ncu {

// "group:memory__shared_table" or "breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed"
[[nodiscard]] bool names_group(std::string_view word);
// Full names of metrics. Empty, as Nsight Compute has it: there is no such group, or the throughput has no roll-up.
[[nodiscard]] std::vector<std::string> metrics_of_group(std::string_view word);
// Each with "group:", or with "breakdown:" and a roll-up.
[[nodiscard]] std::vector<std::string> group_words();

}  // namespace drywarp::profilers::ncu
