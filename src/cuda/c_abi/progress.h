// The progress of a long kernel on the terminal's last line.
#pragma once

#include <mutex>

#include "engine/exec/engine.h"

namespace drywarp::cudart {

// Thread-safe.
class ProgressLine {
 public:
  void show(const exec::Progress& progress);
  void clear();  // before anything else is printed, and when the kernel is done

 private:
  std::mutex mutex_;
  bool shown_ = false;
};

}  // namespace drywarp::cudart
