// A kernel on its device's rooflines: what it computes a second, how much it computes for each byte that a level of
// memory moves, and what the device could do at most (Williams, Waterman and Patterson, Roofline, CACM 2009).
// Operations are those of the PTX, time and bytes are modelled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/sm/summary.h"
#include "profile/metrics/sums.h"

namespace drywarp::report {

struct RooflineLevel {
  const char *key, *title;  // "dram", "DRAM"
  double bytes = 0;         // moved
  double peak_bytes = 0;    // a second
  double intensity = 0;     // operations a byte; 0: no bytes
  double ridge = 0;         // the intensity from which on the roof is flat
  double roof = 0;          // operations a second that the level and the units allow at this intensity
};
struct Roofline {
  const char *key, *title;            // "sp", "FP32"
  double flops = 0;                   // operations
  double achieved = 0;                // a second
  double peak = 0;                    // a second
  std::vector<RooflineLevel> levels;  // DRAM, L2, L1
  [[nodiscard]] bool memory_side(const RooflineLevel& l) const { return l.intensity < l.ridge; }
};

// One for each precision that the kernel computes in, the one nearest to its peak first.
[[nodiscard]] std::vector<Roofline> rooflines(const metrics::Sums& sums, const sm::Summary& time);

// A drawing on logarithmic axes, line by line: the roofs of DRAM and L1, and D, 2, 1 where the kernel stands by its
// bytes of DRAM, L2 and L1.
[[nodiscard]] std::vector<std::string> draw(const Roofline& roofline);

}  // namespace drywarp::report
