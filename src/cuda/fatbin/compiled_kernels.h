// What a real compiler made of kernels: resources a thread and a block, from a cubin or from what `ptxas -v` printed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"

namespace drywarp::fatbin {

struct CompiledKernel {
  std::string name;                 // mangled
  unsigned compute_capability = 0;  // 90; 0: not said
  uint32_t registers = 0;           // a thread
  uint64_t shared_bytes = 0;        // static, a block
  uint64_t stack_bytes = 0;         // local memory, a thread
  uint32_t barriers = 0;            // named barriers, a block
  // Only ptxas -v says how much of the stack are spills.
  std::optional<uint64_t> spill_store_bytes, spill_load_bytes;
};

// The kernels of a 64-bit ELF cubin: EIATTR_REGCOUNT and EIATTR_FRAME_SIZE of its .nv.info section (CUDA Binary
// Utilities), EIATTR_NUM_BARRIERS of a kernel's own, the sizes of .nv.shared sections. Errors: not a cubin, tables that
// lie outside of it, no kernels in it.
[[nodiscard]] Result<std::vector<CompiledKernel>> read_cubin(std::span<const uint8_t> bytes);

// Whether these bytes are a cubin with neither code nor variables in it: what nvlink makes where no unit has device
// code.
[[nodiscard]] bool is_empty_cubin(std::span<const uint8_t> bytes);

// The text that `ptxas -v` or `nvcc -Xptxas -v` prints, other lines between. Errors: no kernel in it; a kernel without
// registers.
[[nodiscard]] Result<std::vector<CompiledKernel>> read_ptxas_info(std::string_view text);

enum class CompiledBy : uint8_t { Cubin, PtxasInfo };

// What compilers said of a program's kernels, by name and architecture.
class CompiledTable {
 public:
  struct Row {
    CompiledKernel kernel;
    CompiledBy from{};
  };
  // A cubin, or ptxas's text, by what is in it.
  Status add_file(const std::string& path);
  void add(std::vector<CompiledKernel> kernels, CompiledBy from);
  // What a device of that compute capability (90 for 9.0) would run: machine code of its own architecture, or of an
  // earlier one of the same generation, the latest of those; then what does not say for which it is. null: nothing.
  [[nodiscard]] const Row* find(std::string_view kernel, unsigned compute_capability) const;
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

}  // namespace drywarp::fatbin
