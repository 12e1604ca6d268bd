#include "language/ir/accesses.h"

#include "language/ir/bulk_copies.h"

namespace drywarp::ir {

Accesses accesses(const Instruction& in) {
  using Kind = MemoryAccess::Kind;
  Accesses all;
  const auto add = [&](Kind kind, AddressSpace space, const std::optional<Address>& address, unsigned bytes) {
    const bool generic = space == AddressSpace::Generic;
    all.add({kind, space, generic ? in.mods.space : space, address ? &*address : nullptr, bytes});
  };
  const unsigned bytes = bits(in.type) / 8 * in.mods.vector;
  const AddressSpace space = access_space(in);
  switch (info(in.op).family) {
    case Family::Load:
      add(Kind::Load, space, in.address, bytes);
      break;
    case Family::Store:
      add(Kind::Store, space, in.address, bytes);
      break;
    case Family::Atomic:
      add(Kind::Atomic, space, in.address, bytes);
      break;
    case Family::AsyncCopy: {
      if (in.op != Opcode::CpAsync) break;
      const unsigned copied = in.src.empty() ? 0 : static_cast<unsigned>(in.src[0].bits);
      add(Kind::Load, AddressSpace::Global, in.address2, copied);
      add(Kind::Store, AddressSpace::Shared, in.address, copied);
      break;
    }
    case Family::BulkCopy: {
      // How many bytes, and where, the runtime alone knows.
      const BulkOperands at = bulk_operands(in);
      const bool prefetches = in.op == Opcode::CpAsyncBulkPrefetch || in.op == Opcode::CpAsyncBulkPrefetchTensor;
      if (prefetches || at.count == 0) break;
      const bool reduces = in.mods.atom != AtomOp::None;
      if (in.op != Opcode::StBulk) add(Kind::Load, in.mods.bulk.source, std::nullopt, kBulkUnit);
      add(reduces ? Kind::Atomic : Kind::Store, in.mods.space, std::nullopt, kBulkUnit);
      break;
    }
    case Family::Matrix:  // a row of 8 elements of 16 bits
      if (in.op == Opcode::Ldmatrix) add(Kind::Load, in.mods.space, in.address, 16);
      if (in.op == Opcode::Stmatrix) add(Kind::Store, in.mods.space, in.address, 16);
      break;
    case Family::WarpGroup:  // where descriptors say
      add(Kind::Load, AddressSpace::Shared, std::nullopt, kBulkUnit);
      break;
    case Family::Texture:
    case Family::Surface: {
      // Where it goes depends on the object that the address names, so that the runtime alone knows.
      if (in.mods.texture.query != TextureQuery::None) break;
      const Kind kind = in.op == Opcode::Sust ? Kind::Store : in.op == Opcode::Sured ? Kind::Atomic : Kind::Load;
      add(kind, AddressSpace::Global, std::nullopt, bytes);
      break;
    }
    default:
      break;
  }
  return all;
}

AddressSpace access_space(const Instruction& in) {
  return in.mods.space == AddressSpace::SharedCluster ? AddressSpace::Generic : in.mods.space;
}

bool meets_in_l2(const Instruction& in) {
  const Family family = info(in.op).family;
  return (family == Family::Load || family == Family::Store) && in.mods.order == Order::Weak &&
         (in.mods.cache == CacheOperator::Cg || in.mods.cache == CacheOperator::Cv);
}

}  // namespace drywarp::ir
