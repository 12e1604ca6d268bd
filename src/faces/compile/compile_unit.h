// One source file -> one object, in all its passes.
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
  std::vector<std::string> dependencies;  // every file that was read, the source first
};

// Compiles `source` to `output`: an object, or for Stage::Ptx and Stage::Fatbin the device code. Takes it from the
// cache when nothing changed. `work` is a folder for temporary files with a name of this unit's own in front.
Result<CompiledUnit> compile_unit(const Compilation& compilation, const Toolchain& tools, const BuildCache& cache,
                                  const Input& source, const std::string& output, const std::string& work);

// The commands that would be run, for -dryrun and -v.
std::vector<Arguments> unit_commands(const Compilation& compilation, const Toolchain& tools, const Input& source,
                                     const std::string& output, const std::string& work);

// Digest of everything that decides the object but the content of the files.
std::string unit_key(const Compilation& compilation, const Toolchain& tools, const Input& source);

}  // namespace drywarp::compile
