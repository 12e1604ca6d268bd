// The accesses of DRAM as the model served them: what a drawing of channels, banks and rows shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/memory/server.h"

namespace drywarp::memory {

struct DramAccess {
  Cycles reached = 0;  // when the request reached the controller
  Cycles opened = 0;   // row_hit: equals data. Otherwise when the bank begins to close its row and to open this one
  Cycles data = 0;     // when its data begins to pass the pins ...
  Cycles end = 0;      // ... and when it has passed
  uint32_t channel = 0, bank = 0;
  uint64_t row = 0;  // of its channel
  bool write = false, row_hit = false;
  bool operator==(const DramAccess&) const = default;
};

// Bounds a recording of events that come nearly in order of time. What was recorded is complete up to `until`; the
// recording may hold later events, which finish() removes.
struct RecordingBound {
  size_t most = 0;
  Cycles until = std::numeric_limits<Cycles>::infinity();
  // Whether to record an event at `at`, where `size` are recorded.
  [[nodiscard]] bool takes(size_t size, Cycles at) {
    if (at >= until) return false;
    if (size < most) return true;
    until = at;
    return false;
  }
};

struct DramLog {
  RecordingBound bound;
  std::vector<DramAccess> accesses;  // in the order in which the controllers got them
};

}  // namespace drywarp::memory
