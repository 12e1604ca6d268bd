// What the blocks of a launch share for the search for races: the accesses to global memory, and what is released
// through it.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/check/global_accesses.h"
#include "engine/check/lock_sections.h"
#include "engine/check/race_records.h"
#include "engine/check/released_words.h"
#include "engine/observe/observer.h"

namespace drywarp::check {

// The sides of a grid, or of a cluster.
using Sides = std::array<uint32_t, 3>;

// What one block at work needs, or the blocks of a cluster together; blocks that follow use its memory again.
struct BlockRecords {
  explicit BlockRecords(const RaceLimits& limits) : shared(limits), global(limits) {}
  LaneRuns shared_runs, global_runs;
  RaceRecords shared, global;  // `global`: if blocks are independent
  ReleasedWords words;         // likewise
  LockSections locks;          // likewise
  ReleasedWords shared_words;  // what is released through shared memory
  uint32_t blocks = 0;         // at work
};

class LaunchRaces {
 public:
  explicit LaunchRaces(const RaceLimits& limits) : records(limits), accesses(limits.same_writes), limits_(limits) {}
  void starts(const observe::BlockOrder& order, const Sides& grid);
  // Blocks may access each other's shared memory.
  [[nodiscard]] bool in_clusters() const { return cluster_[0] * cluster_[1] * cluster_[2] != 1; }
  [[nodiscard]] uint64_t cluster_of(uint64_t block) const;
  // Writes of each word that are kept, for reads that may be of one of them (ThreadOrder::see); 0: none.
  [[nodiscard]] size_t history() const { return history_; }
  // Blocks run on any thread, and only `same_writes` of theirs meet. False: they run on one, and `records` and `words`
  // are of all of them.
  [[nodiscard]] bool independent() const { return independent_; }
  [[nodiscard]] bool may_meet(uint32_t access) const { return access < same_writes_.size() && same_writes_[access]; }
  // Nothing in the launch writes where this load reads.
  [[nodiscard]] bool unwritten(uint32_t access) const { return access < unwritten_.size() && unwritten_[access]; }
  RaceRecords records;
  ReleasedWords words;
  LockSections locks;
  GlobalAccesses accesses;  // by `same_writes`

  [[nodiscard]] std::shared_ptr<BlockRecords> lend(uint64_t block);
  // `published`: other blocks may know of what the block has done.
  void ended(uint64_t block, bool published, std::shared_ptr<BlockRecords> lent);
  // Of the blocks below `end`.
  [[nodiscard]] RaceRecords::GivenUp given_up(uint64_t end) const;
  [[nodiscard]] const RaceLimits& limits() const { return limits_; }

 private:
  const RaceLimits limits_;
  bool independent_ = false;
  Sides grid_{1, 1, 1}, cluster_{1, 1, 1};
  size_t history_ = 0;
  std::vector<bool> same_writes_, unwritten_;
  std::vector<bool> over_;                             // by block: ended, and not published
  std::map<uint64_t, RaceRecords::GivenUp> given_up_;  // by block
  std::mutex mutex_;
  std::vector<std::shared_ptr<BlockRecords>> unused_;
  std::map<uint64_t, std::shared_ptr<BlockRecords>> of_clusters_;  // at work
};

}  // namespace drywarp::check
