// The compiler driver: executes a Compilation.
#pragma once

#include <optional>
#include <string>

#include "faces/compile/build_cache.h"
#include "faces/compile/nvcc_options/command_line.h"
#include "faces/compile/nvcc_options/compilation.h"

namespace drywarp::compile {

struct BuildResult {
  int exit_code = 0;        // of the first compiler or linker that failed
  std::string diagnostics;  // for standard error
  std::string output;       // for standard output: -E and -M without -o
};

Result<BuildResult> build(const Compilation& compilation, const Toolchain& tools, const BuildCache& cache);

// A program that is run at once.
struct BuiltProgram {
  BuildResult result;
  std::string path;                       // empty if the build failed
  bool from_cache = false;                // no compiler ran
  std::optional<TemporaryFolder> folder;  // set: holds `path`, and removes it
};

// Links the inputs to a program in the cache. If nothing changed since the last build, starts no compiler.
Result<BuiltProgram> build_program(const Compilation& compilation, const Toolchain& tools, const BuildCache& cache);

}  // namespace drywarp::compile
