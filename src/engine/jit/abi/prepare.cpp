#include <algorithm>

#include "engine/jit/abi/kernel_code.h"
#include "language/analysis/passes.h"
#include "language/ir/passes.h"
#include "language/ir/warp_exchanges.h"

namespace drywarp::jit {
namespace {

using ir::Opcode;

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

// Registers 1 and 2 of the environment hold the address.
bool uses_workspace(const ir::Instruction& in) {
  return std::any_of(in.src.begin(), in.src.end(), [](const ir::Operand& o) {
    return o.kind == ir::Operand::Kind::Special && o.special == ir::SpecialRegister::Envreg &&
           (o.index == 1 || o.index == 2);
  });
}

}  // namespace

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
  p.numbers = analysis::number(p.code);
  p.flow = analysis::control_flow(p.code);
  p.parts = analysis::word_parts(p.code);
  p.live = analysis::liveness(p.code, p.flow, p.parts);
  p.reads = analysis::used_reads(p.code, p.flow, p.live);
  p.tests = analysis::value_tests(p.code, p.flow);
  p.loops = analysis::waiting_loops(module, p.code, p.flow, p.live);
  p.racing = analysis::racing_loops(module, p.code, p.flow, p.loops);
  p.ends = analysis::thread_ends(p.code);
  p.late_readers = analysis::overwrites_late_readers(p.code, p.flow);
  const analysis::RegisterSet read = registers_read(p.code);
  for (const ir::Instruction& in : p.code.instructions) {
    p.waits |=
        ir::waits_for_lanes(in) || analysis::waits_for_warps(in) || ir::info(in.op).family == ir::Family::Mbarrier;
    p.reads_clock |= analysis::reads_clock(in);
    p.uses_reserved_shared |= uses_reserved_shared(in);
    p.uses_workspace |= uses_workspace(in);
    p.local_addresses |= in.op == Opcode::Cvta && in.mods.space == AddressSpace::Local && !in.mods.to;
    p.order_sensitive |= ordered(in, read) || analysis::reads_clock(in);
  }
  return p;
}

}  // namespace drywarp::jit
