#include <algorithm>
#include <map>
#include <optional>
#include <vector>

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
  // orders in between. What only computes with it gives values that are used or not.
  [[nodiscard]] std::optional<std::vector<BlockId>> blocks_of(BlockId block, uint32_t load) {
    at_.clear(), left_.clear();
    unused_ = false;
    Values values;
    for_each_definition(f_.instructions[load], [&](RegisterId r) { values.push_back(r); });
    if (follow(load + 1, f_.blocks[block].end, values) != Comes::Through) return std::nullopt;
    for (const BlockId next : f_.blocks[block].successors) reach(next, values);
    std::vector<BlockId> using_it, passed;
    while (!left_.empty()) {
      const BlockId next = left_.back();
      left_.pop_back();
      values = at_[next];
      const ir::Block& b = f_.blocks[next];
      switch (follow(b.first, b.end, values)) {
        case Comes::ToOrder:
          return std::nullopt;
        case Comes::ToUse:
          if (contains(passed, next)) return std::nullopt;
          if (!contains(using_it, next)) using_it.push_back(next);
          break;
        case Comes::Through:
          passed.push_back(next);
          for (const BlockId successor : b.successors) reach(successor, values);
      }
    }
    if (!unused_ || using_it.empty()) return std::nullopt;
    return using_it;
  }

 private:
  using Values = std::vector<RegisterId>;  // registers that hold the value, or what was computed with it
  enum class Comes : uint8_t { Through, ToUse, ToOrder };

  template <class All>
  static bool contains(const All& all, typename All::value_type one) {
    return std::ranges::find(all, one) != all.end();
  }

  Comes follow(uint32_t first, uint32_t end, Values& values) const {
    for (uint32_t i = first; i < end; ++i) {
      const ir::Instruction& in = f_.instructions[i];
      bool uses = false;
      for_each_use(in, [&](RegisterId r) { uses |= contains(values, r); });
      if (uses && !only_computes(in)) return Comes::ToUse;
      if (may_order(in)) return Comes::ToOrder;
      for_each_definition(in, [&](RegisterId r) {
        if (uses && !contains(values, r)) values.push_back(r);
        if (!uses && !in.guard) std::erase(values, r);
      });
    }
    return Comes::Through;
  }

  void reach(BlockId block, const Values& values) {
    bool any = false, grows = false;
    if (block != ir::kExit) {
      for (const RegisterId r : values) {
        if (!live_.live_in[block].has(r)) continue;
        any = true;
        Values& known = at_[block];
        if (contains(known, r)) continue;
        known.push_back(r);
        grows = true;
      }
    }
    unused_ |= !any;
    if (grows) left_.push_back(block);
  }

  const ir::Function& f_;
  const Liveness& live_;
  std::map<BlockId, Values> at_;  // where it is reached, at the start of the block
  std::vector<BlockId> left_;
  bool unused_ = false;
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
