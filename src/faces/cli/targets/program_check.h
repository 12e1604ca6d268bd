// Whether a program that drywarp did not build can run under it.
#pragma once

#include <string>

#include "base/support/result.h"
#include "cuda/fatbin/program_file.h"

namespace drywarp::cli {

// Fails for programs whose kernels drywarp would not see, with the reason and how to rebuild: NVIDIA's static runtime,
// machine code without PTX, no CUDA at all, another processor's program.
// `library`: the folder of our runtime, which replaces several versions of NVIDIA's.
Result<fatbin::ProgramFile> check_program(const std::string& path, const std::string& library);

}  // namespace drywarp::cli
