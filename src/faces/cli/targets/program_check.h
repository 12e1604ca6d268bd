// Whether a program that somebody else built can run under drywarp.
#pragma once

#include <string>

#include "base/support/result.h"
#include "cuda/fatbin/program_file.h"

namespace drywarp::cli {

// Fails for what would run without drywarp seeing its kernels, saying why and how to rebuild it: NVIDIA's static
// runtime, machine code without PTX, no CUDA in it at all, another processor's program.
// `library`: the folder of our runtime, which stands in for several versions of NVIDIA's.
Result<fatbin::ProgramFile> check_program(const std::string& path, const std::string& library);

}  // namespace drywarp::cli
