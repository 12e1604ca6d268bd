// Our headers, which every CUDA source includes first, parsed ahead. Parsing them takes most of the time of compiling a
// small program, so clang keeps what it parsed in the cache, once for each set of options.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "faces/compile/build_cache.h"
#include "faces/compile/nvcc_options/command_line.h"
#include "faces/compile/nvcc_options/compilation.h"

namespace drywarp::compile {

struct Prelude {
  std::string path;                       // clang's precompiled header; empty: the pass parses our headers itself
  std::vector<std::string> dependencies;  // the headers in it
};

// One for each of `passes`, the commands of one unit for a source without text (kNoSource). Those that the cache lacks
// are made at the same time. `work` is the path prefix of temporary files.
std::vector<Prelude> precompiled_preludes(const Compilation& compilation, const Toolchain& tools,
                                          const BuildCache& unit_cache, std::span<const Arguments> passes,
                                          const std::string& work);

}  // namespace drywarp::compile
