// A kernel's barriers that not every thread reached, by source line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/events/counts.h"

namespace drywarp {

struct BarrierOfLine {
  std::string file;  // empty: no source line is known
  uint32_t line = 0, ptx_line = 0;
  BarrierNote note;
};

// Adds a launch's notes. Unrolled copies of a barrier share its line: the most precise note speaks for them.
void add_barriers(std::vector<BarrierOfLine>& barriers, const KernelInfo& kernel,
                  const std::vector<BarrierNote>& notes);

// "reduce.cu:12", with `folder` "src/reduce.cu:12"; "PTX line 31" without a source line.
[[nodiscard]] std::string place_of(const BarrierOfLine& barrier, bool folder);
// "divergent barrier at PLACE: of warp 0 of block (0,0,0), 16 lanes wait at it and ... CUDA leaves that undefined ..."
[[nodiscard]] std::string barrier_text(const BarrierOfLine& barrier, const std::string& place);

}  // namespace drywarp
