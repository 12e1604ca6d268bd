// The text of a lowered instruction with its registers after allocation, for listings:
//
//   @!P0 ISETP.GE.U32 P1, R2, c[0x0][0x160]
//
// It follows the notation of SASS as far as lowering decides it. It is modelled code: no SASS is read or written.
#pragma once

#include <string>

#include "model/sass/allocate/allocate.h"
#include "model/sass/code/code.h"

namespace drywarp::sass {

// Which of the two instructions that a 64-bit operation is written as.
enum class Half : uint8_t { Whole, Low, High };

[[nodiscard]] std::string instruction_text(const Kernel& kernel, const Allocation& allocation, const Instruction& code,
                                           Half half);

}  // namespace drywarp::sass
