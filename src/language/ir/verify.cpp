
#include <algorithm>

#include "language/ir/operand_forms.h"
#include "language/ir/passes.h"
#include "language/ir/print.h"

namespace drywarp::ir {
namespace {

class Verifier {
 public:
  Verifier(const Module& module, const Function& function) : module_(module), function_(function) {}

  Status run() {
    if (function_.is_declaration) return {};
    if (!blocks()) return problem();
    for (const Instruction& instruction : function_.instructions) {
      if (!check(instruction)) return problem(&instruction);
    }
    for (uint32_t i = 0; i < function_.places.size() && why_ == nullptr; ++i) {
      const uint32_t at = function_.places[i].inlined_at;
      if (at != kNone && at >= function_.places.size()) why_ = "place inlined at a place that does not exist";
    }
    return why_ == nullptr ? Status{} : problem();
  }

 private:
  bool fail(const char* why) {
    why_ = why;
    return false;
  }

  Diagnostic problem(const Instruction* instruction = nullptr) const {
    SourceLocation at;
    at.file = module_.name;
    std::string message = "malformed code in '" + function_.name + "': " + why_;
    if (instruction != nullptr) {
      if (instruction->place < function_.places.size()) at.line = function_.places[instruction->place].ptx_line;
      message += " in '" + print(function_, *instruction) + "'";
    }
    return error_at(std::move(at), std::move(message));
  }

  bool blocks() {
    const size_t count = function_.blocks.size();
    if (count == 0) return fail("no block");
    uint32_t next = 0;
    for (const Block& block : function_.blocks) {
      if (block.first != next || block.end < block.first) return fail("blocks do not cover the instructions in order");
      next = block.end;
      for (uint32_t i = block.first; i < block.end && i < function_.instructions.size(); ++i) {
        if (is_terminator(function_.instructions[i]) && i + 1 != block.end) return fail("terminator inside a block");
      }
      for (BlockId successor : block.successors) {
        if (successor != kExit && successor >= count) return fail("successor that does not exist");
      }
    }
    if (next != function_.instructions.size()) return fail("blocks do not cover the instructions");
    Function copy;
    copy.blocks = function_.blocks;
    for (BlockId id = 0; id < count; ++id) {
      const Block& block = function_.blocks[id];
      const Instruction* last = block.first < block.end ? &function_.instructions[block.end - 1] : nullptr;
      const BlockId following = id + 1 < count ? id + 1 : kExit;
      if (last == nullptr || !is_terminator(*last)) {
        if (block.successors != std::vector<BlockId>{following})
          return fail("successors do not say where a block goes");
        continue;
      }
      const auto has = [&](BlockId s) {
        return std::find(block.successors.begin(), block.successors.end(), s) != block.successors.end();
      };
      bool good = !last->guard || has(following);
      if (last->op == Opcode::Bra) good = good && has(last->target);
      if (last->op == Opcode::BrxIdx) good = good && std::all_of(last->targets.begin(), last->targets.end(), has);
      if (last->op == Opcode::Ret || last->op == Opcode::Exit || last->op == Opcode::Trap) good = good && has(kExit);
      if (!good) return fail("successors do not say where a block goes");
    }
    return true;
  }

  bool check(const Operand& operand, bool destination) {
    switch (operand.kind) {
      case Operand::Kind::Register:
        return operand.id < function_.registers.size() || fail("register that does not exist");
      case Operand::Kind::Sink:
        return true;
      case Operand::Kind::Symbol:
        if (destination) return fail("destination that is no register");
        return operand.id < module_.symbols.size() || fail("symbol that does not exist");
      case Operand::Kind::Function:
        if (destination) return fail("destination that is no register");
        return operand.id < module_.functions.size() || fail("function that does not exist");
      case Operand::Kind::Immediate:
      case Operand::Kind::Special:
        return !destination || fail("destination that is no register");
      case Operand::Kind::None:
        break;
    }
    return fail("operand without a kind");
  }

  bool check(const std::optional<Address>& address) {
    if (!address) return true;
    if (address->reg != kNone && address->symbol != kNone) return fail("address with a register and a symbol");
    if (address->reg != kNone && address->reg >= function_.registers.size())
      return fail("register that does not exist");
    if (address->symbol != kNone && address->symbol >= module_.symbols.size())
      return fail("symbol that does not exist");
    return true;
  }

  bool check(const Instruction& instruction) {
    if (instruction.guard) {
      if (instruction.guard.reg >= function_.registers.size()) return fail("guard that does not exist");
      if (function_.registers[instruction.guard.reg].type != Type::Pred) return fail("guard that is no predicate");
    }
    if (instruction.place != kNone && instruction.place >= function_.places.size())
      return fail("place that does not exist");
    for (const Operand& operand : instruction.dst) {
      if (!check(operand, true)) return false;
    }
    for (const Operand& operand : instruction.src) {
      if (!check(operand, false)) return false;
    }
    for (const Operand& operand : instruction.call_arguments) {
      if (!check(operand, false)) return false;
    }
    for (const Operand& operand : instruction.call_results) {
      if (!check(operand, false)) return false;
    }
    if (!check(instruction.address) || !check(instruction.address2)) return false;
    if (instruction.op == Opcode::Call && instruction.origin == Origin::Text) {
      const bool direct = instruction.callee < module_.functions.size();
      const bool indirect = instruction.src.size() == 1 && instruction.prototype < module_.prototypes.size();
      if (!direct && !indirect) return fail("call of nothing");
    }
    if (!info(instruction.op).runs || instruction.op == Opcode::Call) return true;
    const OperandForm& want = operand_form(instruction.op);
    if (instruction.dst.size() > want.max_dst || instruction.dst.size() < want.min_dst)
      return fail("wrong number of destinations");
    if (instruction.src.size() > want.max_src || instruction.src.size() < want.min_src)
      return fail("wrong number of sources");
    return true;
  }

  const Module& module_;
  const Function& function_;
  const char* why_ = nullptr;
};

}  // namespace

Status verify(const Module& module, const Function& function) { return Verifier(module, function).run(); }

}  // namespace drywarp::ir
