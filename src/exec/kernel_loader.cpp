// Compiles kernels, and the functions that they really call, when they are first launched with a block shape.
#include <set>

#include "exec/loaded_module.h"

namespace drywarp::exec {
namespace {

using ir::FunctionId;
using ir::Opcode;

// Loops that can wait for another thread: anything that reads what another thread may write while it runs.
bool may_spin(const ir::Function& code) {
  for (const ir::Instruction& in : code.instructions) {
    const ir::Family family = ir::info(in.op).family;
    if (family == ir::Family::Atomic || family == ir::Family::Mbarrier) return true;
    if (in.op == Opcode::Ld && in.mods.order != ir::Order::Weak) return true;
    if (in.op == Opcode::Nanosleep) return true;
  }
  return false;
}

// Functions called from `code` after inlining: directly, and every candidate if it calls through pointers.
std::set<FunctionId> callees(const ir::Module& module, const ir::Function& code) {
  std::set<FunctionId> result;
  for (const ir::Instruction& in : code.instructions) {
    if (in.op != Opcode::Call || in.origin == ir::Origin::InlinedCall) continue;
    if (in.callee != ir::kNone) {
      if (!module.functions[in.callee].is_declaration) result.insert(in.callee);
      continue;
    }
    for (FunctionId f : code.reachable)
      if (!module.functions[f].is_kernel && !module.functions[f].is_declaration) result.insert(f);
  }
  return result;
}

jit::PreparedFunction for_groups(const jit::PreparedFunction& prepared) {
  jit::PreparedFunction p = prepared;
  for (auto& shape : p.shapes.registers) shape = analysis::Shape::varying();
  return p;
}

}  // namespace

Result<LoadedKernel*> load_kernel(LoadedModule& loaded, jit::Compiler& compiler, FunctionId function,
                                  const analysis::BlockShape& block, bool counters) {
  std::lock_guard lock(loaded.mutex);
  auto& known = loaded.kernels[{function, block.x, block.y, block.z, counters}];
  if (known) return known.get();
  const auto start = std::chrono::steady_clock::now();
  const ir::Module& module = *loaded.module;
  auto compile = [&](FunctionId id) -> Result<std::unique_ptr<LoadedKernel>> {
    auto kernel = std::make_unique<LoadedKernel>();
    kernel->prepared = jit::prepare(module, module.functions[id], block);
    kernel->options = {counters, compiler.vector_bits()};
    kernel->can_spin = may_spin(kernel->prepared.code);
    auto code = compiler.compile_warp_form(module, kernel->prepared, kernel->options, loaded.identity);
    if (!code) return code.problem();
    kernel->warp_form = *code;
    return kernel;
  };
  auto made = compile(function);
  if (!made) return made.problem();
  std::unique_ptr<LoadedKernel> kernel = std::move(*made);
  auto info = start_kernel_info(module, kernel->prepared);
  auto grow = [&](const jit::PreparedFunction& p) {
    kernel->counters.blocks += p.code.blocks.size();
    kernel->counters.predicates += p.predicates;
    kernel->counters.branches += p.branches;
    kernel->counters.accesses += p.accesses;
  };
  grow(kernel->prepared);
  kernel->called.resize(module.functions.size());
  std::vector<FunctionId> work;
  for (FunctionId f : callees(module, kernel->prepared.code)) work.push_back(f);
  while (!work.empty()) {
    const FunctionId f = work.back();
    work.pop_back();
    if (kernel->called[f].code) continue;
    auto callee = compile(f);
    if (!callee) return callee.problem();
    kernel->called[f] = {callee->get(), kernel->counters};
    grow((*callee)->prepared);
    append_instructions(module, (*callee)->prepared, kernel->called[f].counters, *info);
    kernel->can_spin |= (*callee)->can_spin;
    kernel->prepared.order_sensitive |= (*callee)->prepared.order_sensitive;
    for (FunctionId next : callees(module, (*callee)->prepared.code)) work.push_back(next);
    kernel->owned.push_back(std::move(*callee));
  }
  kernel->can_diverge_apart = kernel->prepared.waits || kernel->can_spin;
  kernel->info = std::move(info);
  kernel->compile_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  known = std::move(kernel);
  return known.get();
}

Status load_group_form(LoadedModule& loaded, jit::Compiler& compiler, LoadedKernel& kernel) {
  std::lock_guard lock(kernel.mutex);
  if (kernel.group_form) return {};
  kernel.group_prepared = for_groups(kernel.prepared);
  auto code = compiler.compile_group_form(*loaded.module, kernel.group_prepared, kernel.options, loaded.identity);
  if (!code) return code.problem();
  kernel.group_form = *code;
  return {};
}

}  // namespace drywarp::exec
