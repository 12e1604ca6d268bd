#include "cuda/modules/static_kernels.h"

#include <algorithm>

#include "base/events/kernel_name.h"
#include "cuda/modules/link_ptx.h"
#include "language/analysis/split_blocks.h"
#include "language/ir/build/build.h"
#include "language/ir/inline_calls.h"

namespace drywarp::cuda {
namespace {

uint32_t product(const uint32_t (&size)[3]) { return size[0] * std::max(size[1], 1u) * std::max(size[2], 1u); }

void add_kernels(const ir::Module& module, const KernelResourceModel& resources, std::vector<StaticKernel>& out) {
  for (const ir::Function& function : module.functions) {
    const bool known = std::ranges::any_of(out, [&](const StaticKernel& k) { return k.info.name == function.name; });
    if (!function.is_kernel || function.is_declaration || known) continue;
    const ir::Function code = analysis::split_at_waits(module, ir::inline_calls(module, function));
    StaticKernel kernel;
    kernel.info.name = function.name;
    kernel.info.display_name = display_name(function.name);
    kernel.info.static_shared_bytes = code.shared_bytes;
    kernel.info.local_bytes = code.local_bytes;
    resources.describe(module, code, kernel.info);
    for (const auto* bounds : {&function.maxntid, &function.reqntid})
      if ((*bounds)[0] != 0) kernel.block_limit = product(*bounds);
    if (function.reqntid[0] != 0)
      kernel.required_block = {function.reqntid[0], std::max(function.reqntid[1], 1u),
                               std::max(function.reqntid[2], 1u)};
    out.push_back(std::move(kernel));
  }
}

}  // namespace

Result<std::vector<StaticKernel>> static_kernels(const std::vector<std::string>& units, const std::string& name,
                                                 const KernelResourceModel& resources) {
  std::vector<StaticKernel> kernels;
  // Units of relocatable code form one module. Units of other programs may conflict; then each is a module.
  if (units.size() > 1) {
    if (auto module = ir::parse_module(link_ptx(units), name)) {
      add_kernels(*module, resources, kernels);
      return kernels;
    }
  }
  for (const std::string& unit : units) {
    auto module = ir::parse_module(unit, name);
    if (!module) return module.problem();
    add_kernels(*module, resources, kernels);
  }
  return kernels;
}

}  // namespace drywarp::cuda
