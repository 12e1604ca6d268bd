// Random launches with races and without, judged by the race check and by brute force (race_oracle.h). What they do is
// told to the check event by event, as the engine tells it, in one interleaving of warps and blocks.
//
// DRYWARP_RACE_TRACES=N runs N of them; DRYWARP_RACE_SEED=S begins with the one of that number; alone, it runs one, and
// prints what it does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "race_judge.h"
#include "race_oracle.h"
#include "seeds.h"

namespace drywarp::check {
namespace {

using Kind = TraceEvent::Kind;

constexpr uint64_t kGlobalBase = 1 << 20;

class Generator {
 public:
  explicit Generator(uint64_t seed, bool cluster = false)
      : random_(seed), values_(seed), may_be_unread_(seed % 4 == 0), tests_(seed % 4 >= 2) {
    trace_.cluster = cluster;
  }

  Trace make() {
    trace_.blocks = one_of({1, 2, 3});
    trace_.warps = one_of({1, 2, 3});
    trace_.independent = below(4) == 0 && !trace_.cluster;
    if (trace_.cluster) trace_.blocks = 2 + below(2);
    words_ = one_of({2, 8, 48});
    block_scope_ = below(3) == 0;
    whole_ = below(3) == 0;
    reuse_ = below(4) == 0;
    warps_.resize(size_t{trace_.blocks} * trace_.warps);
    episodes_.resize(trace_.blocks);
    objects_.resize(trace_.blocks);
    calm_ = below(2) == 0;
    if (calm_) words_ = 64;
    const uint32_t length = 8 + below(calm_ ? 30 : 50);
    for (uint32_t i = 0; i < 20 * length && trace_.events.size() < length; ++i) step();
    return std::move(trace_);
  }

 private:
  // A barrier that some warps of a block are to meet at.
  struct Episode {
    uint32_t barrier = 0;
    uint32_t left = 0;  // warps
    std::vector<LaneMask> waiting;
  };
  struct Warp {
    bool called = false, waits = false;  // it is to arrive; it has
    bool arrives = false;                // by bar.arrive
  };
  struct Object {
    uint32_t left = 2;
    bool completed = false;
  };

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  uint32_t one_of(std::initializer_list<uint32_t> all) {
    return *(all.begin() + below(static_cast<uint32_t>(all.size())));
  }
  LaneMask some_lanes() {
    if (whole_ || below(3) == 0) return ~LaneMask{0};
    if (below(2) == 0) return 1u << below(4);
    return below(2) == 0 ? 0x0000ffffu << 16 * below(2) : static_cast<LaneMask>(random_()) | 1;
  }
  MemoryScope scope() {
    if (block_scope_ && below(2) == 0) return MemoryScope::Cta;
    if (trace_.cluster && below(2) == 0) return MemoryScope::Cluster;
    return one_of({0, 1}) == 0 ? MemoryScope::Gpu : MemoryScope::Sys;
  }

  void step() {
    const uint32_t block = below(trace_.blocks), warp = below(trace_.warps);
    Warp& w = warps_[block * trace_.warps + warp];
    if (w.waits) return;
    TraceEvent e;
    e.block = block, e.warp = warp;
    if (w.called && below(2) == 0) return arrive(e, w);
    if (calm_ && below(3) == 0) return begin_episode(block);
    switch (below(20)) {
      case 0:
      case 1:
        return begin_episode(block);
      case 2:
        e.kind = Kind::WarpSync, e.lanes = some_lanes();
        return add(e);
      case 3:
      case 4:
        e.kind = Kind::Fence, e.lanes = some_lanes(), e.scope = scope();
        return add(e);
      case 5:
        return copy(e);
      case 6:
        e.lanes = some_lanes(), e.count = below(3);
        e.kind = static_cast<Kind>(one_of({uint32_t(Kind::Commit), uint32_t(Kind::Wait), uint32_t(Kind::WaitAll)}));
        return add(e);
      case 7:
        return trace_.cluster ? void() : use_object(e);  // those of a cluster are not judged
      case 8:
      case 9:
      case 10:
      case 11:
        return synchronizing(e);
      default:
        return plain(e);
    }
  }
  void add(TraceEvent e) { trace_.events.push_back(std::move(e)); }

