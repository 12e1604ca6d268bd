// Turns nvcc's command line into a Compilation.
#pragma once

#include <span>
#include <string>

#include "base/support/result.h"
#include "faces/compile/nvcc_options/compilation.h"

namespace drywarp::compile {

// Arguments without the program's name. Warnings about what is not honoured are in the result; what would change the
// meaning of the program, an unknown option or a missing value is the error.
Result<Compilation> parse_options(std::span<const std::string> arguments);

// The language that a file name stands for; an error for names that nothing can be made of.
Result<Language> language_of(const std::string& path);

// How many of the arguments belong to the option that begins at arguments[0]: 1, or 2 with a separate value; 0 when it
// is not an option of the table and would not go to the host compiler either.
size_t option_length(std::span<const std::string> arguments);

}  // namespace drywarp::compile
