// What to do about a header that neither drywarp nor the system has.
#pragma once

#include <string>

namespace drywarp::frontend {

// A line for each library whose header clang did not find, by what its `diagnostics` say; empty when there is none.
std::string missing_header_hints(const std::string& diagnostics);

}  // namespace drywarp::frontend
