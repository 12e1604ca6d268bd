// Where a kernel's modelled time goes: warp-cycles of its parts (source lines, regions), by what the warps waited for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/sm/summary.h"
#include "profile/metrics/sums.h"

namespace drywarp::report {

// Of some instructions, over the launches whose time was modelled.
struct PartTime {
  uint64_t issued = 0;       // machine instructions, warp level
  sm::StallCycles stalls{};  // cycles that warps were in each state
  double share = 0;          // of the kernel's warp-cycles, 0 to 1
  double seconds = 0;        // that share of the kernel's modelled time

  void operator+=(const sm::InstructionTiming& i);
  [[nodiscard]] double warp_cycles() const;
  // Sets `share` and `seconds` once everything is added.
  void finish(double kernel_warp_cycles, double kernel_seconds);
};

// States of warps with their shares of the part's warp-cycles, the largest first; at most `most` of them, each at least
// one per cent. Warps that issue count as "selected".
struct StallShare {
  sm::Stall stall{};
  double share = 0;  // 0 to 1
};
[[nodiscard]] std::vector<StallShare> largest_stalls(const PartTime& part, size_t most);

// Lines of a source file that a region is to be made of.
struct LineRange {
  std::string file;  // as in the debug information, or the end of it: "kernel.cu" is "/a/kernel.cu"
  uint32_t first = 0, last = 0;
  [[nodiscard]] bool contains(const std::string& file, uint32_t line) const;
};
// "kernel.cu:10-20" or "kernel.cu:10"; nullopt: not understood.
[[nodiscard]] std::optional<LineRange> parse_line_range(const std::string& text);

// A part of a kernel: what stands between two block-wide barriers in the order of its PTX, or a range of source lines.
struct RegionModel {
  std::string name;                        // "start to barrier 1", "kernel.cu:10-20"
  std::string file;                        // of the first instruction with a place; empty: none has one
  uint32_t first_line = 0, last_line = 0;  // in that file
  metrics::Sums sums;
  PartTime time;
};

}  // namespace drywarp::report
