// How far something is that takes long: told by who does it, in plain values, and shown by the programs that people
// see.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace drywarp {

// "compiling kernel matmul for 16x16 blocks, 3 s so far", "running matmul: 1,200 of 6,400 blocks, 47 s left",
// "timing matmul: 40 %, 2 s left"
struct Progress {
  std::string doing;             // "compiling kernel"
  std::string what;              // its name: shortened where a line is short
  std::string how;               // "for 16x16 blocks"; may be empty
  uint64_t done = 0, total = 0;  // total 0: not known
  std::string unit;              // "blocks"; empty: shown as a percentage
  double seconds = 0;            // since it began
};
// Called from a thread of the teller's own, at most a few times a second.
using TellProgress = std::function<void(const Progress&)>;

// Tells how far something is for as long as it lives; nothing of what ends within a second.
class ProgressTeller {
 public:
  // `look`: the progress now, but for `seconds`; called from the teller's thread. `tell` may be empty.
  ProgressTeller(const TellProgress& tell, std::function<Progress()> look);
  ~ProgressTeller();
  ProgressTeller(const ProgressTeller&) = delete;
  ProgressTeller& operator=(const ProgressTeller&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

// No longer than `columns`.
std::string progress_text(const Progress& progress, unsigned columns);

// A terminal's line of progress. It stands behind the cursor, which stays where it is: what others print, before or
// meanwhile, is not overwritten. Thread-safe.
class ProgressLine {
 public:
  explicit ProgressLine(int terminal) : terminal_(terminal) {}
  // Whether a file descriptor leads to a terminal that can show it.
  [[nodiscard]] static bool can_show(int descriptor);
  void show(const Progress& progress);
  void clear();  // before anything else is printed, and at the end

 private:
  void write(const std::string& text) const;

  int terminal_;
  std::mutex mutex_;
  bool shown_ = false;
};

}  // namespace drywarp
