#include "model/sm/units/swap_loops.h"

#include <algorithm>
#include <numeric>

#include "model/sm/units/simulation.h"

namespace drywarp::sm {
namespace {

// Measured on an H200, 1 to 32 warps of a block with 1 to 32 lanes at each word: an iteration; from its load to its
// compare-and-swap; what it has and takes, without the BSYNC of lanes that leave.
struct LoopCost {
  Cycles iteration, to_swap;
  uint64_t instructions;
  double wavefronts;
};
constexpr LoopCost kFloat{95, 47, 5, 3}, kDouble{111, 60, 6, 4};
constexpr size_t kWords = 256;  // of a block, whose swaps are known apart
constexpr size_t kBanks = 32;
constexpr Cycles kTakenAhead = 32;  // by which others may have taken turns of the banks that come later

Cycles& last_swap(ResidentBlock& block, uint64_t word) {
  if (block.swapped.empty()) block.swapped.resize(kWords);
  ResidentBlock::SwappedWord& place = block.swapped[word % kWords];
  if (place.word != word) place = {word, kLongAgo};
  return place.at;
}

}  // namespace

SwapLoops::Iterations SwapLoops::iterate(uint32_t index, const Decoded& in, Cycles now) {
  Warp& warp = s.warps[index];
  const TraceAccess* const access = warp.cursor.access();
  if (!access || access->line_count == 0) return {.end = now};
  const LoopCost& cost = in.words > 1 ? kDouble : kFloat;
  const size_t banks = kBanks / std::max<size_t>(in.words, 1);
  const auto words = warp.cursor.lines(*access);
  std::vector<uint8_t>& left = warp.unswapped;
  if (left.empty())
    for (const TraceLine& word : words) left.push_back(static_cast<uint8_t>(word.lanes()));
  // Of each bank one lane tries, the lowest: the lanes at a word are spread over the warp.
  std::array<size_t, kBanks> tries;
  tries.fill(left.size());
  const auto share = [&](size_t i) { return (left[i] - 0.5) / words[i].lanes(); };
  for (size_t i = 0; i < left.size(); ++i) {
    size_t& place = tries[words[i].number() % banks];
    if (left[i] != 0 && (place == left.size() || share(i) > share(place))) place = i;
  }
  bool swaps = false;
  for (const size_t i : tries) {
    if (i == left.size()) continue;
    Cycles& last = last_swap(s.blocks[warp.block], words[i].number());
    if (now - last < cost.to_swap) continue;  // another warp has swapped since this one has loaded
    last = now, --left[i], swaps = true;
  }
  const uint64_t lanes = std::accumulate(left.begin(), left.end(), uint64_t{0});
  if (lanes == 0) {
    left.clear();
    return {.end = now};
  }
  std::array<unsigned, kBanks> loads{};  // words of a bank
  for (size_t i = 0; i < left.size(); ++i)
    if (left[i] != 0) ++loads[words[i].number() % banks];
  const double conflicts = *std::ranges::max_element(loads) - 1.0;
  // The branch is issued as such.
  const uint64_t instructions = cost.instructions - 1 + (swaps ? 1 : 0);
  s.sums.issued += instructions;
  s.sums.thread_instructions += instructions * lanes;
  const double wavefronts = (cost.wavefronts + conflicts) / s.model.shared_wavefronts_per_cycle;
  const Cycles turn = s.sms[s.sm_of(warp.part)].shared.take(now, wavefronts);
  return {.end = std::max(now, turn - kTakenAhead) + cost.iteration + conflicts * s.model.shared_conflict_cycles,
          .issue_cycles = static_cast<double>(instructions) + std::max(0.0, s.model.taken_branch_interval - 1),
          .again = true};
}

}  // namespace drywarp::sm
