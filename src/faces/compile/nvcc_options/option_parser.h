// Parses nvcc's command line into a Compilation.
#pragma once

#include <span>
#include <string>

#include "base/support/result.h"
#include "faces/compile/nvcc_options/compilation.h"

namespace drywarp::compile {

// `arguments`: without the program's name. Options that are not honoured give warnings in the result. Options that
// would change the program's meaning, unknown options and missing values are errors.
Result<Compilation> parse_options(std::span<const std::string> arguments);

// The language of a file by its name; an error if no compiler takes it.
Result<Language> language_of(const std::string& path);

// The number of arguments of the option at arguments[0]: 1, or 2 with a separate value; 0 if it is not in the table and
// does not go to the host compiler.
size_t option_length(std::span<const std::string> arguments);

}  // namespace drywarp::compile
