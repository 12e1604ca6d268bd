// Which functions run when a kernel is launched, and where their counters are.
#include "engine/exec/kernels/loaded_module.h"
#include "language/analysis/passes.h"

namespace drywarp::exec {

using ir::FunctionId;

const jit::PreparedFunction& analysed(LoadedModule& loaded, FunctionId function) {
  const auto found = loaded.analysed.find(function);
  if (found != loaded.analysed.end()) return found->second;
  return loaded.analysed.emplace(function, jit::analyse(*loaded.module, loaded.module->functions[function]))
      .first->second;
}

CalledFunctions called_functions(LoadedModule& loaded, FunctionId kernel) {
  CalledFunctions out;
  const auto code_of = [&](FunctionId f) -> const ir::Function& { return analysed(loaded, f).code; };
  for (const FunctionId f : analysis::functions_to_run(*loaded.module, kernel, code_of)) {
    out.parts.push_back({f, out.counters});
    const jit::PreparedFunction& p = analysed(loaded, f);
    out.counters.blocks += static_cast<uint32_t>(p.code.blocks.size());
    out.counters.predicates += p.numbers.predicates;
    out.counters.branches += p.numbers.branches;
    out.counters.accesses += p.numbers.accesses;
  }
  return out;
}

}  // namespace drywarp::exec
