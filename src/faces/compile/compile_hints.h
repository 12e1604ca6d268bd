// Hints for features that drywarp lacks, where clang's message alone does not help.
#pragma once

#include <string>

namespace drywarp::compile {

// From clang's `diagnostics`: a line per library whose header was not found, and one for kernels that launch kernels;
// empty if there are none.
std::string compile_hints(const std::string& diagnostics);

}  // namespace drywarp::compile
