// Changes to PTX text for which clang has no option.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace drywarp::compile {

// Writes `.maxnreg limit` into every kernel without a performance directive, as ptxas's -maxrregcount.
std::string limit_registers(const std::string& ptx, int limit);

// Gives kernels the clusters that device_passes/cluster_dimensions has noted.
std::string name_clusters(const std::string& ptx);

// A fat binary of uncompressed PTX entries, which NVIDIA's runtime accepts too. `images`: pairs of compute capability
// (90 = sm_90) and PTX.
std::string pack_images(std::span<const std::pair<int, std::string>> images);

}  // namespace drywarp::compile
