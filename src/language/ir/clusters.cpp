#include "language/ir/clusters.h"

#include <algorithm>

namespace drywarp::ir {

bool uses_clusters(const Function& code) {
  return std::ranges::any_of(code.instructions, [](const Instruction& in) {
    const bool special = std::ranges::any_of(in.src, [](const Operand& o) {
      return o.kind == Operand::Kind::Special && o.special >= SpecialRegister::ClusterIdX &&
             o.special <= SpecialRegister::IsExplicitCluster;
    });
    const bool asks = in.op == Opcode::Isspacep;
    return special || (in.mods.space == AddressSpace::SharedCluster && !asks) || in.op == Opcode::Mapa ||
           in.op == Opcode::Getctarank || (in.op == Opcode::Barrier && in.mods.scope == Scope::Cluster);
  });
}

}  // namespace drywarp::ir
