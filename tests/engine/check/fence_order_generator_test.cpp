// Random launches whose blocks hand on what they wrote as "the last block" does: each thread fences, one thread counts
// its block in behind a barrier, and what it hears the others fence behind another one. Then they read what the blocks
// wrote that it has heard of. Fences, barriers, scopes, lanes and what is read are left out or changed at random, so
// that about half of the launches race. Judged by the race check and by brute force (race_oracle.h).
//
// DRYWARP_FENCE_TRACES=N runs N of them; DRYWARP_FENCE_SEED=S begins with the one of that number; alone, it runs one,
// and prints what it does.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "race_judge.h"

namespace drywarp::check {
namespace {

using Kind = TraceEvent::Kind;

constexpr uint64_t kFenceWords = 1 << 20;

class FenceGenerator {
 public:
  explicit FenceGenerator(uint64_t seed) : random_(seed) {}

  Trace make() {
    trace_.blocks = 2 + below(2);
    trace_.warps = 1 + below(3);
    tests_ = below(3) == 0;
    constexpr uint32_t kWrong[] = {1, 3, 5};
    wrong_ = kWrong[below(3)];
    std::vector<Block> blocks(trace_.blocks);
    heard_.resize(trace_.blocks);
    for (uint32_t b = 0; b < trace_.blocks; ++b) {
      const uint32_t rounds = 1 + (below(4) == 0 ? 1 : 0);
      for (uint32_t r = 0; r < rounds; ++r) round(b, r, blocks[b]);
    }
    // One interleaving: blocks step by step, or one behind the other.
    const bool in_turn = below(2) == 0;
    for (uint32_t left = trace_.blocks; left != 0;) {
      uint32_t b = below(trace_.blocks);
      if (in_turn) b = trace_.blocks - left;
      Block& block = blocks[b];
      const size_t steps = in_turn ? block.size() : 1;
      for (size_t i = 0; i < steps && !block.empty(); ++i) {
        emit(std::move(block.front()));
        block.erase(block.begin());
        if (block.empty()) --left;
      }
      if (in_turn && steps == 0) --left;
    }
    return std::move(trace_);
  }

 private:
  struct Written {
    uint32_t block = 0, round = 0;
  };
  struct Step {
    TraceEvent event;
    std::optional<Written> tells;  // of what its block has written, and hears of others
    bool reads_heard = false;      // what its block has heard of
  };
  using Block = std::vector<Step>;

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  bool goes_wrong() { return below(64) < wrong_; }

  // What is heard depends on the interleaving.
  void emit(Step step) {
    TraceEvent& e = step.event;
    if (step.tells) {
      std::vector<Written>& told = told_[e.at[0]];
      if (e.access == AccessKind::Store) told.clear();
      if (e.access != AccessKind::Load) told.push_back(*step.tells);
      heard_[e.block].insert(heard_[e.block].end(), told.begin(), told.end());
    }
    if (step.reads_heard) {
      Written from{below(trace_.blocks), 0};
      if (const auto& heard = heard_[e.block]; !goes_wrong() && !heard.empty())
        from = heard[below(static_cast<uint32_t>(heard.size()))];
      const uint64_t first = words_of(from.block, below(trace_.warps), from.round);
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) e.at[lane] = kFenceWords + 4 * (first + lane);
    }
    trace_.events.push_back(std::move(e));
  }
  MemoryScope scope() { return goes_wrong() ? MemoryScope::Cta : below(2) == 0 ? MemoryScope::Gpu : MemoryScope::Sys; }
  LaneMask lanes() { return !goes_wrong() ? ~LaneMask{0} : below(2) == 0 ? 1u << below(4) : 0x0000ffffu; }

  TraceEvent event(uint32_t block, uint32_t warp, Kind kind) const {
    TraceEvent e;
    e.block = block, e.warp = warp, e.kind = kind, e.lanes = ~LaneMask{0};
    return e;
  }
  TraceEvent access(uint32_t block, uint32_t warp, AccessKind kind, uint64_t first, uint32_t stride) {
    TraceEvent e = event(block, warp, Kind::Access);
    e.memory = Memory::Global, e.access = kind, e.bytes = 4;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) e.at[lane] = kFenceWords + 4 * (first + uint64_t{stride} * lane);
    for (uint8_t& v : e.value) v = static_cast<uint8_t>(below(2));
    e.instruction = trace_.instructions++;
    return e;
  }
  // The words that a block's warp writes: behind the counters, on lines of their own.
  uint64_t words_of(uint32_t block, uint32_t warp, uint32_t round) const {
    return 2 * kWarpSize + ((uint64_t{round} * trace_.blocks + block) * trace_.warps + warp) * kWarpSize;
  }

