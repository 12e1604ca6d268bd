// Where in the program's files a call of the runtime comes from.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/events/finding.h"

namespace drywarp::cuda {

// The innermost callers that are not in this library, "path+0x1234|path+0x1200|...": addresses as symbolizers take
// them. Empty: not known. Only on a thread's own stack.
[[nodiscard]] std::string callers_of_library();
// The calling thread's return addresses, the innermost first, to be named later; limits of the stack cut the outermost.
[[nodiscard]] std::vector<void*> host_stack();
// Of return addresses: the first callers as above, or all of them.
enum class Callers { First, All };
[[nodiscard]] std::string callers_of_library(std::span<void* const> frames, Callers which = Callers::First);
// All of them as frames, which have addresses alone.
[[nodiscard]] std::vector<HostFrame> calls_to_library(std::span<void* const> frames);

}  // namespace drywarp::cuda
