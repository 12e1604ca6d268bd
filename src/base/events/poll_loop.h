// Loops of a kernel that poll what other blocks may write.
#pragma once

#include <cstdint>
#include <vector>

namespace drywarp {

// Blocks and accesses as InstructionInfo numbers them: see analysis::PollLoop.
struct PollLoop {
  uint32_t header = 0;
  std::vector<uint32_t> inside, idle;  // its blocks; those that change nothing: ascending
  std::vector<uint32_t> reads;         // accesses by which it polls
};

struct PollingCode {
  std::vector<PollLoop> loops;
  std::vector<uint32_t> unchanging;  // atomics that leave memory as it is: they add 0, say. By access
};

}  // namespace drywarp
