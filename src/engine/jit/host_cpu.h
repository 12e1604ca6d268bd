// The vector instructions that generated code may use on this host.
#pragma once

#include <string>

#include "base/support/result.h"

namespace drywarp::jit {

struct HostCpu {
  std::string name;      // LLVM's name of the CPU model, for scheduling
  std::string features;  // LLVM feature string, "+avx512f,-..."
  unsigned vector_bits;  // 512, 256 or 128
};

// `most`: the widest instruction set to use: "avx512", "avx2" or "sse"; "": the widest that the host has.
Result<HostCpu> host_cpu(const std::string& most);

}  // namespace drywarp::jit
