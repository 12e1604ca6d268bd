#include "language/analysis/late_readers.h"

#include <algorithm>

namespace drywarp::analysis {
namespace {

using ir::BlockId;
using ir::Family;

// What happened on some way to a place.
struct Since {
  bool barrier = false;  // a barrier was passed, and nothing named behind it
  bool load = false;     // ... and shared memory was read behind it
  bool operator==(const Since&) const = default;
  void join(const Since& other) {
    barrier |= other.barrier;
    load |= other.load;
  }
};

bool may_be_shared(const ir::Instruction& in) {
  return in.mods.space == AddressSpace::Shared || in.mods.space == AddressSpace::SharedCluster ||
         in.mods.space == AddressSpace::Generic;
}

bool reads(const ir::Instruction& in) { return ir::info(in.op).family == Family::Load && may_be_shared(in); }

bool writes(const ir::Instruction& in) {
  switch (ir::info(in.op).family) {
    case Family::Store:
    case Family::Atomic:
      return may_be_shared(in);
    case Family::AsyncCopy:
      return in.op == ir::Opcode::CpAsync;
    default:
      return false;
  }
}

// Goes through a block; `named` may be null.
Since pass(const ir::Function& f, BlockId block, Since since, std::vector<bool>* named) {
  for (uint32_t i = f.blocks[block].first; i < f.blocks[block].end; ++i) {
    const ir::Instruction& in = f.instructions[i];
    if (ir::info(in.op).family == Family::Barrier) {
      since = {true, false};
    } else if (writes(in) && since.load) {
      if (named) (*named)[i] = true;
      if (!in.guard) since = {};
    } else if (reads(in) && since.barrier) {
      since.load = true;
    }
  }
  return since;
}

}  // namespace

std::vector<bool> overwrites_late_readers(const ir::Function& f, const ControlFlow& flow) {
  std::vector<bool> named(f.instructions.size(), false);
  std::vector<Since> before(f.blocks.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (BlockId block : flow.order) {
      const Since after = pass(f, block, before[block], nullptr);
      for (BlockId s : f.blocks[block].successors) {
        if (s == ir::kExit) continue;
        Since joined = before[s];
        joined.join(after);
        changed |= !(joined == before[s]);
        before[s] = joined;
      }
    }
  }
  for (BlockId block : flow.order) pass(f, block, before[block], &named);
  return named;
}

}  // namespace drywarp::analysis
