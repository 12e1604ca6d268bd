#pragma once

#include <string>

namespace drywarp::jit {

// The linker's build id of the program or library that this code is in, in hex: what distinguishes one build of drywarp
// from another in the code cache. Empty if it was linked without one.
std::string build_identity();

}  // namespace drywarp::jit