  // What warps do between two barriers, in any order of the warps.
  void add(Block& to, std::vector<Block> of_warps) {
    for (bool any = true; any;) {
      any = false;
      const auto warp = below(static_cast<uint32_t>(of_warps.size()));
      auto& own = of_warps[warp];
      if (!own.empty()) to.push_back(std::move(own.front())), own.erase(own.begin());
      for (const auto& one : of_warps) any |= !one.empty();
    }
  }
  void synchronize(uint32_t block, Block& to) {
    if (goes_wrong()) return;
    if (trace_.warps == 1 && below(2) == 0) {
      to.push_back({event(block, 0, Kind::WarpSync), {}});
      return;
    }
    for (uint32_t warp = 0; warp < trace_.warps; ++warp) to.push_back({event(block, warp, Kind::Arrive), {}});
    TraceEvent done = event(block, 0, Kind::Release);
    done.released.assign(trace_.warps, ~LaneMask{0});
    to.push_back({std::move(done), {}});
  }
  void fence(uint32_t block, uint32_t warp, Block& to) {
    if (goes_wrong()) return;
    TraceEvent e = event(block, warp, Kind::Fence);
    e.lanes = lanes(), e.scope = scope();
    to.push_back({std::move(e), {}});
  }
  // One thread counts the block in, or tells by a store, or looks.
  TraceEvent tell(uint32_t block) {
    const AccessKind kind = goes_wrong()    ? (below(2) == 0 ? AccessKind::Store : AccessKind::Load)
                            : below(6) == 0 ? AccessKind::Swap
                                            : AccessKind::Atomic;
    TraceEvent e = access(block, below(trace_.warps), kind, below(8) == 0 ? 1 : 0, 0);
    e.lanes = 1u << below(2);
    e.order = below(4) == 0 ? MemoryOrder::Volatile : MemoryOrder::Relaxed;
    if (e.access != AccessKind::Store && e.access != AccessKind::Load) e.order = MemoryOrder::Relaxed;
    if (goes_wrong() && e.access == AccessKind::Atomic) e.order = MemoryOrder::AcqRel;
    e.scope = e.order == MemoryOrder::Volatile ? MemoryScope::None : scope();
    e.wrote = e.lanes;
    e.unread = e.access == AccessKind::Atomic && goes_wrong();
    e.tested = tests_ && e.access == AccessKind::Load;
    e.asked = below(2) == 0 ? 0 : 0x01010101;
    for (uint64_t& after : e.after) after = below(2) == 0 ? 0 : 0x01010101;
    return e;
  }

  void round(uint32_t block, uint32_t number, Block& to) {
    std::vector<Block> first(trace_.warps), last(trace_.warps);
    const uint32_t own = goes_wrong() ? 0 : number;  // or what others may read is written again
    for (uint32_t warp = 0; warp < trace_.warps; ++warp) {
      const bool early = goes_wrong();
      if (early) fence(block, warp, first[warp]);
      first[warp].push_back({access(block, warp, AccessKind::Store, words_of(block, warp, own), 1), {}});
      if (!early) fence(block, warp, first[warp]);
    }
    add(to, std::move(first));
    synchronize(block, to);
    to.push_back({tell(block), Written{block, own}});
    if (below(4) == 0) to.push_back({tell(block), Written{block, own}});
    synchronize(block, to);
    if (below(8) == 0) to.push_back({tell(block), {}});
    for (uint32_t warp = 0; warp < trace_.warps; ++warp) {
      fence(block, warp, last[warp]);
      const AccessKind kind = goes_wrong() ? AccessKind::Store : AccessKind::Load;
      Step step{access(block, warp, kind, 0, 1), {}, true};
      step.event.lanes = below(2) == 0 ? ~LaneMask{0} : 1u << below(kWarpSize);
      last[warp].push_back(std::move(step));
    }
    add(to, std::move(last));
  }

  std::mt19937_64 random_;
  bool tests_ = false;
  uint32_t wrong_ = 0;                             // of 64 parts
  std::map<uint64_t, std::vector<Written>> told_;  // by address
  std::vector<std::vector<Written>> heard_;        // by block
  Trace trace_;
};

TEST(FenceOrderGenerator, AgreesWithTheOracle) {
  const Seeds seeds = seeds_of("DRYWARP_FENCE_SEED", "DRYWARP_FENCE_TRACES", 500);
  judge_all(
      seeds, [&](uint64_t seed) { return judge_trace(FenceGenerator(seed).make(), seeds.prints); },
      FaultyShare{40, 60});
}

}  // namespace
}  // namespace drywarp::check
