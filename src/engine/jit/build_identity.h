#pragma once

#include <string>

namespace drywarp::jit {

// The linker's build id of the program or library that contains this code, in hex. It distinguishes builds of drywarp
// in the code cache. Empty if the linker wrote none.
std::string build_identity();

}  // namespace drywarp::jit
