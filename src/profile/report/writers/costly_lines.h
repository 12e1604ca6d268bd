// The source lines that cost a kernel most, for the first page of the text report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profile/report/model/model.h"

namespace drywarp::report {

// An access of a source line, such as its global loads.
struct LineAccess {
  Memory memory{};
  metrics::AccessKind kind{};
  auto operator<=>(const LineAccess&) const = default;
};

// What one source line does of one kind: its loads and its stores are told apart, its unrolled copies are not.
struct LinePart {
  std::optional<LineAccess> access;  // none: it computes
  metrics::Sums sums;
  PartTime time;
  double share = 0;  // of the kernel's modelled time; without one, of its warp instructions
};

struct CostlyLine {
  std::string file, source;
  uint32_t line = 0;
  double share = 0;             // of all its parts
  std::vector<LinePart> parts;  // that cost at least a hundredth of the kernel, the costliest first
};

// The costliest first; those that cost at least a hundredth.
[[nodiscard]] std::vector<CostlyLine> costly_lines(const KernelModel& kernel);

[[nodiscard]] std::string place(const CostlyLine& line);  // "app.cu:12"
[[nodiscard]] std::string share_text(double share);
// "global load: 32 sectors a request, 4 would do; long_scoreboard 80 %". `with_share`: the part's share first, for it
// is not the line's.
[[nodiscard]] std::string what(const LinePart& part, bool with_share);
// The command that shows more of a line; empty: the lines are as they should be.
[[nodiscard]] std::string more(const std::vector<CostlyLine>& lines);

}  // namespace drywarp::report
