// What the blocks of a launch write in global memory by accesses that may meet though the blocks are independent else
// (observe::BlockOrder::same_writes): nothing orders them. Of each instruction's accesses to a word, the two lowest
// blocks are kept, so that the answer does not depend on the order in which blocks end.
#pragma once

#include <array>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/check/check.h"

namespace drywarp::check {

inline constexpr uint32_t kWordBytes = 4;

class GlobalAccesses {
 public:
  // `most`: entries that are kept.
  explicit GlobalAccesses(size_t most) : most_(most) {}
  enum class Use : uint8_t { Read, Write, Strong };  // Strong: atomic, or volatile
  struct Entry {
    const InstructionInfo* at = nullptr;
    Use use = Use::Read;
    bool writes = false;
    bool swaps = false;      // an atomic by compare-and-swap
    uint8_t bytes = 0;       // of the word: a bit each
    bool one_value = false;  // all blocks write `value`
    uint32_t value = 0;      // in its bytes
    struct By {
      uint64_t block = ~uint64_t{0};
      uint32_t thread = 0;  // warp * 32 + lane
    };
    std::array<By, 2> by;  // the lowest blocks first
  };
  struct Word {
    uint64_t number;  // the address in words
    Entry entry;      // of one block
  };
  // What a block accessed. Thread-safe.
  void add(const std::vector<Word>& words);

  // A pair of each two instructions that race in blocks below `end`.
  struct Race {
    uint64_t word = 0;
    uint8_t bytes = 0;                                // that both access
    const Entry *first = nullptr, *second = nullptr;  // the first one writes
    Entry::By by_first, by_second;
    bool same_value = false;  // both write it
    uint64_t words = 1;       // in which they race
  };
  [[nodiscard]] std::vector<Race> races(uint64_t end) const;
  // One word of so many is looked at: a power of two that the number of all entries decides, whatever their order.
  [[nodiscard]] uint64_t share() const { return uint64_t{1} << level_; }

 private:
  [[nodiscard]] bool is_looked_at(uint64_t word) const;
  void thin();

  const size_t most_;

  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, std::vector<Entry>> words_;
  size_t entries_ = 0;
  unsigned level_ = 0;
};

// What a block writes where other blocks may write the same. `strong`: for more than its block.
void add_words(std::vector<GlobalAccesses::Word>& words, const observe::Access& a, const InstructionInfo* at,
               uint64_t block, bool strong);

}  // namespace drywarp::check
