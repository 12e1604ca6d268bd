// Runs a kernel of a PTX file: allocates its arguments, launches it once, prints its buffers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/support/result.h"
#include "faces/cli/targets/ptx_arguments.h"

namespace drywarp::cli {

struct PtxLaunch {
  std::string path, text;  // of the PTX
  std::string entry;       // the kernel's name in it
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  uint32_t shared_bytes = 0;
  std::vector<KernelArgument> arguments;
  unsigned dump = 0;  // elements of each buffer to print afterwards
};

// Runs in the child process (ChildRequest::body), whose environment configures the session. `runtime` is libcudart's
// path. Returns the exit code: 0, or 1 if the launch failed.
int run_ptx(const PtxLaunch& launch, const std::string& runtime);

}  // namespace drywarp::cli
