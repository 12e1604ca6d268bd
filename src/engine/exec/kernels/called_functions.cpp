// Which functions run when a kernel is launched, and where their counters are.
#include <algorithm>
#include <set>

#include "engine/exec/kernels/loaded_module.h"
#include "language/analysis/passes.h"

namespace drywarp::exec {
namespace {

using ir::FunctionId;

// Functions called from `code` after inlining: directly, and every candidate if it calls through pointers.
std::set<FunctionId> callees(const ir::Module& module, const ir::Function& kernel, const ir::Function& code) {
  std::set<FunctionId> result;
  for (const ir::Instruction& in : code.instructions) {
    if (!analysis::really_calls(module, in)) continue;
    if (in.callee != ir::kNone) {
      result.insert(in.callee);
      continue;
    }
    for (FunctionId f : kernel.reachable)
      if (!module.functions[f].is_kernel && !module.functions[f].is_declaration) result.insert(f);
  }
  return result;
}

}  // namespace

const jit::PreparedFunction& analysed(LoadedModule& loaded, FunctionId function) {
  const auto found = loaded.analysed.find(function);
  if (found != loaded.analysed.end()) return found->second;
  return loaded.analysed.emplace(function, jit::analyse(*loaded.module, loaded.module->functions[function]))
      .first->second;
}

CalledFunctions called_functions(LoadedModule& loaded, FunctionId kernel) {
  CalledFunctions out;
  std::vector<FunctionId> work = {kernel};
  while (!work.empty()) {
    const FunctionId f = work.back();
    work.pop_back();
    if (std::ranges::find(out.parts, f, &CalledFunctions::Part::function) != out.parts.end()) continue;
    out.parts.push_back({f, out.counters});
    const jit::PreparedFunction& p = analysed(loaded, f);
    out.counters.blocks += static_cast<uint32_t>(p.code.blocks.size());
    out.counters.predicates += p.numbers.predicates;
    out.counters.branches += p.numbers.branches;
    out.counters.accesses += p.numbers.accesses;
    std::ranges::copy(callees(*loaded.module, loaded.module->functions[kernel], p.code), std::back_inserter(work));
  }
  return out;
}

}  // namespace drywarp::exec
