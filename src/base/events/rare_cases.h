// Rare cases of divisions, reciprocals and roots that round to nearest: machine code tests for them and calls a
// subroutine.
#pragma once

#include <cstdint>

namespace drywarp {

enum class RareCase : uint8_t {
#define DW_RARE_CASE(name, instructions, cycles, issue_cycles) name,
#include "base/events/rare_cases.def"
};

struct RareCaseCost {
  double instructions = 0, cycles = 0, issue_cycles = 0;
};
inline constexpr RareCaseCost kRareCaseCosts[] = {
#define DW_RARE_CASE(name, instructions, cycles, issue_cycles) {instructions, cycles, issue_cycles},
#include "base/events/rare_cases.def"
};

}  // namespace drywarp
