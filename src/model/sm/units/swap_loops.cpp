#include "model/sm/units/swap_loops.h"

#include <algorithm>

#include "model/sm/units/simulation.h"

namespace drywarp::sm {
namespace {

// Measured on an H200, 1 to 32 warps of a block with 1 to 32 lanes at each word: an iteration of a warp that swaps
// alone; between two swaps of a word for which warps compete; what an iteration has and takes.
struct LoopCost {
  Cycles iteration, between;
  double instructions, wavefronts;
};
constexpr LoopCost kFloat{95, 47, 6, 3}, kDouble{111, 60, 7, 4};
constexpr double kIssueCycles = 11;  // of its scheduler: the instructions and a taken branch
constexpr size_t kWords = 256;       // of a block, whose turns are known apart

Server& turns_of(ResidentBlock& block, uint64_t word) {
  if (block.swapped.empty()) block.swapped.resize(kWords);
  ResidentBlock::SwappedWord& place = block.swapped[word % kWords];
  if (place.word != word) place = {word, {}};
  return place.turns;
}

}  // namespace

SwapLoops::Iterations SwapLoops::iterate(uint32_t index, const Decoded& in, Cycles now) {
  Warp& warp = s.warps[index];
  const TraceAccess* const access = warp.cursor.access();
  if (!access || access->line_count == 0) return {.end = now};
  const LoopCost& cost = in.words > 1 ? kDouble : kFloat;
  const uint32_t done = warp.swaps++;
  Iterations more{.end = now};
  for (const TraceLine& word : warp.cursor.lines(*access)) {
    if (word.lanes() <= done) continue;
    more.end = std::max(more.end, turns_of(s.blocks[warp.block], word.number()).take(now, cost.between));
    more.again |= word.lanes() > done + 1;
  }
  // Until its turn comes, it goes through the loop in vain.
  const double in_vain = (more.end - now) / cost.iteration, iterations = in_vain + (more.again ? 1 : 0);
  if (more.again)
    more.end += cost.iteration;
  else
    warp.swaps = 0;
  more.issue_cycles = iterations * kIssueCycles;
  // The branch of an iteration in which a lane swaps is issued as such.
  const auto instructions = static_cast<uint64_t>(iterations * cost.instructions - (more.again ? 1 : 0));
  s.sums.issued += instructions;
  s.sums.thread_instructions += instructions * access->line_count;
  s.sms[s.sm_of(warp.part)].shared.take(now, iterations * cost.wavefronts / s.model.shared_wavefronts_per_cycle);
  return more;
}

}  // namespace drywarp::sm
