#include <algorithm>

#include "engine/jit/kernel_code.h"
#include "language/analysis/passes.h"
#include "language/ir/passes.h"

namespace drywarp::jit {
namespace {

using ir::Family;
using ir::Opcode;

bool counts_access(const ir::Instruction& in) {
  if (in.op == Opcode::CpAsync) return true;
  const Family family = ir::info(in.op).family;
  if (family != Family::Load && family != Family::Store && family != Family::Atomic) return false;
  const AddressSpace space = in.mods.space;
  return space == AddressSpace::Generic || space == AddressSpace::Global || space == AddressSpace::Shared ||
         space == AddressSpace::SharedCluster || space == AddressSpace::Local || space == AddressSpace::Const;
}

// Registers that some instruction reads. Clang writes an `atom` with an unused result where nvcc writes a `red`.
analysis::RegisterSet registers_read(const ir::Function& code) {
  analysis::RegisterSet read(code.registers.size());
  for (const ir::Instruction& in : code.instructions)
    analysis::for_each_use(in, [&](ir::RegisterId r) { read.add(r); });
  return read;
}

// Whether the instruction's result, or the value that it leaves in memory, can depend on the order in which blocks run.
// Shared and local memory belong to one block.
bool ordered(const ir::Instruction& in, const analysis::RegisterSet& read) {
  if (in.mods.space == AddressSpace::Shared || in.mods.space == AddressSpace::Local) return false;
  if (in.op == Opcode::Atom) {
    bool wanted = false;
    analysis::for_each_definition(in, [&](ir::RegisterId r) { wanted |= read.has(r); });
    const bool replaces = in.mods.atom == ir::AtomOp::Exch || in.mods.atom == ir::AtomOp::Cas;
    return wanted || replaces || ir::is_float(in.type);
  }
  if (in.op == Opcode::Red) return ir::is_float(in.type);
  return in.op == Opcode::Ld && in.mods.order != ir::Order::Weak;
}

bool uses_reserved_shared(const ir::Instruction& in) {
  return std::any_of(in.src.begin(), in.src.end(), [](const ir::Operand& o) {
    return o.kind == ir::Operand::Kind::Special && o.special == ir::SpecialRegister::ReservedSmem;
  });
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

bool has_generic_address(const ir::Instruction& in) { return in.mods.space == AddressSpace::Generic; }

PreparedFunction prepare(const PreparedFunction& analysed, const analysis::BlockShape& block) {
  PreparedFunction p = analysed;
  p.block = block;
  p.shapes = analysis::shapes(p.code, p.flow, p.live, block);
  return p;
}

PreparedFunction analyse(const ir::Module& module, const ir::Function& function) {
  PreparedFunction p;
  p.code = analysis::code_to_run(module, function);
  p.flow = analysis::control_flow(p.code);
  p.live = analysis::liveness(p.code, p.flow);
  p.loops = analysis::waiting_loops(module, p.code, p.flow, p.live);
  p.ends = analysis::thread_ends(p.code);
  p.late_readers = analysis::overwrites_late_readers(p.code, p.flow);
  const analysis::RegisterSet read = registers_read(p.code);
  const size_t count = p.code.instructions.size();
  p.predicate_slot.assign(count, ir::kNone);
  p.branch_slot.assign(count, ir::kNone);
  p.access_slot.assign(count, ir::kNone);
  p.access_slot2.assign(count, ir::kNone);
  for (size_t i = 0; i < count; ++i) {
    const ir::Instruction& in = p.code.instructions[i];
    const bool jumps = in.op == Opcode::Bra || in.op == Opcode::Ret || in.op == Opcode::Exit;
    // Instructions that a pass added have no counters: the PTX text does not have them.
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
    p.uses_reserved_shared |= uses_reserved_shared(in);
    p.order_sensitive |= ordered(in, read) || reads_clock(in);
  }
  return p;
}

}  // namespace drywarp::jit
