// Resources of kernels as a real compiler reports them, in a cubin or in the output of `ptxas -v`.
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
  unsigned compute_capability = 0;  // 90 for 9.0; 0: unknown
  uint32_t registers = 0;           // a thread
  uint64_t shared_bytes = 0;        // static, a block
  uint64_t stack_bytes = 0;         // local memory, a thread
  uint32_t barriers = 0;            // named barriers, a block
  // Only `ptxas -v` reports the spills.
  std::optional<uint64_t> spill_store_bytes, spill_load_bytes;
};

// The kernels of a 64-bit ELF cubin: EIATTR_REGCOUNT and EIATTR_FRAME_SIZE in its .nv.info section (CUDA Binary
// Utilities), EIATTR_NUM_BARRIERS in the kernels' own sections, and the sizes of .nv.shared sections. Errors: not a
// cubin, tables outside the file, no kernels.
[[nodiscard]] Result<std::vector<CompiledKernel>> read_cubin(std::span<const uint8_t> bytes);

// Whether this is a cubin without code and variables: nvlink writes one if no unit has device code.
[[nodiscard]] bool is_empty_cubin(std::span<const uint8_t> bytes);

// Reads the output of `ptxas -v` or `nvcc -Xptxas -v`; ignores other lines. Errors: no kernel; a kernel without
// registers.
[[nodiscard]] Result<std::vector<CompiledKernel>> read_ptxas_info(std::string_view text);

enum class CompiledBy : uint8_t { Cubin, PtxasInfo };

// Compiled kernels by name and architecture.
class CompiledTable {
 public:
  struct Row {
    CompiledKernel kernel;
    CompiledBy from{};
  };
  // Adds a cubin or the text of ptxas; detects which.
  Status add_file(const std::string& path);
  void add(std::vector<CompiledKernel> kernels, CompiledBy from);
  // The machine code that a device of this compute capability (90 for 9.0) would run: the latest of its generation that
  // is not newer; else an entry of unknown architecture. null: none.
  [[nodiscard]] const Row* find(std::string_view kernel, unsigned compute_capability) const;
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

}  // namespace drywarp::fatbin
