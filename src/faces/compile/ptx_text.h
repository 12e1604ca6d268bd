// Small changes to PTX text that clang cannot be asked for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace drywarp::compile {

// Writes `.maxnreg limit` into every kernel that has no performance directive of its own, as ptxas' -maxrregcount
// would.
std::string limit_registers(const std::string& ptx, int limit);

// The bytes to embed: a fat binary of uncompressed PTX entries, which NVIDIA's runtime on a GPU takes too.
// Pairs of compute capability (90 = sm_90) and PTX.
std::string pack_images(std::span<const std::pair<int, std::string>> images);

}  // namespace drywarp::compile
