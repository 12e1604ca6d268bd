// A cluster's barrier is one more barrier of the block: an arrival, and a wait for all threads of the cluster.
#include "language/ir/build/builder.h"

namespace drywarp::ir {

bool FunctionBuilder::cluster_barrier(const ptx::Instruction& syntax, Instruction& out) {
  const bool waits = out.mods.extra.find("wait") != std::string::npos;
  const bool relaxed = out.mods.order == Order::Relaxed;
  out.op = Opcode::Barrier;
  out.mods = {};
  out.mods.scope = Scope::Cluster;
  out.mods.mode = waits ? Mode::BarSync : Mode::BarArrive;
  out.mods.sync = waits;
  out.mods.order = waits ? Order::Acquire : relaxed ? Order::Relaxed : Order::Release;
  Operand zero;
  zero.kind = Operand::Kind::Immediate;
  out.src.push_back(zero);
  return check_shape(syntax, out);
}

}  // namespace drywarp::ir
