#include <algorithm>
#include <set>

#include "language/analysis/code_numbers.h"
#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::FunctionId;

// Functions called from `code` after inlining: directly, and every candidate if it calls through pointers.
std::set<FunctionId> callees(const ir::Module& module, const ir::Function& kernel, const ir::Function& code) {
  std::set<FunctionId> result;
  for (const ir::Instruction& in : code.instructions) {
    if (!really_calls(module, in)) continue;
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

std::vector<FunctionId> functions_to_run(const ir::Module& module, FunctionId kernel,
                                         const std::function<const ir::Function&(FunctionId)>& code_of) {
  std::vector<FunctionId> out, work = {kernel};
  while (!work.empty()) {
    const FunctionId f = work.back();
    work.pop_back();
    if (std::ranges::find(out, f) != out.end()) continue;
    out.push_back(f);
    std::ranges::copy(callees(module, module.functions[kernel], code_of(f)), std::back_inserter(work));
  }
  return out;
}

std::vector<CodePart> number_parts(std::span<const ir::Function* const> functions) {
  std::vector<CodePart> parts;
  CodePart next;
  for (const ir::Function* code : functions) {
    next.code = code;
    parts.push_back(next);
    const CodeNumbers numbers = number(*code);
    next.blocks += static_cast<uint32_t>(code->blocks.size());
    next.instructions += numbers.instructions;
    next.accesses += numbers.accesses;
  }
  return parts;
}

KernelToRun kernel_to_run(const ir::Module& module, FunctionId kernel) {
  KernelToRun out;
  const auto code_of = [&](FunctionId f) -> const ir::Function& {
    const auto known = out.functions.find(f);
    return known != out.functions.end()
               ? known->second
               : out.functions.emplace(f, code_to_run(module, module.functions[f])).first->second;
  };
  std::vector<const ir::Function*> functions;
  for (const FunctionId f : functions_to_run(module, kernel, code_of)) functions.push_back(&code_of(f));
  out.parts = number_parts(functions);
  return out;
}

}  // namespace drywarp::analysis
