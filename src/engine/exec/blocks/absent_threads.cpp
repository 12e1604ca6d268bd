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

bool only_ends(const ir::Function& code, const ir::Block& block) {
  for (uint32_t i = block.first; i < block.end; ++i) {
    const ir::Opcode op = code.instructions[i].op;
    if (op != ir::Opcode::Ret && op != ir::Opcode::Exit && op != ir::Opcode::Bra) return false;
  }
  return block.successors.size() == 1;
}

// Whether threads at this block do nothing more than end.
bool is_end(const ir::Function& code, ir::BlockId block) {
  for (size_t steps = 0; steps <= code.blocks.size(); ++steps) {
    if (block == ir::kExit) return true;
    if (block >= code.blocks.size() || !only_ends(code, code.blocks[block])) return false;
    block = code.blocks[block].successors[0];
  }
  return false;
}

// Whether threads can end at a branch from which others go on to the barrier: a guard, not a barrier in a branch.
bool has_guard(const ir::Function& code, uint32_t barrier) {
  const auto home =
      std::ranges::find_if(code.blocks, [&](const ir::Block& b) { return b.first <= barrier && barrier < b.end; });
  if (home == code.blocks.end()) return true;  // not known: say nothing
  std::vector<bool> reaches(code.blocks.size());
  reaches[static_cast<size_t>(home - code.blocks.begin())] = true;
  for (bool grows = true; grows;) {
    grows = false;
    for (size_t b = 0; b < code.blocks.size(); ++b)
      if (!reaches[b] &&
          std::ranges::any_of(code.blocks[b].successors, [&](ir::BlockId s) { return s != ir::kExit && reaches[s]; }))
        reaches[b] = grows = true;
  }
  for (const ir::Block& b : code.blocks) {
    const bool goes_on = std::ranges::any_of(b.successors, [&](ir::BlockId s) { return s != ir::kExit && reaches[s]; });
    if (goes_on && std::ranges::any_of(b.successors, [&](ir::BlockId s) { return is_end(code, s); })) return true;
  }
  return false;
}

bool has_guard(Worker& worker, const CodePlace& place) {
  for (const Worker::GuardedBarrier& known : worker.guarded)
    if (known.at.code == place.code && known.at.instruction == place.instruction) return known.has_guard;
  worker.guarded.push_back({place, has_guard(*place.code, place.instruction)});
  return worker.guarded.back().has_guard;
}

// Of a barrier, the most precise kind and its lowest block are reported, so that the note is the same every time.
void add(Launch& launch, Warp& warp, const CodePlace& place, uint64_t block, Kind kind, uint32_t waited,
         uint32_t absent) {
  const std::lock_guard lock(launch.mutex);
  auto& known = launch.barrier_notes[{place.code, place.instruction}];
  if (known && std::pair(known->note.kind, known->block_index) <= std::pair(kind, block)) return;
  const Fault at = fault_at(warp, FaultKind::BarrierDeadlock, place, std::nullopt, {});
  known = {block, {kind, at.kernel, at.location, at.block, warp.warp, waited, absent}};
}

uint32_t count(uint32_t mask) { return static_cast<uint32_t>(std::popcount(mask)); }

}  // namespace

uint32_t lanes_that_run_on(const Warp& warp, uint32_t barrier) {
  uint32_t lanes = 0;
  for (const LaneGroup& g : warp.groups) {
    if (g.state == LaneGroup::State::AtBarrier && g.barrier == barrier) continue;
    const bool ends = g.where == warp.kernel && is_end(g.where->code->prepared.code, g.block);
    if (!ends) lanes |= g.mask;
  }
  return lanes;
}

void note_absent_threads(Block& block, uint32_t number) {
  Launch& launch = *block.worker->launch;
  const NamedBarrier& barrier = block.barriers[number];
  if (launch.divergent_barriers || !barrier.first_warp) return;
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
    return add(launch, *warp, at, block.index, Kind::DivergentWarp, count(waited), count(absent));
  }
  Warp& first = *barrier.first_warp;
  const auto warps = static_cast<uint32_t>(block.warps.size());
  uint32_t living_threads = 0, all = 0;
  Warp* split = nullptr;
  for (const auto& warp : block.warps) {
    all += count(warp->live);
    if (warp->state == Warp::State::Done) continue;
    living_threads += count(living(*warp));
    if (!split && living(*warp) != warp->live) split = warp.get();
  }
  if (living_threads == all) return;
  // Without a guard, whoever has ended has passed the barrier by.
  if (!has_guard(*block.worker, barrier.first)) {
    if (split)
      return add(launch, *split, barrier.first, block.index, Kind::DivergentWarp, count(living(*split)),
                 count(split->live) - count(living(*split)));
    return add(launch, first, barrier.first, block.index, Kind::SkippedByWarps, warps - block.done, block.done);
  }
  if (block.index == 0)
    add(launch, first, barrier.first, block.index, Kind::ThreadsEnded, living_threads, all - living_threads);
}

}  // namespace drywarp::exec
