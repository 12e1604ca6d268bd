// What threads of a block hand on when they synchronize, beside what they know: their fences, and strong reads that
// they have not fenced yet. Fences of the device are in one order (fence.sc): a fence that comes before a write of
// another thread of the block counts as the writer's own, and one that comes behind another thread's read as the
// reader's.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/check/released_words.h"
#include "engine/check/thread_clocks.h"

namespace drywarp::check {

using WordsSeen = std::vector<std::pair<uint64_t, ReleasedWords::Seen>>;  // by word

// Whether who has seen `all` has seen `some` of them, or later ones of the same words.
[[nodiscard]] bool covers(const WordsSeen& all, const WordsSeen& some);

// Of one thread: what others have handed to it.
struct Handed {
  Known fences;                            // they knew at their fences for more than the block; null: nothing
  std::shared_ptr<const WordsSeen> reads;  // likewise
  [[nodiscard]] explicit operator bool() const { return fences || reads; }
};

// Of threads that synchronize.
class HandedOrder {
 public:
  void add(const Handed& more);
  // A fence of a lane, what it knew then, and what it had done up to a time of its warp or of its copies.
  void add_fence(const Known& known, uint32_t row, LaneMask lane, Time time);
  void add_reads(const WordsSeen& reads);
  // What has changed for nobody stays where it is.
  [[nodiscard]] Handed result();
  void clear() { *this = {}; }

 private:
  static constexpr size_t kMostReads = 256;
  void add_read(uint64_t word, const ReleasedWords::Seen& seen);
  size_t next_read_ = 0;  // of `reads_`: threads have read the same words in the same order, most often
  Handed only_;           // as long as nothing else is added
  bool fences_grow_ = false, reads_grow_ = false;
  Moment fences_;
  WordsSeen reads_;
  std::shared_ptr<const WordsSeen> last_reads_;
};

}  // namespace drywarp::check
