#include "model/sass/select/select.h"

#include "language/analysis/passes.h"
#include "model/sass/select/handlers.h"

namespace drywarp::sass {

Source size_of_launch(ir::SpecialRegister special) {
  using R = ir::SpecialRegister;
  const auto number = static_cast<uint64_t>(special);
  if (special >= R::NtidX && special <= R::NtidZ)
    return Source::constant(kBlockSize + 4 * (number - static_cast<uint64_t>(R::NtidX)), 1);
  if (special >= R::NctaidX && special <= R::NctaidZ)
    return Source::constant(kGridSize + 4 * (number - static_cast<uint64_t>(R::NctaidX)), 1);
  return {};
}

Kernel select(const ir::Module& module, const ir::Function& function, uint32_t compute_capability) {
  Kernel kernel;
  kernel.module = &module;
  kernel.function = &function;
  kernel.compute_capability = compute_capability;
  for (const ir::Register& r : function.registers)
    kernel.registers.push_back(
        {r.type == ir::Type::Pred ? RegisterFile::Predicate : RegisterFile::General, words(r.type)});
  kernel.blocks.resize(function.blocks.size());
  Writer write(kernel);
  Operands operands(module, function, write);
  if (!function.is_kernel)
    for (const ir::Parameter& parameter : function.parameters)
      for (const Register r : operands.slots(parameter.symbol)) kernel.parameters.push_back(r);
  for (size_t b = 0; b < function.blocks.size(); ++b)
    for (uint32_t i = function.blocks[b].first; i < function.blocks[b].end; ++i) {
      const ir::Instruction& in = function.instructions[i];
      if (in.origin == ir::Origin::Held) continue;
      write.begin(kernel.blocks[b], in, i);
      handler(in.op)(write, operands, in);
    }
  // Lanes that called different functions reconverge behind the call, which ends its block.
  for (size_t b = 0; b < function.blocks.size(); ++b) {
    const ir::Block& block = function.blocks[b];
    const ir::Instruction* last = block.first == block.end ? nullptr : &function.instructions[block.end - 1];
    if (!last || last->callee != ir::kNone || !analysis::really_calls(module, *last)) continue;
    for (const ir::BlockId next : block.successors) {
      if (next == ir::kExit) continue;
      Instruction close;
      close.op = Operation::Bsync;
      close.role = Role::Effect;
      close.instruction = block.end - 1;
      kernel.blocks[next].code.insert(kernel.blocks[next].code.begin(), close);
    }
  }
  return kernel;
}

}  // namespace drywarp::sass
