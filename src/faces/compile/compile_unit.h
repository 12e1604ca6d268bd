// Compiles one source to one object, with a pass for the host and one per architecture.
#pragma once

#include <string>
#include <vector>

#include "faces/compile/build_cache.h"
#include "faces/compile/nvcc_options/command_line.h"
#include "faces/compile/nvcc_options/compilation.h"

namespace drywarp::compile {

struct CompiledUnit {
  int exit_code = 0;
  std::string diagnostics;                // for standard error
  std::vector<std::string> dependencies;  // every file read, the source first
};

// Compiles `source` to `output`: an object, or for Stage::Ptx and Stage::Fatbin the device code. Takes it from the
// cache if nothing changed. `work` is the path prefix of the unit's temporary files.
Result<CompiledUnit> compile_unit(const Compilation& compilation, const Toolchain& tools, const BuildCache& cache,
                                  const Input& source, const std::string& output, const std::string& work);

// The commands, for -dryrun and -v.
std::vector<Arguments> unit_commands(const Compilation& compilation, const Toolchain& tools, const Input& source,
                                     const std::string& output, const std::string& work);

// Digest of everything that determines the object, except the contents of the files.
std::string unit_key(const Compilation& compilation, const Toolchain& tools, const Input& source);

}  // namespace drywarp::compile
