// The launches of the example kernels in the benchmarks.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/exec/engine.h"

namespace drywarp::bench {

enum class Fill : uint8_t { Zero, Random, SixToEight };

// A buffer on the device; the kernel gets its address.
struct BufferArgument {
  uint64_t bytes = 0;
  Fill fill = Fill::Random;
};
using Argument = std::variant<BufferArgument, int32_t, uint32_t>;

struct KernelCase {
  std::string program;  // examples/<program>.cu
  std::string kernel;   // as the source names it, with template arguments: "copy<float>"
  exec::Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<Argument> arguments;
};

std::vector<KernelCase> kernel_cases();

}  // namespace drywarp::bench
