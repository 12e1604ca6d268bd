#include "cuda/modules/kernel_resources.h"

#include <algorithm>

#include "base/events/counts.h"
#include "cuda/modules/linker.h"
#include "language/analysis/passes.h"
#include "language/ir/build/build.h"
#include "language/ir/passes.h"
#include "model/sass/lower.h"

namespace drywarp::cuda {

KernelResourceModel::KernelResourceModel(const device::DeviceSpec& device,
                                         std::shared_ptr<const fatbin::CompiledTable> compiled, uint32_t max_registers,
                                         bool texts, std::string cache)
    : compute_capability_(device.compute_capability.number()),
      multiprocessor_registers_(device.registers_per_multiprocessor),
      multiprocessor_threads_(device.max_threads_per_multiprocessor),
      multiprocessor_shared_(device.shared_per_multiprocessor),
      shared_reserved_per_block_(device.shared_reserved_per_block),
      max_registers_(max_registers),
      texts_(texts),
      compiled_(std::move(compiled)),
      cache_(std::move(cache)) {}

CompiledKernel KernelResourceModel::compile(const ir::Module& module, std::span<const analysis::CodePart> parts,
                                            KernelInfo info, std::string_view ptx) const {
  const ir::Function& code = *parts.front().code;
  if (compiled_) apply_compiled(*compiled_, compute_capability_, info);
  // Devices that are too old for lowering use the oldest architecture that it models.
  sass::Options options{std::max(compute_capability_, sass::kOldest), max_registers_, multiprocessor_registers_,
                        multiprocessor_threads_};
  options.texts = texts_;
  options.multiprocessor_shared = multiprocessor_shared_;
  options.shared_reserved_per_block = shared_reserved_per_block_;
  const bool compiled = is_compiled(info.resources_from);
  if (compiled) {
    options.registers = info.registers;
    // A cubin states the size of the frame; bytes beyond the source's own locals are spills.
    options.spills = info.spill_store_bytes.value_or(info.local_bytes > code.local_bytes) != 0;
  }
  const std::string key = cache_.key(ptx, code.name, options);
  auto lowered = cache_.find(key);
  if (!lowered) {
    auto made = sass::lower(module, parts, options);
    if (!made) return {std::make_shared<const KernelInfo>(std::move(info)), nullptr};
    lowered = std::move(*made);
    cache_.keep(key, *lowered);
  }
  if (!compiled) {
    info.registers = lowered->registers;
    info.barriers = lowered->barriers;
    info.spill_store_bytes = lowered->spill_store_bytes;
    info.spill_load_bytes = lowered->spill_load_bytes;
    info.local_bytes += lowered->spill_frame_bytes;
    if (lowered->at_bounds) info.resources_from = ResourceSource::LaunchBounds;
  }
  return {std::make_shared<const KernelInfo>(std::move(info)),
          std::make_shared<const machine::MachineKernel>(std::move(*lowered))};
}

bool apply_compiled(const fatbin::CompiledTable& table, unsigned compute_capability, KernelInfo& info) {
  const fatbin::CompiledTable::Row* row = table.find(info.name, compute_capability);
  if (!row) return false;
  info.registers = row->kernel.registers;
  info.barriers = row->kernel.barriers;
  info.static_shared_bytes = row->kernel.shared_bytes;
  info.local_bytes = row->kernel.stack_bytes;
  info.spill_store_bytes = row->kernel.spill_store_bytes;
  info.spill_load_bytes = row->kernel.spill_load_bytes;
  info.resources_from = row->from == fatbin::CompiledBy::Cubin ? ResourceSource::Cubin : ResourceSource::PtxasInfo;
  return true;
}

Result<fatbin::CompiledTable> read_compiled(const std::string& paths) {
  fatbin::CompiledTable table;
  for (size_t at = 0; at < paths.size();) {
    const size_t end = std::min(paths.find(':', at), paths.size());
    if (end > at)
      if (Status status = table.add_file(paths.substr(at, end - at)); !status) return status.problem();
    at = end + 1;
  }
  return table;
}

fatbin::CompiledTable read_cubins(const std::vector<std::string>& cubins) {
  fatbin::CompiledTable table;
  for (const std::string& bytes : cubins)
    if (auto kernels = fatbin::read_cubin({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}))
      table.add(std::move(*kernels), fatbin::CompiledBy::Cubin);
  return table;
}

namespace {

uint32_t product(const uint32_t (&size)[3]) { return size[0] * std::max(size[1], 1u) * std::max(size[2], 1u); }

void add_kernels(const ir::Module& module, const KernelResourceModel& resources, std::vector<StaticKernel>& out) {
  for (const ir::Function& function : module.functions) {
    const bool known = std::ranges::any_of(out, [&](const StaticKernel& k) { return k.info.name == function.name; });
    if (!function.is_kernel || function.is_declaration || known) continue;
    const auto to_run =
        analysis::kernel_to_run(module, static_cast<ir::FunctionId>(&function - module.functions.data()));
    const ir::Function& code = *to_run.parts.front().code;
    KernelInfo info;
    info.name = function.name;
    info.display_name = display_name(function.name);
    info.static_shared_bytes = code.shared_bytes;
    info.local_bytes = code.local_bytes;
    StaticKernel kernel{.info = *resources.compile(module, to_run.parts, std::move(info)).info};
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
