#include "language/ir/bulk_copies.h"

#include <algorithm>
#include <iterator>

namespace drywarp::ir {
namespace {

constexpr unsigned kMostDimensions = 5;

bool is_tensor(Opcode op) {
  return op == Opcode::CpAsyncBulkTensor || op == Opcode::CpReduceAsyncBulkTensor ||
         op == Opcode::CpAsyncBulkPrefetchTensor;
}
bool is_reduction(Opcode op) { return op == Opcode::CpReduceAsyncBulk || op == Opcode::CpReduceAsyncBulkTensor; }

// PTX ISA 9.0, 9.7.9.25.4.2 and 9.7.9.25.5.3: what an L2 can compute, and the block's shared memory.
struct Reduction {
  AtomOp op;
  Type type;
  bool in_shared = false;
};
constexpr Reduction kReductions[] = {
    {AtomOp::And, Type::B32, true}, {AtomOp::Or, Type::B32, true},  {AtomOp::Xor, Type::B32, true},
    {AtomOp::Add, Type::S32, true}, {AtomOp::Add, Type::U32, true}, {AtomOp::Min, Type::S32, true},
    {AtomOp::Min, Type::U32, true}, {AtomOp::Max, Type::S32, true}, {AtomOp::Max, Type::U32, true},
    {AtomOp::Inc, Type::U32, true}, {AtomOp::Dec, Type::U32, true}, {AtomOp::Add, Type::U64, true},
    {AtomOp::And, Type::B64},       {AtomOp::Or, Type::B64},        {AtomOp::Xor, Type::B64},
    {AtomOp::Min, Type::S64},       {AtomOp::Min, Type::U64},       {AtomOp::Max, Type::S64},
    {AtomOp::Max, Type::U64},       {AtomOp::Add, Type::F32},       {AtomOp::Add, Type::F64},
    {AtomOp::Add, Type::F16},       {AtomOp::Min, Type::F16},       {AtomOp::Max, Type::F16},
    {AtomOp::Add, Type::BF16},      {AtomOp::Min, Type::BF16},      {AtomOp::Max, Type::BF16},
};

// A tensor's elements have the type that its map says.
bool known_reduction(const Instruction& in) {
  return std::ranges::any_of(kReductions, [&](const Reduction& r) {
    return r.op == in.mods.atom && (is_tensor(in.op) || r.type == in.type) &&
           (r.in_shared || in.mods.space == AddressSpace::Global);
  });
}

}  // namespace

bool is_shared(AddressSpace space) { return space == AddressSpace::Shared || space == AddressSpace::SharedCluster; }

BulkOperands bulk_operands(const Instruction& in) {
  BulkOperands at;
  size_t next = 0;
  const auto take = [&](std::optional<size_t>& place, size_t count = 1) { place = next, next += count; };
  const bool loads = in.op == Opcode::CpAsyncBulkTensor && is_shared(in.mods.space);
  switch (in.op) {
    case Opcode::CpAsyncBulkTensor:
    case Opcode::CpReduceAsyncBulkTensor:
    case Opcode::CpAsyncBulkPrefetchTensor:
      if (loads) take(at.to);
      take(at.map);
      take(at.coordinates, in.mods.bulk.rank);
      if (!loads && in.op != Opcode::CpAsyncBulkPrefetchTensor) take(at.from);
      break;
    case Opcode::CpAsyncBulk:
    case Opcode::CpReduceAsyncBulk:
      take(at.to), take(at.from), take(at.bytes);
      break;
    case Opcode::CpAsyncBulkPrefetch:
      take(at.from), take(at.bytes);
      break;
    case Opcode::StBulk:
      take(at.to), take(at.bytes), take(at.value);
      break;
    default:  // groups
      break;
  }
  if (in.mods.bulk.completes_barrier) take(at.barrier);
  if (in.mods.bulk.multicast) take(at.blocks);
  at.count = next;
  // A cache policy may stand before it.
  if (in.mods.bulk.byte_mask && in.src.size() > next) at.byte_mask = in.src.size() - 1;
  return at;
}

bool known_bulk(const Instruction& in) {
  if (!is_bulk(in.op)) return true;
  const Modifiers& m = in.mods;
  if (!m.extra.empty() || in.src.size() < bulk_operands(in).count) return false;
  if (is_tensor(in.op) && (m.bulk.rank == 0 || m.bulk.rank > kMostDimensions)) return false;
  if (is_reduction(in.op) && !known_reduction(in)) return false;
  const bool to_shared = is_shared(m.space), from_shared = is_shared(m.bulk.source);
  switch (in.op) {
    case Opcode::CpAsyncBulk:
    case Opcode::CpAsyncBulkTensor:
      // What goes to shared memory completes a barrier object; what goes to global memory, a group.
      return to_shared == m.bulk.completes_barrier && (to_shared || from_shared);
    case Opcode::CpReduceAsyncBulk:
    case Opcode::CpReduceAsyncBulkTensor:
      return from_shared && to_shared == m.bulk.completes_barrier;
    case Opcode::StBulk:
      return to_shared;
    default:
      return true;
  }
}

}  // namespace drywarp::ir
