#include "analysis/late_readers.h"
#include "analysis/split_blocks.h"
#include "ir/inline_calls.h"
#include "jit/kernel_code.h"

namespace drywarp::jit {
namespace {

using ir::Family;
using ir::Opcode;
using ir::Space;

bool counts_access(const ir::Instruction& in) {
  if (in.op == Opcode::CpAsync) return true;
  const Family family = ir::info(in.op).family;
  if (family != Family::Load && family != Family::Store && family != Family::Atomic) return false;
  const Space space = in.mods.space;
  return space == Space::Generic || space == Space::Global || space == Space::Shared || space == Space::SharedCluster ||
         space == Space::Local || space == Space::Const;
}

bool ordered(const ir::Instruction& in) {
  if (in.op == Opcode::Atom) {
    for (const ir::Operand& d : in.dst)
      if (d.kind == ir::Operand::Kind::Register) return true;
    return ir::is_float(in.type);
  }
  if (in.op == Opcode::Red) return ir::is_float(in.type);
  if (in.op == Opcode::Ld)
    return in.mods.order != ir::Order::Weak && in.mods.space != Space::Shared && in.mods.space != Space::Local;
  return false;
}

}  // namespace

bool reads_clock(const ir::Instruction& in) {
  for (const ir::Operand& o : in.src)
    if (o.kind == ir::Operand::Kind::Special && o.special >= ir::SpecialRegister::Clock &&
        o.special <= ir::SpecialRegister::GlobalTimerHi)
      return true;
  return false;
}

uint64_t register_stride(const ir::Function& code) {
  for (const ir::Register& r : code.registers)
    if (ir::bits(r.type) == 128) return 32 * 16;
  return 32 * 8;
}

bool has_generic_address(const ir::Instruction& in) { return in.mods.space == Space::Generic; }

PreparedFunction prepare(const PreparedFunction& analysed, const analysis::BlockShape& block) {
  PreparedFunction p = analysed;
  p.block = block;
  p.shapes = analysis::shapes(p.code, p.flow, p.live, block);
  return p;
}

PreparedFunction analyse(const ir::Module& module, const ir::Function& function) {
  PreparedFunction p;
  p.code = analysis::split_at_waits(module, ir::inline_calls(module, function));
  p.flow = analysis::control_flow(p.code);
  p.live = analysis::liveness(p.code, p.flow);
  p.loops = analysis::waiting_loops(module, p.code, p.flow, p.live);
  p.late_readers = analysis::overwrites_late_readers(p.code, p.flow);
  const size_t count = p.code.instructions.size();
  p.predicate_slot.assign(count, ir::kNone);
  p.branch_slot.assign(count, ir::kNone);
  p.access_slot.assign(count, ir::kNone);
  p.access_slot2.assign(count, ir::kNone);
  for (size_t i = 0; i < count; ++i) {
    const ir::Instruction& in = p.code.instructions[i];
    const bool jumps = in.op == Opcode::Bra || in.op == Opcode::Ret || in.op == Opcode::Exit;
    // What a pass added runs, but the text has no such branch.
    if (in.guard && in.origin != ir::Origin::Added)
      (jumps ? p.branch_slot[i] = p.branches++ : p.predicate_slot[i] = p.predicates++);
    if (in.op == Opcode::BrxIdx) p.branch_slot[i] = p.branches++;
    if (counts_access(in)) {
      p.access_slot[i] = p.accesses;
      p.accesses += in.op == Opcode::CpAsync ? 1 : has_generic_address(in) ? kMemories : 1;
      if (in.op == Opcode::CpAsync) p.access_slot2[i] = p.accesses++;
    }
    p.waits |=
        analysis::waits_for_lanes(in) || analysis::waits_for_warps(in) || ir::info(in.op).family == Family::Mbarrier;
    p.reads_clock |= reads_clock(in);
    p.order_sensitive |= ordered(in) || reads_clock(in);
  }
  return p;
}

}  // namespace drywarp::jit
