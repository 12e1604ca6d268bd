// Parts of a kernel: their modelled time in warp-cycles by stall reason, regions, and source lines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/support/line_range.h"
#include "model/sm/summary.h"
#include "profile/metrics/sums.h"

namespace drywarp::report {

// The modelled time of some instructions, over the launches that have one.
struct PartTime {
  uint64_t issued = 0;       // machine instructions, warp level
  sm::StallCycles stalls{};  // warp-cycles in each state
  double share = 0;          // of the kernel's warp-cycles, 0 to 1
  double seconds = 0;        // `share` of the kernel's modelled time

  void operator+=(const sm::InstructionTiming& i);
  [[nodiscard]] double warp_cycles() const;
  // Sets `share` and `seconds` once everything is added.
  void finish(double kernel_warp_cycles, double kernel_seconds);
};

// The largest stall states of a part by share of its warp-cycles, at most `most`, each at least one per cent. Issuing
// warps count as "selected".
struct StallShare {
  sm::Stall stall{};
  double share = 0;  // 0 to 1
};
[[nodiscard]] std::vector<StallShare> largest_stalls(const PartTime& part, size_t most);

// A part of a kernel: the code between two block-wide barriers in PTX order, or a range of source lines.
struct RegionModel {
  std::string name;                        // "start to barrier 1", "kernel.cu:10-20"
  std::string file;                        // of the first instruction with a source line; empty: none has one
  uint32_t first_line = 0, last_line = 0;  // in that file
  metrics::Sums sums;
  PartTime time;
};

// The lines of a source file; empty if it cannot be read.
[[nodiscard]] std::vector<std::string> read_source(const std::string& file);

class SourceLines {
 public:
  // `kept`: the files of a kept profile; if there are any, none is read from disk, where they may have changed.
  explicit SourceLines(std::map<std::string, std::vector<std::string>> kept = {})
      : reads_disk_(kept.empty()), files_(std::move(kept)) {}
  // Without its indentation; empty if the file cannot be read or has no such line. Lines count from 1.
  std::string get(const std::string& file, uint32_t line);

 private:
  bool reads_disk_;
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace drywarp::report
