// Which vector instructions of this machine the generated code may use.
#pragma once

#include <string>

#include "base/support/result.h"

namespace drywarp::jit {

struct HostCpu {
  std::string name;      // LLVM's name of the CPU model, for scheduling
  std::string features;  // LLVM feature string, "+avx512f,-..."
  unsigned vector_bits;  // 512, 256 or 128
};

// `most`: "", "avx512", "avx2" or "sse": the most that may be used; "" is all that the machine has.
Result<HostCpu> host_cpu(const std::string& most);

}  // namespace drywarp::jit
