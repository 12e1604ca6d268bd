// What orders the accesses of a block's threads, in the block and with other blocks: barriers, __syncwarp(), barrier
// objects, waits for asynchronous copies, and what threads release and acquire through words of memory.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/check/handed_order.h"
#include "engine/check/object_phases.h"
#include "engine/check/released_words.h"
#include "engine/check/thread_clocks.h"
#include "engine/observe/observer.h"

namespace drywarp::check {

// It learns what others have released before it runs.
[[nodiscard]] bool acquires(MemoryOrder order);
// What the thread did before, others learn by it.
[[nodiscard]] bool releases(MemoryOrder order);
[[nodiscard]] bool is_atomic(const observe::Access& access);
[[nodiscard]] bool is_strong(const observe::Access& access);
// For more than the block. `clusters`: blocks are in clusters, which do not tell the scope of a cluster from wider
// ones.
[[nodiscard]] bool is_wide(MemoryScope scope, bool clusters);

class ThreadOrder {
 public:
  // What is released through memory: `shared` of the block, or of its cluster. `clusters`: as is_wide() has it.
  void begin(uint64_t block, uint32_t threads, ReleasedWords& global, ReleasedWords& shared, bool clusters);

  [[nodiscard]] const ThreadClocks& clocks() const { return clocks_; }
  // Grows with the barriers of the whole block; then `floor` is what all its threads know.
  [[nodiscard]] uint32_t era() const { return era_; }
  [[nodiscard]] const BlockTimes& floor() const { return floor_; }
  // The time of copies that lanes of a warp issue now, and up to which a lane has waited for its own.
  [[nodiscard]] Time copy_time(uint32_t warp, LaneMask lanes);
  [[nodiscard]] const std::array<Time, kWarpSize>* waited(uint32_t warp) const {
    return copies_.empty() || !copies_[warp] ? nullptr : &copies_[warp]->waited;
  }
  // Whether other blocks may know of what the block has done.
  [[nodiscard]] bool published() const { return published_; }

  struct Use {
    // Nobody looks at the value that it reads: such a thread cannot know whose write it has read, so in another run it
    // may be an earlier one.
    bool unread = false;
    // An atomic that leaves the value as it is: who reads it cannot know whether it came before.
    bool idle = false;
  };
  // Before all others of an access: what lanes have read before, and only tested, they have read as this run shows.
  void begin_access(const observe::Access& a);
  // Of a load, and of an atomic, before it is compared; of a store, behind that.
  void access(const observe::Access& a, const Use& use);
  void access(const observe::Access& a) { access(a, Use()); }
  // Atomics of lanes run one after the other; `ran` is called for each when it has acquired and not yet released.
  void outcome(const observe::Outcome& o, const std::function<void(uint32_t lane)>& ran);
  void followed(const observe::Followed& f);
  void fence(const observe::Fence& f);
  void arrival(const observe::Arrival& a);
  void release(const observe::Release& r);
  void warp_release(const observe::WarpRelease& r);
  void cluster_barrier(const observe::ClusterBarrier& c);
  // What is wrong with its phase; empty: nothing.
  std::string mbarrier(const observe::Mbarrier& m);
  void copies(const observe::CopyUse& c);
  void exit(const observe::Exit& e);

 private:
  struct Fenced {
    Known known;
    Time time = 0;
  };
  struct FollowedRead;
  struct Thread {
    Fenced narrow, wide;  // at its last fences
    bool fresh = false;   // nobody has heard of the wide one from it
    WordsSeen unfenced;   // read since
    Handed handed;        // by others, since its last wide fence
    struct ReadWord {
      uint64_t write = 0;                   // of its history: the last one that it has read, and no earlier one later
      ReleasedWords::Seen::Mark learned{};  // what it has learned there, as all that others may know
    };
    std::unordered_map<uint64_t, ReadWord> read;  // by word
    // Those of `unfenced` come in the order of the last time, most often.
    size_t next_unfenced = 0;
    std::unique_ptr<FollowedRead> followed;
  };
  struct Copies {
    Time now = 1;
    std::array<Time, kWarpSize> waited{}, issued{};  // `issued`: the last ones
    std::array<std::vector<Time>, kWarpSize> groups;
  };
  // What threads bring that arrive somewhere.
  struct Meeting {
    Moment moment;
    HandedOrder handed;
  };
  struct Told {
    Known known;
    Handed handed;
  };
  struct Object {
    Meeting arriving;
    std::deque<Told> completed;  // what the completion of the last phases tells
  };
  // The atomic that a warp runs.
  struct Atomic {
    uint32_t access = 0;
    LaneMask lanes = 0;  // until its outcome
    MemoryOrder order = MemoryOrder::Weak;
    bool wide = false;
    Use use;
    const TestedLanes *tested = nullptr, *followed = nullptr;  // until its outcome
    observe::CallValue goes_to;
    uint32_t bytes = 0;
    std::array<uint64_t, kWarpSize> at{};
  };

