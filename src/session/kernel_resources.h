// What kernels take of a multiprocessor: registers, barriers, spills from our register allocator, or from what a real
// compiler said of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device_spec.h"
#include "device/occupancy.h"
#include "events/counts.h"
#include "fatbin/compiled_kernels.h"
#include "ir/kernel.h"
#include "support/result.h"

namespace drywarp::session {

class KernelResourceModel {
 public:
  // `compiled` may be null. It is asked first, the allocator where it does not know a kernel.
  explicit KernelResourceModel(const device::DeviceSpec& device,
                               std::shared_ptr<const fatbin::CompiledTable> compiled = nullptr);

  // `code` with calls inlined. `info` has its name already; shared and local memory are corrected where the compiler
  // knows better.
  void describe(const ir::Module& module, const ir::Function& code, KernelInfo& info) const;

 private:
  void estimate(const ir::Module& module, const ir::Function& code, KernelInfo& info) const;

  uint32_t compute_capability_, multiprocessor_registers_;
  std::shared_ptr<const fatbin::CompiledTable> compiled_;
};

// Puts what a compiler said in the place of estimates; false: the table does not know the kernel of `info.name`.
bool take_compiled(const fatbin::CompiledTable& table, unsigned compute_capability, KernelInfo& info);

// Reads cubins and texts of `ptxas -v`. `paths`: "a.cubin:b.txt".
Result<fatbin::CompiledTable> read_compiled(const std::string& paths);
// The kernels of machine code that a program carries; what cannot be read is left out.
fatbin::CompiledTable read_cubins(const std::vector<std::string>& cubins);

// What the occupancy algorithm needs to know of a kernel; the block's threads and dynamic shared memory are the
// launch's.
device::OccupancyRequest occupancy_request(const KernelInfo& kernel);
// The same with as many registers as a block of so many threads can have, if the number is an estimate: our allocator's
// word must not forbid a block that the program runs with on a GPU.
device::OccupancyRequest occupancy_request(const device::DeviceSpec& device, const KernelInfo& kernel,
                                           uint32_t threads_per_block, uint64_t dynamic_shared_bytes);

}  // namespace drywarp::session
