// What threads release through words of memory, and what a thread learns that reads them: PTX ISA, memory consistency
// model. A release orders what its thread did before it; a thread that reads the word, or a later value of a chain of
// atomics, and acquires, does what follows behind that.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/check/thread_clocks.h"

namespace drywarp::check {

struct WordRelease {
  uint64_t block = 0;
  uint32_t thread = 0;     // of the block: warp * 32 + lane
  bool wide = false;       // for more than the thread's block
  bool operation = false;  // by the access itself; false: by a fence before it
  Known what;              // the thread knew
  // And it had done up to a time of its warp, and of its copies; 0: `what` says all. Apart from `what`, which lanes
  // share.
  Time time = 0, waited = 0;
  uint32_t warps = 0;  // of the block
};

class ReleasedWords {
 public:
  // A word was read. What its chain says later is not learned.
  class Sight;
  class Seen {
   public:
    Seen() = default;
    explicit Seen(const Sight& sight);
    Seen(const Seen& o);
    Seen(Seen&& o) noexcept;
    Seen& operator=(Seen o) noexcept;
    ~Seen();
    [[nodiscard]] explicit operator bool() const { return log_ != nullptr; }
    // Whoever has seen this later learns what the other one says, too.
    [[nodiscard]] bool covers(const Seen& o) const { return log_ == o.log_ && (wide_ || !o.wide_); }
    [[nodiscard]] bool says_all_of(const Seen& o) const { return covers(o) && length_ >= o.length_; }
    // For whoever has learned it, to remember that.
    struct Mark {
      uint64_t log = 0;  // 0: of none
      size_t length = 0;
      bool wide = false;
    };
    [[nodiscard]] Mark mark() const;
    // The same for those that have read the same, as long as they are kept.
    using Identity = std::tuple<const void*, size_t, bool>;
    [[nodiscard]] Identity identity() const { return {log_.get(), length_, wide_}; }
    // Adds what a thread of `block` learns: of other blocks, to `others`, which may have its own among them.
    void add_to(BlockTimes& own, GrowingBlocks& others, uint64_t block, bool wide) const;

   private:
    friend class ReleasedWords;
    friend class Sight;
    struct Log;
    Seen(std::shared_ptr<Log> log, size_t length, bool wide);
    std::shared_ptr<Log> log_;
    size_t length_ = 0;
    bool wide_ = false;
  };

  // The same before anybody keeps it, until the words change: most reads tell their thread nothing new.
  class Sight {
   public:
    Sight() = default;
    [[nodiscard]] explicit operator bool() const { return log_ != nullptr; }
    [[nodiscard]] bool is_new(const Seen::Mark& learned) const;

   private:
    friend class ReleasedWords;
    friend class Seen;
    Sight(const std::shared_ptr<Seen::Log>& log, size_t length, bool wide)
        : log_(log ? &log : nullptr), length_(length), wide_(wide) {}
    const std::shared_ptr<Seen::Log>* log_ = nullptr;
    size_t length_ = 0;
    bool wide_ = false;
  };

  // A strong write, as a later read may choose among those of its word.
  struct Write {
    uint64_t address = 0, value = 0;
    uint32_t bytes = 0;
    bool known = false;  // `value` is what it left there
    uint64_t block = 0;
    uint32_t thread = 0;  // of the block
    Time time = 0;        // of its warp
    Seen released;        // what a read of it has seen
  };
  // The last ones of a word, in their order, with their numbers.
  struct History {
    uint64_t first = 0;
    std::deque<Write> writes;
    [[nodiscard]] uint64_t end() const { return first + writes.size(); }
    // Writes behind each other by one warp: whoever knows none of its work up to `time` knows none of them.
    struct Run {
      uint64_t first = 0, block = 0;
      uint32_t warp = 0;
      Time time = 0;
    };
    std::deque<Run> runs;
    uint64_t alike = 0;  // from here on all are to the same bytes, with known values or without
    void add(Write write);
    void drop_first();
    void clear();
  };
  // Keeps histories from now on: up to so many writes of a word.
  void keep_history(size_t most) { most_writes_ = most; }
  [[nodiscard]] bool keeps_history() const { return most_writes_ != 0; }
  // The word's; null: it has none.
  [[nodiscard]] const History* history(uint64_t word) const {
    const auto found = histories_.find(word);
    return found == histories_.end() || found->second.writes.empty() ? nullptr : &found->second;
  }
  // Behind its store() or update().
  void wrote(uint64_t word, Write write);
  // As read(), of an earlier write.
  [[nodiscard]] static Sight seen(const Write& write, bool wide) {
    return {write.released.log_, write.released.length_, wide};
  }

  // What a thread of `block` knows that has read these, too.
  [[nodiscard]] static Known learned(const Known& known, std::span<const Seen* const> seen, uint64_t block, bool wide);
  // Nothing is released, and no write will tell again of a release before a weak store.
  [[nodiscard]] bool empty() const { return words_.empty() && operations_.empty() && histories_.empty(); }
  // At this word all blocks arrive, once each, before the first arrives again, and wait for all of them. What a block
  // learns there are the arrivals that it has waited for, although it may see later ones: in another run it would not.
  void has_barrier(uint64_t word, uint64_t blocks) { barrier_word_ = word, barrier_blocks_ = blocks; }
  // `wide`: by an access for more than its block.
  [[nodiscard]] Sight read(uint64_t word, uint64_t block, bool wide) const;
  // A store, `wide` as above, replaces what was released there. What a thread has released there by operations, its
  // later writes tell again.
  void store(uint64_t word, uint64_t block, uint32_t thread, std::vector<WordRelease> releases, bool wide = true);
  // A weak store ends chains.
  void overwrite(uint64_t first, uint64_t last);
  // An atomic adds.
  void update(uint64_t word, uint64_t block, uint32_t thread, std::vector<WordRelease> releases, bool wide = true);

 private:
  // Adds those by earlier operations, as far as an access of this scope tells of them.
  void complete(uint64_t word, uint64_t block, uint32_t thread, std::vector<WordRelease>& releases, bool wide);

  // By word, block and thread: the last one, and the last wide one.
  std::map<std::tuple<uint64_t, uint64_t, uint32_t>, std::vector<WordRelease>> operations_;
  std::unordered_map<uint64_t, std::shared_ptr<Seen::Log>> words_;
  uint64_t logs_ = 0;                                     // that there have been
  static constexpr size_t kMostWrites = size_t{1} << 20;  // of all histories
  size_t most_writes_ = 0, writes_ = 0;
  std::unordered_map<uint64_t, History> histories_;
  uint64_t barrier_word_ = 0, barrier_blocks_ = 0;  // 0: none
  std::vector<size_t> arrivals_;                    // at the barrier: releases that its chain has behind each
  std::map<uint64_t, uint64_t> arrived_;            // how often a block has
};

}  // namespace drywarp::check
