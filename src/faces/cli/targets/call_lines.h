// Source lines of calls in programs.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace drywarp::cli {

// Of callers as cuda/launch/call_sites.h writes them, in their order: "app.cu:40 in main", the first one that is not in
// drywarp's headers in `headers`; or its address, where the program has no line information, or addr2line is missing. A
// kernel's line stays as it is.
[[nodiscard]] std::vector<std::string> call_lines(std::span<const std::string> callers, const std::string& headers);

}  // namespace drywarp::cli
