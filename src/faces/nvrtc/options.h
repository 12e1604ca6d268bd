// NVRTC's options. Most are nvcc's.
#pragma once

#include <span>
#include <string>

#include "faces/compile/nvcc_options/compilation.h"

namespace drywarp::nvrtc {

struct Options {
  compile::Compilation compilation;  // one architecture, PTX, no inputs
  bool default_device = false;       // what says no execution space is the device's
  bool machine_code = false;         // a real architecture, sm_90, was named: there is a "cubin"
};

// An unknown option, or one that contradicts the output, is an error.
Result<Options> read_options(std::span<const std::string> words);

}  // namespace drywarp::nvrtc
