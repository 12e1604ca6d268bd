#include "language/ir/build/expand_async_store.h"

#include <algorithm>
#include <utility>

namespace drywarp::ir {
namespace {

bool among(Type type, std::initializer_list<Type> types) { return std::ranges::find(types, type) != types.end(); }

// .mmio.release and the like are of global memory and know no barrier object.
bool is_known(const Instruction& in) {
  const Modifiers& m = in.mods;
  const bool names_shared = m.space == AddressSpace::SharedCluster || m.space == AddressSpace::Generic;
  if (!m.bulk.completes_barrier || !m.extra.empty() || !names_shared || !in.address || !in.address2) return false;
  if (in.src.size() != m.vector) return false;
  if (in.op == Opcode::StAsync)
    return m.order == Order::Weak &&
           among(in.type, {Type::B32, Type::B64, Type::U32, Type::U64, Type::S32, Type::S64, Type::F32, Type::F64});
  if (m.vector != 1) return false;
  switch (m.atom) {
    case AtomOp::Inc:
    case AtomOp::Dec:
      return in.type == Type::U32;
    case AtomOp::Min:
    case AtomOp::Max:
      return among(in.type, {Type::U32, Type::S32});
    case AtomOp::Add:
      return among(in.type, {Type::U32, Type::S32, Type::U64});
    case AtomOp::And:
    case AtomOp::Or:
    case AtomOp::Xor:
      return in.type == Type::B32;
    default:
      return false;
  }
}

}  // namespace

bool is_async_store(Opcode op) { return op == Opcode::StAsync || op == Opcode::RedAsync; }

std::vector<Instruction> expand_async_store(const Instruction& in) {
  if (!is_known(in)) return {};
  Instruction marker = in, access = in, complete = in;
  marker.origin = Origin::Expanded;
  access.origin = complete.origin = Origin::Part;

  access.op = in.op == Opcode::StAsync ? Opcode::St : Opcode::Red;
  access.mods.space = AddressSpace::SharedCluster;
  access.mods.bulk = {};
  access.address2.reset();

  complete.op = Opcode::MbarrierCompleteTx;
  complete.type = Type::B64;
  complete.mods = {};
  complete.mods.space = AddressSpace::SharedCluster;
  complete.mods.scope = Scope::Cluster;
  complete.address = std::exchange(complete.address2, std::nullopt);
  complete.src.assign(1, {});
  complete.src[0].kind = Operand::Kind::Immediate;
  complete.src[0].bits = uint64_t{bits(in.type)} / 8 * in.mods.vector;

  marker.src.clear();
  marker.address.reset(), marker.address2.reset();
  return {std::move(marker), std::move(access), std::move(complete)};
}

}  // namespace drywarp::ir
