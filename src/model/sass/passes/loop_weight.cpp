#include "model/sass/passes/loop_weight.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "language/ir/bulk_copies.h"
#include "model/sass/passes/unroll.h"

namespace drywarp::sass {
namespace {

using ir::Family;
using ir::Opcode;

constexpr unsigned kHeaviestAlone = 21, kForSharedRead = 5, kHeaviestWithShared = 99, kHeaviestReader = 49;
// Atomics on 32-bit integers, which ptxas may do for a warp at once, and divisions weigh what they become.
// So does each array of shared memory that the PTX names.
constexpr unsigned kIntegerAtomic = 10, kDivision = 21, kDivisionByConstant = 18, kSharedBase = 3;

bool is_power_of_two(const ir::Operand& o) {
  return o.kind == ir::Operand::Kind::Immediate && std::has_single_bit(o.bits);
}

unsigned weight_of_atomic(const ir::Instruction& in) {
  using enum ir::AtomOp;
  const ir::AtomOp op = in.mods.atom;
  const bool combines = op == Add || op == Min || op == Max || op == And || op == Or || op == Xor;
  return combines && ir::bits(in.type) == 32 && !ir::is_float(in.type) ? kIntegerAtomic : 1;
}

// What is left of an instruction of the PTX; nothing where it is part of another one.
struct Made {
  unsigned issued = 0;
  bool here = false, elsewhere = false;  // in the loop's block, or in others
};

// By instruction.
std::vector<Made> made_of(const Kernel& kernel, uint32_t block) {
  std::vector<Made> made(kernel.function->instructions.size());
  for (uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (const Instruction& c : kernel.blocks[b].code) {
      if (c.instruction == kNone) continue;
      Made& m = made[c.instruction];
      (b == block ? m.here : m.elsewhere) = true;
      if (b == block) m.issued += issued(c);
    }
  return made;
}

auto writes(const ir::Function& f, ir::RegisterId r) {
  return std::ranges::count_if(f.instructions, [&](const ir::Instruction& in) {
    return std::ranges::any_of(in.dst, [&](const ir::Operand& d) { return d.id == r; });
  });
}

bool names_shared(const Kernel& kernel, const ir::Instruction& in) {
  const auto is_shared = [&](ir::SymbolId s) { return ir::is_shared(kernel.module->symbols[s].space); };
  if (in.address && in.address->symbol != ir::kNone) return is_shared(in.address->symbol);
  return std::ranges::any_of(
      in.src, [&](const ir::Operand& s) { return s.kind == ir::Operand::Kind::Symbol && is_shared(s.id); });
}

unsigned operations(const ir::Function& f, const ir::Instruction& in, const Made& made) {
  const bool of_floats = ir::is_float(in.type);
  switch (ir::info(in.op).family) {
    case Family::Arithmetic:
      if ((in.op == Opcode::Div || in.op == Opcode::Rem) && !of_floats)
        return in.src[1].kind == ir::Operand::Kind::Immediate ? kDivisionByConstant : kDivision;
      if (in.op == Opcode::Abs || in.op == Opcode::Neg) return made.issued != 0 ? 1 : 0;
      // The product of a multiply-add.
      if (!made.here && in.op == Opcode::Mul && in.mods.part != ir::Part::Wide && !is_power_of_two(in.src[1])) return 0;
      if (in.op == Opcode::Div) return made.issued;
      return in.mods.part == ir::Part::Wide && ir::bits(in.type) == 16 ? 2 : 1;  // extends a factor
    case Family::Convert:
      return ir::bits(in.type) == 16 && ir::bits(in.type2) == 32 && !ir::is_float(in.type) ? 0 : 1;
    case Family::Bits:
    case Family::Logic:
    case Family::Compare:
      return 1;
    case Family::Move:
      if (in.op != Opcode::Mov) return 0;
      if (in.src.size() > 1) return ir::bits(in.type) == 64 ? 1 : 0;
      // A literal that another block's value joins.
      return in.src[0].kind == ir::Operand::Kind::Immediate && writes(f, in.dst[0].id) > 1 ? 1 : 0;
    case Family::Load: {
      const bool of_constants = in.mods.space == AddressSpace::Const;
      return (of_constants ? static_cast<unsigned>(in.dst.size()) : 1) + (ir::bits(in.type) == 8 ? 1 : 0);
    }
    case Family::Special:
      return in.op == Opcode::Sin || in.op == Opcode::Cos ? 1 : made.issued;
    case Family::Atomic:
      return weight_of_atomic(in);
    default:
      return made.issued;
  }
}

}  // namespace

void LoopWeight::add(const Kernel& kernel, const Step& step) {
  const ir::Function& f = *kernel.function;
  const ir::Block& block = f.blocks[step.block];
  unsigned bases = 0;
  const std::vector<Made> made = made_of(kernel, step.block);
  for (uint32_t i = block.first; i < block.end; ++i) {
    const ir::Instruction& in = f.instructions[i];
    const Family family = ir::info(in.op).family;
    bases += names_shared(kernel, in);
    const bool gone = !made[i].here && (made[i].elsewhere || family == Family::Load);
    if (in.origin == ir::Origin::Held || gone) continue;
    weight += operations(f, in, made[i]);
    if (in.address && in.address->offset != 0) ++weight;
    if (family == Family::Fence) stays_one = true;
    if (ir::traits(family).effect == ir::Effect::Lasting && family != Family::Store) acts_together = true;
    if (family != Family::Load) continue;
    const AddressSpace space = in.mods.space;
    if (ir::is_shared(space))
      ++shared_reads;
    else if (space != AddressSpace::Const && space != AddressSpace::Param)
      reads_outside = true;
  }
  weight += bases * kSharedBase;
  for (const Instruction& c : kernel.blocks[step.block].code)
    if (c.op == machine::Operation::Bra && c.role != Role::Branch) stays_one = true;  // to a slow path
}

bool LoopWeight::is_light() const {
  if (stays_one) return false;
  const unsigned bound = std::min(kHeaviestAlone + kForSharedRead * shared_reads, kHeaviestWithShared);
  return weight <= std::max(bound, reads_outside ? kHeaviestReader : 0);
}

}  // namespace drywarp::sass
