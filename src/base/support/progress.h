// Progress of long operations: reported as plain values, shown on a terminal.
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
  std::string doing{};           // "compiling kernel"
  std::string what{};            // its name: shortened to fit the line
  std::string how{};             // "for 16x16 blocks"; may be empty
  uint64_t done = 0, total = 0;  // total 0: not known
  std::string unit{};            // "blocks"; empty: shown as a percentage
  double seconds = 0;            // since it began
};
// Called from the reporter's own thread, at most a few times a second.
using ReportProgress = std::function<void(const Progress&)>;

// Reports progress while it lives; nothing for operations that end within a second.
class ProgressReporter {
 public:
  // `look` gives the current progress without `seconds`; called from the reporter's thread. `report` may be empty.
  ProgressReporter(const ReportProgress& report, std::function<Progress()> look);
  ~ProgressReporter();
  ProgressReporter(const ProgressReporter&) = delete;
  ProgressReporter& operator=(const ProgressReporter&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

// No longer than `columns`.
std::string progress_text(const Progress& progress, unsigned columns);

// A progress line on a terminal. It is drawn behind the cursor, which does not move, so that other output is never
// overwritten. Thread-safe.
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
