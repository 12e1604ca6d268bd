#include "language/analysis/parameter_places.h"

#include <utility>

namespace drywarp::analysis {
namespace {

using ir::Opcode;
using ir::Operand;

constexpr unsigned kLongestChain = 8;  // of moves and additions

// The place in the parameters whose address an operand is.
std::optional<uint64_t> parameter_address(const ir::Module& module, const Operand& o, const OnlyDefinition& definition,
                                          unsigned depth) {
  if (o.negate || depth > kLongestChain) return std::nullopt;
  if (o.kind == Operand::Kind::Symbol) {
    const ir::Symbol& symbol = module.symbols[o.id];
    return symbol.space == AddressSpace::Param ? std::optional(symbol.offset + o.bits) : std::nullopt;
  }
  const ir::Instruction* in = o.kind == Operand::Kind::Register ? definition(o.id) : nullptr;
  if (!in || in->guard || in->dst.size() != 1) return std::nullopt;
  if (in->op == Opcode::Mov && in->src.size() == 1) return parameter_address(module, in->src[0], definition, depth + 1);
  if (in->op != Opcode::Add || in->src.size() != 2) return std::nullopt;
  for (const auto& [base, distance] : {std::pair(0, 1), std::pair(1, 0)})
    if (in->src[distance].kind == Operand::Kind::Immediate)
      if (const auto place = parameter_address(module, in->src[base], definition, depth + 1))
        return *place + in->src[distance].bits;
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> parameter_place(const ir::Module& module, const ir::Function& kernel,
                                        const ir::Instruction& load, const OnlyDefinition& definition) {
  if (!kernel.is_kernel || load.op != Opcode::Ld || load.mods.space != AddressSpace::Param || !load.address)
    return std::nullopt;
  const ir::Address& a = *load.address;
  if ((a.symbol == ir::kNone) == (a.reg == ir::kNone)) return std::nullopt;
  Operand base;
  base.kind = a.symbol != ir::kNone ? Operand::Kind::Symbol : Operand::Kind::Register;
  base.id = a.symbol != ir::kNone ? a.symbol : a.reg;
  const std::optional<uint64_t> place = parameter_address(module, base, definition, 0);
  return place ? std::optional(*place + static_cast<uint64_t>(a.offset)) : std::nullopt;
}

}  // namespace drywarp::analysis
