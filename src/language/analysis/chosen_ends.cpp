// Branches at which a thread's place in its block decides whether it ends: `if (threadIdx.x < 32) __syncthreads();` at
// the end of a kernel. A guard such as `if (i >= n) return` looks the same in the code; but there, data or the number
// of the block decide.
#include <algorithm>

#include "language/analysis/passes.h"

namespace drywarp::analysis {
namespace {

using ir::BlockId;
using ir::Operand;
using ir::RegisterId;

bool places_thread(const Operand& o) {
  using ir::SpecialRegister;
  switch (o.kind) {
    case Operand::Kind::Register:  // judged by its definitions
    case Operand::Kind::Immediate:
      return true;
    case Operand::Kind::Special:
      return o.special <= SpecialRegister::NtidZ || o.special == SpecialRegister::LaneId ||
             o.special == SpecialRegister::WarpId || o.special == SpecialRegister::NwarpId ||
             (o.special >= SpecialRegister::LanemaskEq && o.special <= SpecialRegister::LanemaskGt);
    default:
      return false;
  }
}

// Computes with its operands alone.
bool only_computes(const ir::Instruction& in) {
  const ir::FamilyTraits& traits = ir::traits(ir::info(in.op).family);
  return traits.effect == ir::Effect::None && traits.results == ir::Results::ByOperands &&
         std::ranges::all_of(in.src, places_thread);
}

// Registers whose values the thread's place in its block decides alone.
class PlacedRegisters {
 public:
  PlacedRegisters(const ir::Function& f, const ControlFlow& flow, const ThreadEnds& ends)
      : f_(f), flow_(flow), ends_(ends), placed_(f.registers.size(), true), definitions_(f.registers.size(), 0) {
    for (const ir::Instruction& in : f.instructions) for_each_definition(in, [&](RegisterId r) { ++definitions_[r]; });
    std::vector<bool> judged(f.blocks.size(), false);
    for (bool changes = true; changes;) {
      changes = false;
      for (const BlockId b : flow.order) {
        for (uint32_t i = f.blocks[b].first; i < f.blocks[b].end; ++i) {
          const ir::Instruction& in = f.instructions[i];
          if (!only_computes(in) || !uses_placed(in)) changes |= drop_results(in, 1);
        }
        if (judged[b] || placed_branch(b)) continue;
        judged[b] = changes = true;
        drop_chosen(b);
      }
    }
  }

  // Of a block: its last instruction chooses by placed registers alone.
  [[nodiscard]] bool placed_branch(BlockId b) const {
    const ir::Block& block = f_.blocks[b];
    if (block.successors.size() < 2 || block.first == block.end) return block.successors.size() < 2;
    const ir::Instruction& last = f_.instructions[block.end - 1];
    return uses_placed(last) && std::ranges::all_of(last.src, places_thread);
  }

 private:
  [[nodiscard]] bool uses_placed(const ir::Instruction& in) const {
    bool all = true;
    for_each_use(in, [&](RegisterId r) { all = all && placed_[r]; });
    return all;
  }
  // Of registers with at least so many definitions. True: one was placed.
  bool drop_results(const ir::Instruction& in, uint32_t least) {
    bool any = false;
    for_each_definition(in, [&](RegisterId r) {
      if (definitions_[r] < least || !placed_[r]) return;
      placed_[r] = false;
      any = true;
    });
    return any;
  }
  // What one side of the branch defines, and others elsewhere. A side on which threads end gives nobody a value.
  void drop_chosen(BlockId branch) {
    if (std::ranges::any_of(f_.blocks[branch].successors, [&](BlockId s) { return ends_.at_end(s); })) return;
    const std::vector<bool> region = divergent_region(f_, flow_, branch);
    for (BlockId b = 0; b < region.size(); ++b)
      for (uint32_t i = f_.blocks[b].first; region[b] && i < f_.blocks[b].end; ++i) drop_results(f_.instructions[i], 2);
  }

  const ir::Function& f_;
  const ControlFlow& flow_;
  const ThreadEnds& ends_;
  std::vector<bool> placed_;
  std::vector<uint32_t> definitions_;
};

}  // namespace

std::vector<bool> chosen_ends(const ir::Function& f, const ControlFlow& flow, const ThreadEnds& ends) {
  std::vector<bool> chosen(f.blocks.size(), false);
  const PlacedRegisters placed(f, flow, ends);
  for (const BlockId b : flow.order) {
    const std::vector<BlockId>& to = f.blocks[b].successors;
    const auto at_end = [&](BlockId s) { return ends.at_end(s); };
    chosen[b] = to.size() >= 2 && std::ranges::any_of(to, at_end) && !std::ranges::all_of(to, at_end) &&
                placed.placed_branch(b);
  }
  return chosen;
}

}  // namespace drywarp::analysis
