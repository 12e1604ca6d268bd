// Copies the standard output of a program while it runs, and keeps its beginning.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/support/result.h"

namespace drywarp::cli {

class CapturedOutput {
 public:
  static constexpr size_t kMost = 1u << 20;  // bytes that are kept

  // The output goes on to the stream `to`, or nowhere. If that is a terminal, the program writes to a terminal too, so
  // that it buffers its output by lines as it would without us.
  static Result<CapturedOutput> to(int to);
  static Result<CapturedOutput> silently() { return to(kNowhere); }
  CapturedOutput(CapturedOutput&& from) noexcept;
  CapturedOutput& operator=(CapturedOutput&&) = delete;
  ~CapturedOutput();

  [[nodiscard]] int program_end() const { return program_; }  // for dup2() in the child
  // Call start() after the fork and stop() when the program has ended; then everything that it wrote has been copied.
  void start();
  void stop();
  // Copies what the program has written so far. Call between start() and stop().
  void drain();

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  static constexpr int kNowhere = -1;
  CapturedOutput(int to, int ours, int program) : to_(to), ours_(ours), program_(program) {}
  void copy();
  bool copy_some();  // false: the end
  int to_, ours_, program_;
  int stopped_[2] = {-1, -1};  // a pipe; closing it wakes the thread
  std::thread thread_;
  std::unique_ptr<std::mutex> copying_ = std::make_unique<std::mutex>();
  std::string text_;
  bool cut_ = false;
};

}  // namespace drywarp::cli
