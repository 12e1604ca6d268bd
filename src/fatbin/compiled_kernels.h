// What a real compiler made of kernels: resources a thread and a block, from a cubin or from what `ptxas -v` printed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace drywarp::fatbin {

struct CompiledKernel {
  std::string name;                 // mangled
  unsigned compute_capability = 0;  // 90; 0: not said
  uint32_t registers = 0;           // a thread
  uint64_t shared_bytes = 0;        // static, a block
  uint64_t stack_bytes = 0;         // local memory, a thread
  // Only ptxas -v says how much of the stack are spills.
  std::optional<uint64_t> spill_store_bytes, spill_load_bytes;
};

// The kernels of a 64-bit ELF cubin: EIATTR_REGCOUNT and EIATTR_FRAME_SIZE of its .nv.info section (CUDA Binary
// Utilities), the sizes of .nv.shared sections. Errors: not a cubin, tables that lie outside of it, no kernels in it.
[[nodiscard]] Result<std::vector<CompiledKernel>> read_cubin(std::span<const uint8_t> bytes);

// The text that `ptxas -v` or `nvcc -Xptxas -v` prints, other lines between. Errors: no kernel in it; a kernel without
// registers.
[[nodiscard]] Result<std::vector<CompiledKernel>> read_ptxas_info(std::string_view text);

}  // namespace drywarp::fatbin