  uint32_t number(const TraceEvent& e) {
    // The same instruction again, as a loop runs it.
    const std::tuple key{e.memory, e.access, e.order, e.scope, e.bytes, e.unread, e.idle};
    if (reuse_ && below(2) == 0)
      if (const auto known = instructions_.find(key); known != instructions_.end()) return known->second;
    return instructions_[key] = trace_.instructions++;
  }
  uint64_t address(const TraceEvent& e, Memory memory, uint64_t word) const {
    const uint64_t own = trace_.independent && memory == Memory::Global ? uint64_t{e.block} << 16 : 0;
    return (memory == Memory::Global ? kGlobalBase : 0) + own + word * 4;
  }
  void place(TraceEvent& e, Memory memory, std::array<uint64_t, kWarpSize>& at) {
    const uint32_t pattern = calm_ && below(4) != 0 ? 1 : below(5), first = below(words_),
                   stride = calm_ ? 1 : one_of({1, 1, 2, 33});
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      uint64_t place = address(e, memory, 0);
      if (pattern == 0) place += 4 * first;                                     // all lanes the same
      if (pattern == 1) place += 4 * (first + uint64_t{stride} * lane);         // a row, or a column
      if (pattern == 2) place += 4 * (first + uint64_t{kWarpSize} - 1 - lane);  // backwards
      if (pattern == 3) place += 4 * below(words_);                             // anywhere
      if (pattern == 4) place += 4 * first + lane;                              // bytes in a row
      if (pattern == 1 && e.bytes > 4) place = address(e, memory, 0) + uint64_t{e.bytes} * (first + lane);
      at[lane] = place / e.bytes * e.bytes;
    }
  }

  // In a cluster, half of all accesses to shared memory go to any block's.
  void choose_owner(TraceEvent& e) { e.owner = trace_.cluster && below(2) == 0 ? below(trace_.blocks) : e.block; }
  void plain(TraceEvent& e) {
    e.lanes = some_lanes();
    e.memory = below(2) == 0 ? Memory::Shared : Memory::Global;
    choose_owner(e);
    e.access = below(calm_ ? 4 : 2) != 0 ? AccessKind::Load : AccessKind::Store;
    e.bytes = one_of({1, 2, 4, 4, 4, 8, 16});
    place(e, e.memory, e.at);
    for (uint8_t& v : e.value) v = static_cast<uint8_t>(below(2));
    e.instruction = number(e);
    add(e);
  }
  // Accesses to a few words by atomics, volatile and relaxed accesses and stronger ones.
  void synchronizing(TraceEvent& e) {
    e.lanes = some_lanes();
    if (below(2) == 0) e.lanes = 1u << below(2);
    e.memory = below(2) == 0 ? Memory::Shared : Memory::Global;
    choose_owner(e);
    const uint32_t kind = below(4);
    e.access = kind == 0   ? AccessKind::Load
               : kind == 1 ? AccessKind::Store
               : kind == 2 ? AccessKind::Atomic
                           : AccessKind::Swap;
    const bool atomic = kind >= 2;
    e.order = static_cast<MemoryOrder>(
        one_of({uint32_t(atomic ? MemoryOrder::Relaxed : MemoryOrder::Volatile), uint32_t(MemoryOrder::Relaxed),
                uint32_t(kind == 1   ? MemoryOrder::Release
                         : kind == 0 ? MemoryOrder::Acquire
                                     : MemoryOrder::AcqRel)}));
    e.scope = e.order == MemoryOrder::Volatile ? MemoryScope::None : scope();
    const uint64_t word = below(2);
    for (uint64_t& at : e.at) at = address(e, e.memory, word);
    for (uint8_t& v : e.value) v = static_cast<uint8_t>(below(2));
    e.wrote = kind == 2 ? e.lanes : e.lanes & static_cast<LaneMask>(random_());
    e.unread = may_be_unread_ && kind != 1 && values_() % 2 == 0;
    e.idle = tests_ && kind == 2 && values_() % 3 == 0;
    e.tested = tests_ && kind == 0 && values_() % 3 != 0;
    // Values that stores have as well: of one or two bytes of a word alone, no test asks.
    e.asked = values_() % 2 == 0 ? 0 : 0x01010101;
    for (uint64_t& after : e.after) after = values_() % 2 == 0 ? 0 : 0x01010101;
    e.instruction = number(e);
    add(e);
  }
  void copy(TraceEvent& e) {
    e.kind = Kind::Copy;
    e.lanes = some_lanes();
    e.access = AccessKind::Copy;
    e.bytes = one_of({4, 8, 16});
    place(e, Memory::Shared, e.at);
    place(e, Memory::Global, e.from);
    e.instruction = trace_.instructions;
    trace_.instructions += 2;
    add(e);
  }

