// What kernels take of a multiprocessor: registers, barriers, spills from our register allocator, or from what a real
// compiler said of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/device/device_spec.h"
#include "base/events/counts.h"
#include "base/support/result.h"
#include "cuda/fatbin/compiled_kernels.h"
#include "language/ir/kernel.h"

namespace drywarp::cuda {

class KernelResourceModel {
 public:
  // `compiled` may be null. It is asked first, the allocator where it does not know a kernel.
  explicit KernelResourceModel(const device::DeviceSpec& device,
                               std::shared_ptr<const fatbin::CompiledTable> compiled = nullptr);

  // `code` with calls inlined. `info` has its name already, and its instructions if it is to be timed; shared and local
  // memory are corrected where the compiler knows better. What is in `info` as a compiler's word is kept, unless
  // `compiled` has its own. Lowers the kernel, with the registers that it has: KernelInfo::machine_code.
  void describe(const ir::Module& module, const ir::Function& code, KernelInfo& info) const;

 private:
  uint32_t compute_capability_, multiprocessor_registers_;
  std::shared_ptr<const fatbin::CompiledTable> compiled_;
};

// Puts what a compiler said in the place of estimates; false: the table does not know the kernel of `info.name`.
bool take_compiled(const fatbin::CompiledTable& table, unsigned compute_capability, KernelInfo& info);

// Reads cubins and texts of `ptxas -v`. `paths`: "a.cubin:b.txt".
Result<fatbin::CompiledTable> read_compiled(const std::string& paths);
// The kernels of machine code that a program carries; what cannot be read is left out.
fatbin::CompiledTable read_cubins(const std::vector<std::string>& cubins);

}  // namespace drywarp::cuda
