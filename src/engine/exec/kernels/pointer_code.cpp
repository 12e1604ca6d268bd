// Which kernels say under memcheck from which pointers they compute addresses (RunEvents::pointers).
#include <algorithm>

#include "engine/exec/kernels/loaded_module.h"
#include "language/analysis/passes.h"

namespace drywarp::exec {
namespace {

bool moves_matrices(const ir::Function& code) {
  return std::ranges::any_of(code.instructions, [](const ir::Instruction& in) {
    return in.op == ir::Opcode::WmmaLoad || in.op == ir::Opcode::WmmaStore;
  });
}

}  // namespace

bool computes_pointers(LoadedModule& loaded, ir::FunctionId kernel) {
  const auto known = loaded.pointers.find(kernel);
  if (known != loaded.pointers.end()) return known->second;
  const std::vector<CalledFunctions::Part> parts = called_functions(loaded, kernel).parts;
  return loaded.pointers[kernel] = std::ranges::any_of(parts, [&](const CalledFunctions::Part& part) {
           const ir::Function& code = analysed(loaded, part.function).code;
           return moves_matrices(code) || !analysis::computed_addresses(*loaded.module, code).empty();
         });
}

}  // namespace drywarp::exec
