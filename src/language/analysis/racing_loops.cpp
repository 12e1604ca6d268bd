#include <algorithm>
#include <optional>
#include <ranges>

#include "language/analysis/passes.h"
#include "language/ir/accesses.h"
#include "language/ir/rare_cases.h"

namespace drywarp::analysis {
namespace {

using ir::BlockId;
using ir::Family;

bool is_branch(const ir::Function& f, BlockId b) {
  return f.blocks[b].first != f.blocks[b].end && f.blocks[b].successors.size() > 1;
}

bool begins_with_barrier(const ir::Function& f, BlockId b) {
  return f.blocks[b].first != f.blocks[b].end &&
         ir::info(f.instructions[f.blocks[b].first].op).family == Family::Barrier;
}

// Its result is the same in all lanes.
bool is_vote(const ir::Instruction& in) {
  return in.mods.mode == ir::Mode::VoteAny || in.mods.mode == ir::Mode::VoteAll || in.mods.mode == ir::Mode::VoteUni;
}

// What a function reads and writes that other threads may write and read meanwhile.
class SharedAccesses {
 public:
  SharedAccesses(const ir::Module& module, const ir::Function& f, const ControlFlow& flow) : f_(f), flow_(flow) {
    const CalledCode code{module.find_function(f.name), &f};
    variables_ = std::move(shared_variables(module, {&code, 1})[0].accessed);
    if (f.is_kernel) pointers_ = pointer_sources(module, f).of;
    for (const BlockId b : flow.order)
      for (uint32_t i = f.blocks[b].first; i < f.blocks[b].end; ++i) {
        const Family family = ir::info(f.instructions[i].op).family;
        if (family != Family::Store && family != Family::Atomic) continue;
        if (in_shared(i)) shared_writes_.push_back({b, i});
        if (in_global(i)) global_writes_.push_back({b, i});
      }
    if (!shared_writes_.empty()) find_phases();
  }

  [[nodiscard]] static bool may_race(const ir::Instruction& in) {
    switch (ir::info(in.op).family) {
      case Family::Load:
        return in.op == ir::Opcode::Ld && in.mods.extra.find(".nc") == std::string::npos;
      case Family::Atomic:
        return true;
      default:
        return false;
    }
  }
  [[nodiscard]] bool is_shared_or_global(uint32_t i) const { return in_shared(i) || in_global(i); }
  // A read of shared memory that other warps of the block may write before the next barrier.
  [[nodiscard]] bool races_in_block(BlockId block, uint32_t i) const {
    return in_shared(i) && std::ranges::any_of(shared_writes_, [&](const Write& w) {
             const bool same = variables_[w.instruction] == variables_[i] || variables_[w.instruction] == ir::kNone ||
                               variables_[i] == ir::kNone;
             return same && std::ranges::any_of(phases_, [&](const auto& p) { return p[block] && p[w.block]; });
           });
  }
  // A read of global memory that the function may write.
  [[nodiscard]] bool races_in_grid(uint32_t i) const {
    return in_global(i) && std::ranges::any_of(global_writes_, [&](const Write& w) {
             return pointers_.empty() || pointers_[w.instruction] == pointers_[i] ||
                    pointers_[w.instruction] == ir::kNone || pointers_[i] == ir::kNone;
           });
  }

 private:
  struct Write {
    BlockId block;
    uint32_t instruction;
  };
  [[nodiscard]] bool in_shared(uint32_t i) const {
    const AddressSpace space = f_.instructions[i].mods.space;
    return space == AddressSpace::Shared || (space == AddressSpace::Generic && variables_[i] != ir::kNone);
  }
  [[nodiscard]] bool in_global(uint32_t i) const {
    const AddressSpace space = f_.instructions[i].mods.space;
    return space == AddressSpace::Global || (space == AddressSpace::Generic && variables_[i] == ir::kNone);
  }
  // What a warp can reach from the function's beginning, or from a barrier, without passing another one. Two warps can
  // be in two blocks at once if both are in the same of these sets.
  void find_phases() {
    for (const BlockId start : flow_.order) {
      if (start != flow_.order[0] && !begins_with_barrier(f_, start)) continue;
      std::vector<bool> reached(f_.blocks.size(), false);
      std::vector<BlockId> open{start};
      reached[start] = true;
      while (!open.empty()) {
        const BlockId b = open.back();
        open.pop_back();
        for (const BlockId s : f_.blocks[b].successors) {
          if (s == ir::kExit || reached[s] || begins_with_barrier(f_, s)) continue;
          reached[s] = true;
          open.push_back(s);
        }
      }
      phases_.push_back(std::move(reached));
    }
  }