  void begin_episode(uint32_t block) {
    Episode& episode = episodes_[block];
    if (episode.left != 0) return;
    const bool named = trace_.warps > 2 && below(2) == 0;
    const uint32_t absent = named ? below(trace_.warps) : ~0u;
    episode = {named ? 3u : 0u, 0, std::vector<LaneMask>(trace_.warps)};
    for (uint32_t warp = 0; warp < trace_.warps; ++warp) {
      if (warp == absent) continue;
      Warp& w = warps_[block * trace_.warps + warp];
      w.called = true, w.arrives = named && below(3) == 0;
      ++episode.left;
    }
  }
  void arrive(TraceEvent& e, Warp& w) {
    Episode& episode = episodes_[e.block];
    e.kind = Kind::Arrive;
    e.lanes = ~LaneMask{0}, e.barrier = episode.barrier, e.waits = !w.arrives;
    w.called = false, w.waits = e.waits;
    if (e.waits) episode.waiting[e.warp] = e.lanes;
    const uint32_t block = e.block;
    add(e);
    if (--episode.left != 0) return;
    TraceEvent done;
    done.kind = Kind::Release, done.block = block, done.barrier = episode.barrier, done.released = episode.waiting;
    for (uint32_t warp = 0; warp < trace_.warps; ++warp)
      if (episode.waiting[warp] != 0) warps_[block * trace_.warps + warp].waits = false;
    add(done);
  }
  // One object a block, two arrivals a phase; who waits after that sees its phase completed.
  void use_object(TraceEvent& e) {
    Object& object = objects_[e.block];
    e.lanes = 1u << below(4);
    const uint32_t use = below(3);
    if (use == 0) {
      e.kind = Kind::ObjectArrive;
      e.completes = --object.left == 0;
      if (e.completes) object = {2, true};
    } else if (use == 1) {
      e.kind = Kind::ObjectCopies;
    } else {
      if (!object.completed) return;
      e.kind = Kind::ObjectWait;
    }
    add(e);
  }

  std::mt19937_64 random_, values_;
  bool may_be_unread_ = false, tests_ = false;
  Trace trace_;
  uint32_t words_ = 8;
  bool block_scope_ = false, calm_ = false, whole_ = false, reuse_ = false;
  std::vector<Warp> warps_;
  std::vector<Episode> episodes_;
  std::vector<Object> objects_;
  std::map<std::tuple<Memory, AccessKind, MemoryOrder, MemoryScope, uint32_t, bool, bool>, uint32_t> instructions_;
};

TEST(RaceGenerator, AgreesWithTheOracle) {
  const Seeds seeds = seeds_of("DRYWARP_RACE_SEED", "DRYWARP_RACE_TRACES", 2000);
  judge_all(
      seeds, [&](uint64_t seed) { return judge_trace(Generator(seed).make(), seeds.prints); }, FaultyShare{25, 95});
}

// Blocks of one cluster, that access each other's shared memory.
TEST(RaceGenerator, AgreesInClusters) {
  const Seeds seeds = seeds_of("DRYWARP_CLUSTER_SEED", "DRYWARP_CLUSTER_TRACES", 2000);
  judge_all(seeds, [&](uint64_t seed) { return judge_trace(Generator(seed, true).make(), seeds.prints); });
}

// An atomic of one block that reads what a store for that block alone wrote; a release that a plain store overwrites
// and a later atomic of its thread tells again; a read whose release a plain store overwrites before its thread
// acquires.
TEST(RaceGenerator, AgreesOnSeedsThatWereWrong) {
  for (const uint64_t seed : {13113, 20487, 42021, 45315, 52722, 55691, 200141}) {
    const Trace trace = Generator(seed).make();
    EXPECT_EQ(mistakes(trace), "") << "seed " << seed << "\n" << print(trace);
  }
}

// A bound on what is remembered loses races, and invents none; what is lost is said.
TEST(RaceGenerator, AgreesWithTheOracleAtItsBounds) {
  const Seeds seeds = seeds_of("DRYWARP_RACE_SEED", "DRYWARP_RACE_TRACES", 2000);
  judge_all(
      seeds,
      [&](uint64_t seed) {
        const Trace trace = Generator(seed).make();
        const RaceLimits limits{
            .records = 1 + seed % 12, .in_list = seed % 5 == 0 ? 1 + seed % 3 : 4096, .same_writes = 8};
        bool incomplete = false;
        std::string problems = mistakes(trace, limits, &incomplete);
        if (!problems.empty() && seeds.prints) problems += print(trace);
        return Judged{std::move(problems), incomplete ? 1U : 0U};
      },
      FaultyShare{25, 100});
}

}  // namespace
}  // namespace drywarp::check
