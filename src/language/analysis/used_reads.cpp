#include <algorithm>
#include <optional>

#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::BlockId;
using ir::Family;
using ir::RegisterId;

// A plain load from an address that the code names: compilers move those, for they cannot fault.
bool may_be_early(const ir::Instruction& in) {
  const bool others_write = in.mods.space == AddressSpace::Shared || in.mods.space == AddressSpace::Global;
  return in.op == ir::Opcode::Ld && others_write && !in.guard && in.mods.order == ir::Order::Weak &&
         in.mods.cache != ir::CacheOperator::Cg && in.address && in.address->reg == ir::kNone;
}

// Whether other threads may be ordered with what is behind the instruction, and not with what is before it.
bool may_order(const ir::Instruction& in) {
  switch (ir::info(in.op).family) {
    case Family::Load:
    case Family::Store:
      return in.mods.order != ir::Order::Weak || in.mods.cache == ir::CacheOperator::Cg;
    case Family::Atomic:
    case Family::AsyncCopy:
    case Family::BulkCopy:
    case Family::WarpGroup:
    case Family::WarpGroupSync:
    case Family::Fence:
    case Family::Barrier:
    case Family::Mbarrier:
    case Family::WarpSync:
    case Family::WarpExchange:
    case Family::Matrix:
      return true;
    case Family::Control:
      return in.op == ir::Opcode::Call;
    default:
      return false;
  }
}

class Uses {
 public:
  Uses(const ir::Function& f, const Liveness& live) : f_(f), live_(live) {}

  // The blocks in which the value of the load `load` of `block` is first used, if there are ways without, and nothing
  // orders in between.
  [[nodiscard]] std::optional<std::vector<BlockId>> blocks_of(BlockId block, uint32_t load) {
    value_.clear();
    for_each_definition(f_.instructions[load], [&](RegisterId r) { value_.push_back(r); });
    for (uint32_t i = load + 1; i < f_.blocks[block].end; ++i)
      if (!passes(f_.instructions[i])) return std::nullopt;
    std::vector<BlockId> using_it, left = f_.blocks[block].successors;
    std::vector<bool> seen(f_.blocks.size());
    bool unused = false;
    while (!left.empty()) {
      const BlockId next = left.back();
      left.pop_back();
      if (next == ir::kExit || !lives_in(next)) {
        unused = true;
        continue;
      }
      if (seen[next]) continue;
      seen[next] = true;
      const ir::Block& b = f_.blocks[next];
      uint32_t i = b.first;
      while (i < b.end && !uses(f_.instructions[i])) {
        if (may_order(f_.instructions[i]) || defines(f_.instructions[i])) return std::nullopt;
        ++i;
      }
      if (i < b.end)
        using_it.push_back(next);
      else
        left.insert(left.end(), b.successors.begin(), b.successors.end());
    }
    if (!unused || using_it.empty()) return std::nullopt;
    return using_it;
  }

 private:
  [[nodiscard]] bool holds(RegisterId r) const { return std::ranges::find(value_, r) != value_.end(); }
  [[nodiscard]] bool uses(const ir::Instruction& in) const {
    bool any = false;
    for_each_use(in, [&](RegisterId r) { any |= holds(r); });
    return any;
  }
  [[nodiscard]] bool defines(const ir::Instruction& in) const {
    bool any = false;
    for_each_definition(in, [&](RegisterId r) { any |= holds(r); });
    return any;
  }
  [[nodiscard]] bool lives_in(BlockId block) const {
    return std::ranges::any_of(value_, [&](RegisterId r) { return live_.live_in[block].has(r); });
  }

  // Behind the load: a copy of the value is the value.
  bool passes(const ir::Instruction& in) {
    if (may_order(in) || defines(in)) return false;
    if (!uses(in)) return true;
    if (in.op != ir::Opcode::Mov || in.guard || in.dst.size() != 1 || in.src.size() != 1) return false;
    value_.push_back(in.dst[0].id);
    return true;
  }

  const ir::Function& f_;
  const Liveness& live_;
  std::vector<RegisterId> value_;  // registers that hold it
};

}  // namespace

UsedReads used_reads(const ir::Function& f, const ControlFlow& flow, const Liveness& live) {
  UsedReads all;
  Uses uses(f, live);
  for (const BlockId block : flow.order)
    for (uint32_t i = f.blocks[block].first; i < f.blocks[block].end; ++i) {
      if (!may_be_early(f.instructions[i])) continue;
      const auto in = uses.blocks_of(block, i);
      if (!in) continue;
      all.early.resize(f.instructions.size());
      all.at_block.resize(f.blocks.size());
      all.early[i] = true;
      for (const BlockId b : *in) all.at_block[b].push_back(i);
    }
  return all;
}

}  // namespace drywarp::analysis