  const ir::Function& f_;
  const ControlFlow& flow_;
  std::vector<ir::SymbolId> variables_;  // of shared memory, by instruction
  std::vector<uint32_t> pointers_;       // to global memory, by instruction; empty: not known
  std::vector<Write> shared_writes_, global_writes_;
  std::vector<std::vector<bool>> phases_;
};

// The values that decide whether a loop goes on, as far as the loop computes them.
class LoopEnds {
 public:
  LoopEnds(const ir::Function& f, const ControlFlow& flow, const std::vector<BlockId>& body)
      : f_(f), flow_(flow), body_(body), inside_(f.blocks.size(), false), seen_(f.registers.size()) {
    for (const BlockId b : body) inside_[b] = true;
  }
  // Calls `visit(block, instruction)` for each instruction of the loop that has a part in that.
  template <class Visit>
  void visit(Visit visit) {
    for (const BlockId b : body_)
      if (is_branch(f_, b) && std::ranges::any_of(f_.blocks[b].successors, [&](BlockId s) { return outside(s); }))
        add_condition(b);
    while (!open_.empty()) {
      const ir::RegisterId r = open_.back();
      open_.pop_back();
      std::vector<BlockId> definitions;
      for (const BlockId b : body_)
        for (uint32_t i = f_.blocks[b].first; i < f_.blocks[b].end; ++i) {
          const ir::Instruction& in = f_.instructions[i];
          bool defines = false;
          for_each_definition(in, [&](ir::RegisterId d) { defines |= d == r; });
          if (!defines) continue;
          definitions.push_back(b);
          for_each_use(in, [&](ir::RegisterId used) { add(used); });
          visit(b, i);
        }
      // Which of several values it has, branches of the loop decide.
      if (definitions.size() > 1)
        for (const BlockId b : definitions) add_conditions_of(b);
    }
  }
  // Whether votes alone decide: all lanes leave together.
  [[nodiscard]] bool by_votes() const {
    RegisterSet conditions(f_.registers.size()), others(f_.registers.size());
    for (const BlockId b : body_)
      if (is_branch(f_, b) && std::ranges::any_of(f_.blocks[b].successors, [&](BlockId s) { return outside(s); }))
        for_each_use(f_.instructions[f_.blocks[b].end - 1], [&](ir::RegisterId r) { conditions.add(r); });
    for (const BlockId b : body_)
      for (uint32_t i = f_.blocks[b].first; i < f_.blocks[b].end; ++i)
        if (!is_vote(f_.instructions[i]))
          for_each_definition(f_.instructions[i], [&](ir::RegisterId d) { others.add(d); });
    return std::ranges::none_of(conditions.list(), [&](ir::RegisterId r) { return others.has(r); });
  }
  // Whether it counts, and has an even number of exits that atomics decide: an unrolled loop.
  [[nodiscard]] bool counts_unrolled() const {
    unsigned by_atomics = 0, others = 0;
    for (const BlockId b : body_)
      if (is_branch(f_, b) && std::ranges::any_of(f_.blocks[b].successors, [&](BlockId s) { return outside(s); }))
        ++(depends_on_atomic(b) ? by_atomics : others);
    return by_atomics != 0 && by_atomics % 2 == 0 && others == 1;
  }
  // Whether an iteration can pass no barrier.
  [[nodiscard]] bool runs_free() const {
    std::vector<bool> reached(f_.blocks.size(), false);
    std::vector<BlockId> open{body_.front()};
    while (!open.empty()) {
      const BlockId b = open.back();
      open.pop_back();
      if (begins_with_barrier(f_, b)) continue;
      for (const BlockId s : f_.blocks[b].successors) {
        if (s == body_.front()) return true;
        if (outside(s) || reached[s]) continue;
        reached[s] = true;
        open.push_back(s);
      }
    }
    return false;
  }

 private:
  // Whether the condition of a branch comes from an atomic of the loop.
  [[nodiscard]] bool depends_on_atomic(BlockId branch) const {
    RegisterSet needed(f_.registers.size());
    for_each_use(f_.instructions[f_.blocks[branch].end - 1], [&](ir::RegisterId r) { needed.add(r); });
    for (bool again = true; again;) {
      again = false;
      for (const BlockId b : body_)
        for (uint32_t i = f_.blocks[b].first; i < f_.blocks[b].end; ++i) {
          const ir::Instruction& in = f_.instructions[i];
          bool defines = false;
          for_each_definition(in, [&](ir::RegisterId d) { defines |= needed.has(d); });
          if (!defines) continue;
          if (ir::info(in.op).family == Family::Atomic) return true;
          for_each_use(in, [&](ir::RegisterId r) {
            again |= !needed.has(r);
            needed.add(r);
          });
        }
    }
    return false;
  }
  [[nodiscard]] bool outside(BlockId b) const { return b == ir::kExit || !inside_[b]; }
  void add(ir::RegisterId r) {
    if (seen_.has(r)) return;
    seen_.add(r);
    open_.push_back(r);
  }
  void add_condition(BlockId branch) {
    for_each_use(f_.instructions[f_.blocks[branch].end - 1], [&](ir::RegisterId r) { add(r); });
  }
  void add_conditions_of(BlockId block) {
    for (const BlockId b : body_) {
      if (!is_branch(f_, b)) continue;
      const auto [region, is_new] = regions_.try_emplace(b);
      if (is_new) region->second = divergent_region(f_, flow_, b);
      if (region->second[block]) add_condition(b);
    }
  }

