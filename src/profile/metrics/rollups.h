// Nsight Compute's roll-ups. A counter has a value in each unit of the GPU, and a name says how they combine:
//
//   l1tex__t_sectors_pipe_lsu_mem_global_op_ld .sum | .avg | .min | .max
//                                              .sum.per_second, .avg.per_cycle_active, .per_cycle_elapsed
//                                              .avg.pct_of_peak_sustained_active, _elapsed
//
// metrics.def has the forms that reports show. The others are computed here from its rows: an average from the number
// of units, a rate from the modelled time, a percentage from the peaks in units.def. drywarp counts for the whole GPU,
// so the smallest and largest unit are not available unless there is one unit only.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "profile/metrics/evaluate.h"

namespace drywarp::metrics {

// By full name; null if no row has such a roll-up. Rows themselves are not found.
[[nodiscard]] const Metric* find_rollup(std::string_view name);

// All of them, ordered by counter.
[[nodiscard]] std::span<const Metric> all_rollups();

// A name with its roll-up, split: {"dram__bytes", "sum.per_second"}. Without one the second is empty.
struct SplitName {
  std::string_view base, rollup;
};
[[nodiscard]] SplitName split_rollup(std::string_view name);

// The names that Nsight Compute collects for a name without roll-up: its .avg, .max, .min and .sum, or, of a ratio or a
// throughput, the rows that there are. Empty: the base is unknown.
[[nodiscard]] std::vector<Selected> expand_base(std::string_view base);

// Every row and roll-up under Nsight Compute's names, sorted by name.
[[nodiscard]] const std::vector<Selected>& compute_names();

}  // namespace drywarp::metrics
