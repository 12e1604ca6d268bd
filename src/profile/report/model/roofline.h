// A kernel on its device's rooflines (Williams, Waterman and Patterson, Roofline, CACM 2009): its performance, its
// arithmetic intensity for each level of memory, and the device's limit at that intensity. Operations are those of the
// PTX; time and bytes are modelled.
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
  double peak_bytes = 0;    // per second
  double intensity = 0;     // operations per byte; 0: no bytes
  double ridge = 0;         // the intensity of the ridge point
  double roof = 0;          // operations per second that the level and the units allow at this intensity
};
struct Roofline {
  const char *key, *title;            // "sp", "FP32"
  double flops = 0;                   // operations
  double achieved = 0;                // per second
  double peak = 0;                    // per second
  std::vector<RooflineLevel> levels;  // DRAM, L2, L1
  [[nodiscard]] bool memory_side(const RooflineLevel& l) const { return l.intensity < l.ridge; }
};

// One per precision that the kernel uses, the one nearest to its peak first.
[[nodiscard]] std::vector<Roofline> rooflines(const metrics::Sums& sums, const sm::Summary& time);

// Lines of a drawing on logarithmic axes: the roofs of DRAM and L1, and the kernel as D, 2 and 1 at its intensity for
// DRAM, L2 and L1.
[[nodiscard]] std::vector<std::string> draw(const Roofline& roofline);

}  // namespace drywarp::report
