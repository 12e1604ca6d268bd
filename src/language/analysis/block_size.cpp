// Whether blocks of another size do the same work.
#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::Opcode;
using ir::Operand;
using ir::SpecialRegister;

// What a register holds of the launch's shape.
enum class Role : uint8_t {
  None,
  Thread,      // %tid.x
  Block,       // %ctaid.x
  Threads,     // %ntid.x
  Blocks,      // %nctaid.x
  BlockStart,  // the number of the block's first thread in the grid
  Number,      // the thread's number in the grid: the same in blocks of any size
  AllThreads,  // of the grid: likewise
};

bool depends_on_block_size(Role role) { return role != Role::None && role != Role::Number && role != Role::AllThreads; }

Role role_of(SpecialRegister reg) {
  switch (reg) {
    case SpecialRegister::TidX:
      return Role::Thread;
    case SpecialRegister::CtaidX:
      return Role::Block;
    case SpecialRegister::NtidX:
      return Role::Threads;
    case SpecialRegister::NctaidX:
      return Role::Blocks;
    default:
      return Role::None;
  }
}

// Whether the register says how warps lie in blocks and blocks on multiprocessors.
bool places_warps(SpecialRegister reg) {
  switch (reg) {
    case SpecialRegister::WarpId:
    case SpecialRegister::NwarpId:
    case SpecialRegister::SmId:
      return true;
    default:
      return reg >= SpecialRegister::TotalSmemSize && reg != SpecialRegister::CurrentGraphExec;
  }
}

bool are(Role a, Role b, Role one, Role other) { return (a == one && b == other) || (a == other && b == one); }

Role product(Role a, Role b) {
  if (are(a, b, Role::Block, Role::Threads)) return Role::BlockStart;
  if (are(a, b, Role::Blocks, Role::Threads)) return Role::AllThreads;
  return Role::None;
}

Role sum(Role a, Role b) { return are(a, b, Role::BlockStart, Role::Thread) ? Role::Number : Role::None; }

class Roles {
 public:
  explicit Roles(const ir::Function& code) : registers_(code.registers.size(), Role::None) {
    std::vector<unsigned> definitions(code.registers.size(), 0);
    for (const ir::Instruction& in : code.instructions)
      for_each_definition(in, [&](ir::RegisterId r) { ++definitions[r]; });
    // A register's definition stands before its uses, where it has one.
    for (const ir::Instruction& in : code.instructions)
      if (in.dst.size() == 1 && in.dst[0].kind == Operand::Kind::Register && definitions[in.dst[0].id] == 1)
        registers_[in.dst[0].id] = result(in);
  }

  [[nodiscard]] Role of(const Operand& operand) const {
    if (operand.kind == Operand::Kind::Special) return role_of(operand.special);
    return operand.kind == Operand::Kind::Register ? registers_[operand.id] : Role::None;
  }
  [[nodiscard]] Role of(ir::RegisterId r) const { return r == ir::kNone ? Role::None : registers_[r]; }

  // Of what the instruction computes.
  [[nodiscard]] Role result(const ir::Instruction& in) const {
    if (in.guard || in.mods.part == ir::Part::Hi) return Role::None;
    const auto source = [&](size_t i) { return i < in.src.size() ? of(in.src[i]) : Role::None; };
    switch (in.op) {
      case Opcode::Mov:
      case Opcode::Cvt:
        return ir::is_float(in.type) ? Role::None : source(0);
      case Opcode::Mul:
        return product(source(0), source(1));
      case Opcode::Mad:
        return sum(product(source(0), source(1)), source(2));
      case Opcode::Add:
        return sum(source(0), source(1));
      default:
        return Role::None;
    }
  }

 private:
  std::vector<Role> registers_;
};

}  // namespace

bool any_block_size(const ir::Module& module, const ir::Function& code) {
  if (code.shared_bytes != 0 || code.reqntid[0] != 0) return false;
  const Roles roles(code);
  for (const ir::Instruction& in : code.instructions) {
    const ir::Family family = ir::info(in.op).family;
    if (family == ir::Family::Barrier || in.mods.space == AddressSpace::Shared || really_calls(module, in))
      return false;
    for (const auto* address : {&in.address, &in.address2})
      if (*address && depends_on_block_size(roles.of((*address)->reg))) return false;
    // What the block's shape becomes: a number that does not depend on it, or a register that is followed further.
    const Role result = roles.result(in);
    const bool kept = result != Role::None && (!depends_on_block_size(result) || roles.of(in.dst[0]) == result);
    for (const auto* operands : {&in.src, &in.call_arguments})
      for (const Operand& operand : *operands) {
        if (operand.kind == Operand::Kind::Special && places_warps(operand.special)) return false;
        if (!kept && depends_on_block_size(roles.of(operand))) return false;
      }
  }
  return true;
}

}  // namespace drywarp::analysis
