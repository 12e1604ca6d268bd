#include <algorithm>

#include "language/analysis/held_exits.h"
#include "language/ir/passes.h"

namespace drywarp::analysis {
namespace {

using ir::BlockId;
using ir::Instruction;
using ir::Opcode;

class Rewrite {
 public:
  Rewrite(const ir::Function& f, const HeldExit& exit) : f_(f), exit_(exit) {}

  ir::Function run() {
    out_ = f_;
    out_.instructions.clear(), out_.blocks.clear();
    flag_ = static_cast<ir::RegisterId>(out_.registers.size());
    out_.registers.push_back({"%held" + std::to_string(flag_), ir::Type::Pred});
    place_ = f_.instructions[f_.blocks[exit_.branch].end - 1].place;
    const BlockId count = static_cast<BlockId>(f_.blocks.size()), meets = exit_.meets;
    // The new block falls into the point where the sides meet, if the block before that one is between them.
    const bool in_order = !stands_at_end();
    held_ = count;
    std::vector<BlockId> position(count + 1);
    for (BlockId b = 0; b < count; ++b) {
      if (in_order && b == meets) position[held_] = add_held_block();
      position[b] = copy(b);
    }
    if (!in_order) {
      position[held_] = add_held_block();
      add_block({jump(meets)});
    }
    for (Instruction& in : out_.instructions) {
      if (in.op == Opcode::Bra) in.target = position[in.target];
      for (BlockId& target : in.targets) target = position[target];
    }
    ir::set_successors(out_);
    return std::move(out_);
  }

 private:
  // Labels of targets are the old blocks' numbers until all blocks have their places; held_: the new block.
  BlockId add_block(std::vector<Instruction> code) {
    const auto first = static_cast<uint32_t>(out_.instructions.size());
    out_.instructions.insert(out_.instructions.end(), code.begin(), code.end());
    out_.blocks.push_back({first, static_cast<uint32_t>(out_.instructions.size()), {}});
    return static_cast<BlockId>(out_.blocks.size() - 1);
  }
  BlockId add_held_block() {
    Instruction leave = jump(exit_.leaving[0].to);
    leave.guard = {flag_, false};
    return add_block({leave});
  }

  BlockId copy(BlockId b) {
    const ir::Block& block = f_.blocks[b];
    std::vector<Instruction> code(f_.instructions.begin() + block.first, f_.instructions.begin() + block.end);
    std::vector<Instruction> last;
    if (!code.empty() && ir::is_terminator(code.back())) last.push_back(std::move(code.back())), code.pop_back();
    if (b == exit_.clears) code.push_back(set(0, {}));
    bool falls_out = false;  // its fall-through leaves
    if (leaves(b)) {
      const BlockId to = exit_.leaving[0].to;
      const bool taken = !last.empty() && last[0].target == to, guarded = !last.empty() && last[0].guard;
      const bool falls = (last.empty() || guarded) && b + 1 == to;
      falls_out = falls;
      ir::Guard guard = guarded ? last[0].guard : ir::Guard{};
      if (taken && falls) guard = {};
      if (!taken && guarded) guard.negate = !guard.negate;
      code.push_back(set(1, guard));
      if (taken) last[0].target = held_;
    }
    const bool joins = changes(b);
    if (joins) {
      if (!last.empty() && last[0].op == Opcode::Bra && last[0].target == exit_.meets) last[0].target = held_;
      if (!last.empty())
        for (BlockId& target : last[0].targets)
          if (target == exit_.meets) target = held_;
    }
    code.insert(code.end(), last.begin(), last.end());
    // What falls through to the point, which stands elsewhere, or leaves by falling through, jumps.
    const bool falls_into_point = joins && falls_into(b) && b + 1 == exit_.meets && stands_at_end();
    if (!falls_out && !falls_into_point) return add_block(std::move(code));
    if (last.empty()) {
      code.push_back(jump(held_));
      return add_block(std::move(code));
    }
    const BlockId at = add_block(std::move(code));
    add_block({jump(held_)});
    return at;
  }

  [[nodiscard]] bool stands_at_end() const {
    const BlockId meets = exit_.meets;
    return meets < exit_.branch || (falls_into(meets - 1) && !changes(meets - 1));
  }
  [[nodiscard]] bool leaves(BlockId b) const {
    return std::ranges::any_of(exit_.leaving, [&](const Edge& e) { return e.from == b; });
  }
  // Edges from here to the point lead through the new block.
  [[nodiscard]] bool changes(BlockId b) const { return b == exit_.branch || exit_.between[b]; }
  [[nodiscard]] bool falls_into(BlockId b) const {
    const ir::Block& block = f_.blocks[b];
    if (block.first == block.end) return true;
    const Instruction& last = f_.instructions[block.end - 1];
    return !ir::is_terminator(last) || last.guard;
  }

  [[nodiscard]] Instruction held(Opcode op) const {
    Instruction in;
    in.op = op;
    in.origin = ir::Origin::Held;
    in.place = place_;
    return in;
  }
  [[nodiscard]] Instruction jump(BlockId to) const {
    Instruction in = held(Opcode::Bra);
    in.target = to;
    return in;
  }
  // The flag becomes the guard's value, or `value` without a guard.
  [[nodiscard]] Instruction set(uint64_t value, ir::Guard guard) const {
    Instruction in = held(Opcode::Mov);
    in.type = ir::Type::Pred;
    ir::Operand flag, source;
    flag.kind = source.kind = ir::Operand::Kind::Register;
    flag.id = flag_;
    if (guard) {
      if (guard.negate) in.op = Opcode::Not;
      source.id = guard.reg;
    } else {
      source.kind = ir::Operand::Kind::Immediate;
      source.bits = value;
    }
    in.dst = {flag}, in.src = {source};
    return in;
  }

  const ir::Function& f_;
  const HeldExit& exit_;
  ir::Function out_;
  ir::RegisterId flag_ = ir::kNone;
  uint32_t place_ = ir::kNone;
  BlockId held_ = 0;
};

}  // namespace

ir::Function with_held_block(const ir::Function& f, const HeldExit& exit) { return Rewrite(f, exit).run(); }

}  // namespace drywarp::analysis
