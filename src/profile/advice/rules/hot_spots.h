// What rules on instructions share: the source lines of some instructions, ranked, and the parts of their texts.
#pragma once

#include <functional>

#include "profile/advice/advice.h"

namespace drywarp::advice {

// "div.rn.f32" of "@%p1 div.rn.f32 %f1, %f2, %f3;"
[[nodiscard]] std::string_view operation(const InstructionInfo& instruction);

// Modelled cycles of all warps in an instruction.
[[nodiscard]] double warp_cycles(const InstructionFacts& instruction);

// Where an instruction's weight goes, and what is said of its line.
struct HotSpots {
  std::function<double(const InstructionFacts&)> weight;  // 0: not one of them
  std::string_view of;                                    // what the shares are shares of: "the time"
  double total = 0;                                       // of the kernel; 0: not known
  std::function<std::string(const metrics::Sums&)> what;  // of the line's instructions that have a weight
};
// The lines with the most weight first.
[[nodiscard]] std::vector<EvidenceLine> hot_lines(const Facts& facts, const HotSpots& spots);

}  // namespace drywarp::advice