  const ir::Function& f_;
  const ControlFlow& flow_;
  const std::vector<BlockId>& body_;
  std::vector<bool> inside_;
  RegisterSet seen_;
  std::vector<ir::RegisterId> open_;
  std::map<BlockId, std::vector<bool>> regions_;  // of branches
};

bool is_strong(const ir::Instruction& in) {
  return ir::info(in.op).family == Family::Atomic || in.mods.order != MemoryOrder::Weak;
}

bool is_strong_read(const ir::Instruction& in) { return SharedAccesses::may_race(in) && is_strong(in); }

bool calls_subroutine(const ir::Instruction& in) {
  if (ir::is_float(in.type)) return ir::has_rare_cases(in);
  return (in.op == ir::Opcode::Div || in.op == ir::Opcode::Rem) && ir::bits(in.type) == 64 &&
         in.src[1].kind == ir::Operand::Kind::Register;
}

// By block: whether a subroutine is called in it, or behind it. A jump back leads to nothing behind a block.
std::vector<bool> blocks_before_calls(const ir::Function& f, const ControlFlow& flow) {
  std::vector<bool> before(f.blocks.size());
  std::vector<uint32_t> place(f.blocks.size(), 0);
  for (uint32_t k = 0; k < flow.order.size(); ++k) place[flow.order[k]] = k;
  for (const BlockId b : std::views::reverse(flow.order)) {
    const auto first = f.instructions.begin();
    before[b] = std::any_of(first + f.blocks[b].first, first + f.blocks[b].end, calls_subroutine) ||
                std::ranges::any_of(f.blocks[b].successors,
                                    [&](BlockId s) { return s != ir::kExit && place[s] > place[b] && before[s]; });
  }
  return before;
}

}  // namespace

RacingLoops racing_loops(const ir::Module& module, const ir::Function& f, const ControlFlow& flow,
                         const WaitingLoops& waiting) {
  RacingLoops result{
      std::vector<bool>(f.blocks.size(), false), std::vector<bool>(f.blocks.size(), false), {}, false, {}};
  std::optional<SharedAccesses> accesses;
  std::vector<bool> before_calls;  // filled where a loop needs it
  const auto reads_strongly = [&](BlockId header, const std::vector<BlockId>& body) {
    std::vector<bool> inner(f.blocks.size(), false);
    for (const BlockId b : body)
      if (b != header && flow.loop_header[b])
        for (const BlockId nested : loop_body(flow, b)) inner[nested] = true;
    return std::ranges::any_of(body, [&](BlockId b) {
      return !inner[b] && std::any_of(f.instructions.begin() + f.blocks[b].first,
                                      f.instructions.begin() + f.blocks[b].end, is_strong_read);
    });
  };
  for (const BlockId header : flow.order) {
    // What polls waits for others anyway.
    if (!flow.loop_header[header] || waiting.header[header] == Waiting::Only || waiting.polls_header[header]) continue;
    const std::vector<BlockId> body = loop_body(flow, header);
    const bool reads = std::ranges::any_of(body, [&](BlockId b) {
      return std::any_of(f.instructions.begin() + f.blocks[b].first, f.instructions.begin() + f.blocks[b].end,
                         SharedAccesses::may_race);
    });
    if (!reads) continue;
    LoopEnds ends(f, flow, body);
    if (!ends.runs_free()) continue;
    bool yields = false;
    ends.visit([&](BlockId b, uint32_t i) {
      if (!SharedAccesses::may_race(f.instructions[i])) return;
      if (!accesses) accesses.emplace(module, f, flow);
      const bool in_block = accesses->races_in_block(b, i), in_grid = accesses->races_in_grid(i);
      yields |= accesses->is_shared_or_global(i) && is_strong(f.instructions[i]);
      if (in_block) result.in_block[header] = true;
      if (!in_grid) return;
      result.in_grid[header] = true;
      if (ir::info(f.instructions[i].op).family == Family::Atomic)
        result.atomics = true;
      else
        result.loads.push_back(i);
    });
    // Where a subroutine is called in a loop with an atomic, or another strong read, or behind it, ptxas 13 puts a
    // YIELD although what others write does not decide when the loop ends: in 44 generated kernels, but for loops that
    // all lanes leave together, where it changes nothing. The atomic is in the loop itself, not in one inside it.
    if (!yields && reads_strongly(header, body)) {
      if (before_calls.empty()) before_calls = blocks_before_calls(f, flow);
      yields = before_calls[header];
    }
    if (!yields || ends.by_votes() || ends.counts_unrolled()) continue;
    std::vector<bool>& inside = result.yielding[header];
    inside.assign(f.blocks.size(), false);
    for (const BlockId b : body) inside[b] = true;
  }
  return result;
}

}  // namespace drywarp::analysis
