// Compiles kernels, and the functions that they really call, when they are first launched with a block shape.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>

#include "engine/exec/kernels/loaded_module.h"
#include "language/analysis/passes.h"
#include "language/ir/print.h"

namespace drywarp::exec {
namespace {

using ir::FunctionId;
using ir::Opcode;

bool may_spin(const analysis::WaitingLoops& loops) {
  return std::any_of(loops.header.begin(), loops.header.end(),
                     [](analysis::Waiting w) { return w != analysis::Waiting::Never; });
}

// Arguments and results in registers go through the register file.
bool passes_registers(const ir::Module& module, const ir::Function& code) {
  auto is_register = [](const ir::Operand& o) { return o.kind == ir::Operand::Kind::Register; };
  return std::any_of(code.instructions.begin(), code.instructions.end(), [&](const ir::Instruction& in) {
    return analysis::really_calls(module, in) &&
           (std::any_of(in.call_arguments.begin(), in.call_arguments.end(), is_register) ||
            std::any_of(in.call_results.begin(), in.call_results.end(), is_register));
  });
}

// A reachable instruction that cannot be run is reported before the kernel starts.
std::optional<Diagnostic> cannot_run(const ir::Module& module, const jit::PreparedFunction& p) {
  for (ir::BlockId b : p.flow.order) {
    for (uint32_t i = p.code.blocks[b].first; i < p.code.blocks[b].end; ++i) {
      const ir::Instruction& in = p.code.instructions[i];
      if (ir::runs(in)) continue;
      SourceLocation location;
      uint32_t ptx_line = 0;
      if (in.place != ir::kNone) {
        const ir::Place& place = p.code.places[in.place];
        ptx_line = place.ptx_line;
        location = {module.name, ptx_line, 0};
        if (place.line != 0 && place.file < module.files.size())
          location = {module.files[place.file], place.line, place.column};
      }
      return error_at(location,
                      fmt::format("the kernel has an instruction that cannot be run yet, at line {} of the PTX: {}",
                                  ptx_line, ir::print(p.code, in)));
    }
  }
  return std::nullopt;
}

jit::PreparedFunction for_groups(const jit::PreparedFunction& prepared) {
  jit::PreparedFunction p = prepared;
  for (auto& shape : p.shapes.registers) shape = analysis::Shape::varying();
  return p;
}

}  // namespace

Result<LoadedKernel*> load_kernel(LoadedModule& loaded, jit::Compiler& compiler, FunctionId function,
                                  const analysis::BlockShape& block, bool counters, const CodeForm& wanted,
                                  uint32_t shared_period, CompileSteps& steps) {
  std::lock_guard lock(loaded.mutex);
  // Where no variables are to be told apart, the code is that of runs without denials.
  CodeForm form = wanted;
  const SharedLayout* const layout = form.events.denials ? &shared_layout(loaded, function) : nullptr;
  form.events.denials = layout && layout->tells_apart();
  form.events.pointers = layout && computes_pointers(loaded, function);
  auto& known = loaded.kernels[{function, block.x, block.y, block.z, counters, form, shared_period}];
  const auto follow_pointers = [&](LoadedKernel& kernel) {
    if (!wanted.events.denials || !kernel.pointers.of.empty()) return;
    kernel.pointers = analysis::pointer_sources(*loaded.module, kernel.prepared.code);
  };
  if (known) {
    follow_pointers(*known);
    return known.get();
  }
  const auto start = std::chrono::steady_clock::now();
  const ir::Module& module = *loaded.module;
  auto prepare = [&](FunctionId id) -> Result<std::unique_ptr<LoadedKernel>> {
    auto kernel = std::make_unique<LoadedKernel>();
    kernel->prepared = jit::prepare(analysed(loaded, id), block);
    if (auto problem = cannot_run(module, kernel->prepared)) return *problem;
    kernel->can_spin = may_spin(kernel->prepared.loops);
    const ir::Function& code = kernel->prepared.code;
    kernel->register_bytes = code.registers.size() * jit::register_stride(code);
    if (form.events.denials) kernel->shared_layout = layout, kernel->accessed_variables = &layout->accessed.at(id);
    return kernel;
  };
  const CalledFunctions functions = called_functions(loaded, function);
  auto made = prepare(function);
  if (!made) return made.problem();
  std::unique_ptr<LoadedKernel> kernel = std::move(*made);
  kernel->counters = functions.counters;
  bool reschedules = kernel->prepared.waits || passes_registers(module, kernel->prepared.code) ||
                     !kernel->prepared.racing.yielding.empty();
  bool clocked = kernel->prepared.reads_clock;
  kernel->called.resize(module.functions.size());
  for (const CalledFunctions::Part& part : functions.parts | std::views::drop(1)) {
    auto callee = prepare(part.function);
    if (!callee) return callee.problem();
    const jit::PreparedFunction& p = (*callee)->prepared;
    kernel->called[part.function] = {callee->get(), part.counters};
    kernel->can_spin |= (*callee)->can_spin;
    kernel->prepared.order_sensitive |= p.order_sensitive;
    kernel->prepared.uses_reserved_shared |= p.uses_reserved_shared;
    kernel->prepared.uses_workspace |= p.uses_workspace;
    clocked |= p.reads_clock;
    reschedules |= p.waits || passes_registers(module, p.code) || !p.racing.yielding.empty();
    kernel->owned.push_back(std::move(*callee));
  }
  reschedules |= kernel->can_spin;
  auto compile = [&](LoadedKernel& k) -> Status {
    k.options = {counters, form.events, form.watched, reschedules, clocked, compiler.vector_bits(), shared_period};
    auto code = compiler.compile_warp_form(module, k.prepared, k.options, loaded.identity);
    if (!code) return code.problem();
    k.warp_form = code->function, k.frame_bytes = code->frame_bytes;
    ++steps.done;
    return {};
  };
  steps.total += uint32_t(1 + kernel->owned.size());
  if (Status done = compile(*kernel); !done) return done.problem();
  for (auto& callee : kernel->owned)
    if (Status done = compile(*callee); !done) return done.problem();
  kernel->info = kernel_info(loaded, function);
  kernel->compile_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  follow_pointers(*kernel);
  known = std::move(kernel);
  return known.get();
}

bool may_wait(LoadedModule& loaded, FunctionId kernel) {
  const std::lock_guard lock(loaded.mutex);
  const auto [answer, is_new] = loaded.waits.try_emplace(kernel, false);
  if (!is_new) return answer->second;
  answer->second = std::ranges::any_of(called_functions(loaded, kernel).parts, [&](const CalledFunctions::Part& part) {
    return may_spin(analysed(loaded, part.function).loops);
  });
  return answer->second;
}

bool uses_workspace(LoadedModule& loaded, FunctionId kernel) {
  const std::lock_guard lock(loaded.mutex);
  const auto [answer, is_new] = loaded.workspaces.try_emplace(kernel, false);
  if (!is_new) return answer->second;
  answer->second = std::ranges::any_of(called_functions(loaded, kernel).parts, [&](const CalledFunctions::Part& part) {
    return analysed(loaded, part.function).uses_workspace;
  });
  return answer->second;
}

Status load_group_form(LoadedModule& loaded, jit::Compiler& compiler, LoadedKernel& kernel) {
  std::lock_guard lock(kernel.mutex);
  if (kernel.group_form) return {};
  kernel.group_prepared = for_groups(kernel.prepared);
  auto code = compiler.compile_group_form(*loaded.module, kernel.group_prepared, kernel.options, loaded.identity);
  if (!code) return code.problem();
  kernel.group_frame_bytes = code->frame_bytes;
  kernel.group_form = code->function;
  return {};
}

}  // namespace drywarp::exec
