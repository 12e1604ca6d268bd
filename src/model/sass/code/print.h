// Lowered code as text: what a failed check or a debugger shows. One instruction a line:
//
//   @!P12 IADD3 R7, -R3, c[0][0x214]  {word 1}
//
// Registers are virtual. R, P, UR, UP: by file; R3.2: a pair. Only fields of the form that are set are listed.
#pragma once

#include <string>

#include "model/sass/code/code.h"

namespace drywarp::sass {

[[nodiscard]] std::string print(const Kernel& kernel, const Instruction& code);
[[nodiscard]] std::string print(const Kernel& kernel);                        // by PTX block
[[nodiscard]] std::string print(const Kernel& kernel, const Region& region);  // its path, then its code

}  // namespace drywarp::sass
