// The compiler driver: does what a Compilation asks for.
#pragma once

#include <optional>
#include <string>

#include "faces/compile/build_cache.h"
#include "faces/compile/nvcc_options/command_line.h"
#include "faces/compile/nvcc_options/compilation.h"

namespace drywarp::compile {

struct BuildResult {
  int exit_code = 0;        // of the first compiler or linker that failed
  std::string diagnostics;  // what they said, for standard error
  std::string output;       // for standard output: -E and -M without -o
};

Result<BuildResult> build(const Compilation& compilation, const Toolchain& tools, const BuildCache& cache);

// A program made to be run at once rather than kept.
struct BuiltProgram {
  BuildResult result;
  std::string path;                     // empty when the build failed
  bool from_cache = false;              // no compiler ran
  std::optional<TemporaryFolder> home;  // set: path lies here and goes with it
};

// Links the inputs to a program in the cache. With nothing changed since the last time no other program is started.
Result<BuiltProgram> build_program(const Compilation& compilation, const Toolchain& tools, const BuildCache& cache);

}  // namespace drywarp::compile
