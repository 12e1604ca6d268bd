#include <algorithm>

#include "language/analysis/passes.h"
#include "language/ir/accesses.h"

namespace drywarp::analysis {
namespace {

using ir::BlockId;
using ir::Family;

// What happened on some path to a point.
struct PathState {
  bool barrier = false;  // a barrier was passed, and no store marked since
  bool load = false;     // ... and shared memory was read since
  bool operator==(const PathState&) const = default;
  void join(const PathState& other) {
    barrier |= other.barrier;
    load |= other.load;
  }
};

// Whether it reads or writes what may be shared memory.
bool touches(const ir::Instruction& in, bool writes) {
  for (const ir::MemoryAccess& a : ir::accesses(in)) {
    const bool may_be_shared =
        a.space == AddressSpace::Shared || a.space == AddressSpace::SharedCluster || a.space == AddressSpace::Generic;
    if (may_be_shared && (a.kind != ir::MemoryAccess::Kind::Load) == writes) return true;
  }
  return false;
}
bool reads(const ir::Instruction& in) { return touches(in, false); }
bool writes(const ir::Instruction& in) { return touches(in, true); }

// The state behind a block; `marked` may be null.
PathState pass(const ir::Function& f, BlockId block, PathState since, std::vector<bool>* marked) {
  for (uint32_t i = f.blocks[block].first; i < f.blocks[block].end; ++i) {
    const ir::Instruction& in = f.instructions[i];
    if (ir::info(in.op).family == Family::Barrier) {
      since = {true, false};
    } else if (writes(in) && since.load) {
      if (marked) (*marked)[i] = true;
      if (!in.guard) since = {};
    } else if (reads(in) && since.barrier) {
      since.load = true;
    }
  }
  return since;
}

}  // namespace

std::vector<bool> overwrites_late_readers(const ir::Function& f, const ControlFlow& flow) {
  std::vector<bool> marked(f.instructions.size(), false);
  std::vector<PathState> before(f.blocks.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (BlockId block : flow.order) {
      const PathState after = pass(f, block, before[block], nullptr);
      for (BlockId s : f.blocks[block].successors) {
        if (s == ir::kExit) continue;
        PathState joined = before[s];
        joined.join(after);
        changed |= !(joined == before[s]);
        before[s] = joined;
      }
    }
  }
  for (BlockId block : flow.order) pass(f, block, before[block], &marked);
  return marked;
}

uint32_t named_barriers(const ir::Function& code) {
  constexpr uint32_t kAll = 16;
  uint32_t used = 0;
  for (const ir::Instruction& in : code.instructions) {
    if ((in.op != ir::Opcode::Bar && in.op != ir::Opcode::Barrier) || in.src.empty()) continue;
    if (in.mods.scope == ir::Scope::Cluster) continue;  // the cluster's is beside them
    const ir::Operand& which = in.src[0];
    const bool known = which.kind == ir::Operand::Kind::Immediate && which.bits < kAll;
    used = std::max(used, known ? static_cast<uint32_t>(which.bits) + 1 : kAll);
  }
  return used;
}

}  // namespace drywarp::analysis