  void outcome(const observe::Outcome& o, Memory memory, const std::function<void(uint32_t lane)>& ran);
  [[nodiscard]] ReleasedWords& words(Memory memory) { return memory == Memory::Shared ? *shared_ : *global_; }
  [[nodiscard]] Thread& thread(uint32_t warp, uint32_t lane) { return threads_[warp * kWarpSize + lane]; }
  Copies& copies(uint32_t warp);
  void collect(Meeting& meeting, uint32_t warp, LaneMask lanes) const;
  void gather(HandedOrder& order, uint32_t warp, LaneMask lanes) const;
  // `took_part`: what they have had themselves is among it.
  void hand(uint32_t warp, LaneMask lanes, const Handed& what, bool took_part);
  void learn(uint32_t warp, uint32_t lane, const Known& more);
  // `last`: what another lane has learned from words that are still kept, of the same scope; or nothing.
  struct FromWords;
  void learn(uint32_t warp, uint32_t lane, std::span<const ReleasedWords::Seen* const> seen, bool wide,
             FromWords& last);
  void pass(uint32_t warp, LaneMask lanes, const Known& known);
  // How a lane reads a word.
  struct Reading {
    Memory memory;
    MemoryOrder order;
    bool wide, unread;
    const TestedLanes* tested;
    uint64_t address;
    uint32_t bytes;
  };
  // `past`: it has read before; or null.
  void acquire(uint32_t warp, uint32_t lane, uint64_t word, const Reading& r, const FollowedRead* past = nullptr);
  void fence_lanes(const observe::Fence& f);
  // ---- followed_reads.cpp
  // False: it is to be acquired at once.
  bool follow(uint32_t warp, uint32_t lane, uint32_t access, const Reading& r, const TestedLanes& test,
              const observe::CallValue& to);
  // `by_answers`: they have been looked at in no other way, and will not be.
  void settle(uint32_t warp, LaneMask lanes, bool by_answers);
  // Words of no memory, by which the blocks of a cluster release and acquire what no word of the program says.
  static constexpr uint64_t kClusterWords = uint64_t{1} << 62, kObjectWords = uint64_t{1} << 61;
  static Reading of_cluster(uint64_t word) {
    return {Memory::Global, MemoryOrder::Acquire, true, false, nullptr, word, 0};
  }
  void release_at(uint32_t warp, uint32_t lane, uint64_t word, MemoryOrder order, bool anew);
  ReleasedWords::Sight see(uint32_t warp, uint32_t lane, uint64_t word, const Reading& r, Thread::ReadWord& read,
                           const FollowedRead* past);
  [[nodiscard]] uint64_t last_known(uint32_t warp, uint32_t lane, const ReleasedWords::History& history,
                                    uint64_t least) const;
  // Of a strong write: what the lane has left there.
  void write_history(uint32_t warp, uint32_t lane, Memory memory, uint64_t address, uint32_t bytes, Time time,
                     const uint64_t* value);
  [[nodiscard]] std::vector<WordRelease> releases(uint32_t warp, uint32_t lane, MemoryOrder order, bool wide,
                                                  Memory memory);

  ThreadClocks clocks_;
  uint64_t block_ = 0;
  uint32_t era_ = 1;
  BlockTimes floor_;
  bool published_ = false, fenced_ = false;
  bool hands_ = false;  // some thread has something to hand on, or had
  ReleasedWords *global_ = nullptr, *shared_ = nullptr;
  bool clusters_ = false;
  std::array<Meeting, 16> barriers_;
  std::map<uint64_t, Object> objects_;  // barrier objects, by address
  ObjectPhases phases_;
  std::vector<Thread> threads_;
  std::vector<std::unique_ptr<Copies>> copies_;  // by warp; null: it has issued none
  std::vector<std::array<Atomic, 2>> atomics_;   // the last one of each warp in global and shared memory
  std::vector<LaneMask> following_;              // lanes of a warp that have a followed read
  std::vector<LaneMask> touched_;                // lanes that have accessed memory since the block's last barrier
  const Known nothing_ = std::make_shared<Clock>();
  Known from_, more_, learned_;  // of the last learn(): lanes learn the same one after the other
  struct FromWords {
    Known from, result;
    std::vector<ReleasedWords::Seen::Identity> seen;
  };
  // What a fence has told a lane that had nothing to learn but what others have handed to it: most have the same.
  struct FromHanded {
    Known from, result;
    std::weak_ptr<const WordsSeen> reads;  // not kept: logs would grow
    bool wide = false;
  } from_handed_;
};

// A read whose value goes through functions that are really called, and is only tested, as far as it is known: until
// the last test, or the thread's next access, nobody can say which write it may have been of.
struct ThreadOrder::FollowedRead {
  Reading reading;
  uint32_t access = 0;
  struct Stage {
    ValueTest test;
    std::array<uint64_t, ValueTest::kOthers> others;
  };
  std::vector<Stage> stages;
  observe::CallValue goes_to;
  std::array<uint64_t, 2> end{};        // of the histories of its words, when it read
  std::optional<observe::Fence> fence;  // since: the widest one
  bool by_answers = false;              // settle()

  void add(const TestedLanes& test, uint32_t lane);
  [[nodiscard]] bool same_answers(uint64_t a, uint64_t b) const;
  [[nodiscard]] uint64_t end_of(uint64_t word) const { return end[word - reading.address / 4]; }
};

}  // namespace drywarp::check
