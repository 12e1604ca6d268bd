// One access of DRAM as the model served it: what a drawing of channels, banks and rows shows.
#pragma once

#include <cstdint>

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

}  // namespace drywarp::memory
