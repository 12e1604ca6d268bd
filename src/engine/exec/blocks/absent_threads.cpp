// Notes of barriers that complete although threads of the block never arrived (barrier_note.h).
//
// Dynamically a guard at the kernel's start, `if (i >= n) return`, looks like a barrier in a branch: threads end while
// others wait. A guard is told from the branch by where the others are: at the kernel's end, or in code that they run.
#include <algorithm>
#include <bit>

#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/warp.h"
#include "engine/exec/kernels/loaded_module.h"

namespace drywarp::exec {
namespace {

using Kind = BarrierNote::Kind;

// The code of a place, and where its counters start.
struct CodeOfPlace {
  const jit::PreparedFunction& prepared;
  CounterBase counters;
};

CodeOfPlace code_of(const LoadedKernel& kernel, const CodePlace& place) {
  for (const LoadedKernel::Called& called : kernel.called)
    if (called.code && &called.code->prepared.code == place.code) return {called.code->prepared, called.counters};
  return {kernel.prepared, {}};
}

// The block of a barrier, which is its first instruction.
ir::BlockId block_of(const ir::Function& code, uint32_t barrier) {
  const auto home = std::ranges::find(code.blocks, barrier, &ir::Block::first);
  return static_cast<ir::BlockId>(home - code.blocks.begin());
}

bool has_guard(const LoadedKernel& kernel, const CodePlace& place) {
  return code_of(kernel, place).prepared.ends.behind_guard[block_of(*place.code, place.instruction)];
}

BarrierNote note_of(const Launch& launch, const Warp& warp, const CodePlace& place, Kind kind, uint32_t waited,
                    uint32_t absent) {
  const uint32_t code_block = code_of(*launch.kernel, place).counters.blocks + block_of(*place.code, place.instruction);
  return {kind, code_block, 1, {warp.ctaid[0], warp.ctaid[1], warp.ctaid[2]}, warp.warp, waited, absent};
}

uint32_t count(uint32_t mask) { return static_cast<uint32_t>(std::popcount(mask)); }

}  // namespace

uint32_t lanes_that_run_on(const Warp& warp, uint32_t barrier) {
  uint32_t lanes = 0;
  for (const LaneGroup& g : warp.groups) {
    if (g.state == LaneGroup::State::AtBarrier && g.barrier == barrier) continue;
    const bool ends = g.where == warp.kernel && g.where->code->prepared.ends.at_end(g.block);
    if (!ends) lanes |= g.mask;
  }
  return lanes;
}

std::optional<BarrierNote> absent_threads(const Block& block, uint32_t number) {
  const Launch& launch = *block.worker->launch;
  const NamedBarrier& barrier = block.barriers[number];
  if (!barrier.first_warp) return {};
  for (const auto& warp : block.warps) {
    if (!warp->grouped || warp->state == Warp::State::Done) continue;
    uint32_t waited = 0, ran_on = 0;
    const LaneGroup* first = nullptr;
    for (const LaneGroup& g : warp->groups) {
      if (g.state != LaneGroup::State::AtBarrier || g.barrier != number) continue;
      waited |= g.mask, ran_on |= g.ran_on;
      if (!first) first = &g;
    }
    const uint32_t absent = ran_on & ~waited & warp->exited;
    if (absent == 0) continue;
    const CodePlace at{&first->where->code->prepared.code, first->instruction};
    return note_of(launch, *warp, at, Kind::DivergentWarp, count(waited), count(absent));
  }
  const Warp& first = *barrier.first_warp;
  const auto warps = static_cast<uint32_t>(block.warps.size());
  uint32_t living_threads = 0, all = 0;
  const Warp* split = nullptr;
  for (const auto& warp : block.warps) {
    all += count(warp->live);
    if (warp->state == Warp::State::Done) continue;
    living_threads += count(living(*warp));
    if (!split && living(*warp) != warp->live) split = warp.get();
  }
  if (living_threads == all) return {};
  // Without a guard, whoever has ended has passed the barrier by.
  if (!has_guard(*launch.kernel, barrier.first)) {
    if (split)
      return note_of(launch, *split, barrier.first, Kind::DivergentWarp, count(living(*split)),
                     count(split->live) - count(living(*split)));
    return note_of(launch, first, barrier.first, Kind::SkippedByWarps, warps - block.done, block.done);
  }
  if (block.index != 0) return {};
  return note_of(launch, first, barrier.first, Kind::ThreadsEnded, living_threads, all - living_threads);
}

BarrierNote warps_apart(const Block& block, uint32_t number) {
  const NamedBarrier& barrier = block.barriers[number];
  uint32_t here = 0, all = 0;
  for (const auto& warp : block.warps) {
    if (warp->state == Warp::State::Done) continue;
    uint32_t at = warp->barrier_instruction;
    for (const LaneGroup& g : warp->groups)
      if (warp->grouped && g.state == LaneGroup::State::AtBarrier && g.barrier == number) at = g.instruction;
    here += at == barrier.first.instruction;
    ++all;
  }
  return note_of(*block.worker->launch, *barrier.first_warp, barrier.first, Kind::WarpsApart, here, all - here);
}

}  // namespace drywarp::exec
