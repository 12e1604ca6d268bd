// Resources of kernels: registers, barriers and spills, from our register allocator or from a real compiler's output.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/device/device_spec.h"
#include "base/events/counts.h"
#include "base/support/result.h"
#include "cuda/fatbin/compiled_kernels.h"
#include "cuda/modules/lowering_cache.h"
#include "language/analysis/code_numbers.h"
#include "language/ir/kernel.h"
#include "model/machine/machine_code.h"

namespace drywarp::cuda {

// A kernel, ready to be launched and timed.
struct CompiledKernel {
  std::shared_ptr<const KernelInfo> info;
  std::shared_ptr<const machine::MachineKernel> machine_code;  // with the registers of `info`; null: cannot be lowered
};

class KernelResourceModel {
 public:
  // `compiled` may be null. It takes precedence; the register allocator handles kernels that it lacks.
  // `max_registers`: as -maxrregcount; 0: no limit. `texts`: whether machine code has texts, for listings.
  // `cache`: a folder for machine code; empty: none.
  explicit KernelResourceModel(const device::DeviceSpec& device,
                               std::shared_ptr<const fatbin::CompiledTable> compiled = nullptr,
                               uint32_t max_registers = 0, bool texts = false, std::string cache = {});

  // `parts`: the kernel as analysis::code_to_run and what it really calls. `info` has its name. Adds registers,
  // barriers and spills, and corrects shared and local memory. A compiler's values in `info` stay, unless `compiled`
  // has its own. `ptx`: a digest of the module's text; empty: nothing is cached.
  [[nodiscard]] CompiledKernel compile(const ir::Module& module, std::span<const analysis::CodePart> parts,
                                       KernelInfo info, std::string_view ptx = {}) const;
  [[nodiscard]] unsigned compute_capability() const { return compute_capability_; }  // 90 for 9.0

 private:
  uint32_t compute_capability_, multiprocessor_registers_, multiprocessor_threads_, multiprocessor_shared_,
      shared_reserved_per_block_, max_registers_;
  bool texts_;
  std::shared_ptr<const fatbin::CompiledTable> compiled_;
  LoweringCache cache_;
};

// Replaces estimates by a compiler's values; false: the table lacks the kernel `info.name`.
bool apply_compiled(const fatbin::CompiledTable& table, unsigned compute_capability, KernelInfo& info);

// Reads cubins and texts of `ptxas -v`. `paths`: "a.cubin:b.txt".
Result<fatbin::CompiledTable> read_compiled(const std::string& paths);
// The kernels in a program's machine code; unreadable cubins are left out.
fatbin::CompiledTable read_cubins(const std::vector<std::string>& cubins);

// The kernels in PTX text and their resources, without an engine to run them.
struct StaticKernel {
  KernelInfo info;                                     // without instructions
  uint32_t block_limit = 0;                            // most threads a block, by launch bounds; 0: the device's limit
  std::array<uint32_t, 3> required_block = {0, 0, 0};  // .reqntid; zeros: any
};

// `units`: the PTX texts of one program. `name`: the file's, for messages. Errors: PTX that does not parse.
Result<std::vector<StaticKernel>> static_kernels(const std::vector<std::string>& units, const std::string& name,
                                                 const KernelResourceModel& resources);

}  // namespace drywarp::cuda
