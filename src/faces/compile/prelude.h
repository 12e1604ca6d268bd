// Every CUDA source includes our headers first, and parsing them takes most of the time of compiling a small program.
// So clang parses them once for each set of options, and the precompiled header is kept in a cache.
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

// One prelude for each of `passes`: the commands of one unit, for kNoSource instead of its source. All that `cache`
// (BuildCache::preludes) lacks are made at the same time. `work` is the path prefix of temporary files.
std::vector<Prelude> precompiled_preludes(const Compilation& compilation, const Toolchain& tools,
                                          const BuildCache& cache, std::span<const Arguments> passes,
                                          const std::string& work);

}  // namespace drywarp::compile
