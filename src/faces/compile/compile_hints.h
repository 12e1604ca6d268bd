// What to do about what drywarp does not have, where clang's words alone do not tell.
#pragma once

#include <string>

namespace drywarp::compile {

// By what clang's `diagnostics` say, a line for each library whose header it did not find, and one for kernels that
// launch kernels; empty when there is none.
std::string compile_hints(const std::string& diagnostics);

}  // namespace drywarp::compile
