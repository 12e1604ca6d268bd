// What warps did, in order: the input of timing. Recorded for a sample of a launch's blocks, read once.
//
// A warp's trace is two streams. `steps`: the blocks of the PTX kernel that it ran (numbers as in LaunchCounts::blocks)
// with the lanes that ran them, in the order in which they ran; where lanes diverge, one side's steps come before the
// other's, as on hardware. `accesses`: one record for every execution of a memory instruction or barrier in those
// blocks, in order, also if its guard let no lane pass: whoever walks a block's instructions takes exactly one record
// at each (two for cp.async: the read of global, then the write of shared memory).
//
// Steps that repeat are folded: see WarpStep::repeats.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "events/access_pattern.h"

namespace drywarp {

struct WarpStep {
  uint32_t block = 0;
  LaneMask lanes = 0;
  uint32_t repeats = 1;  // this many executions of the same block by the same lanes, one after the other
};

enum class TraceSpace : uint8_t { None, Global, Shared, Local, Barrier };

// One access. Shared: what it costs, no addresses. Global and local: the lines it touches, `line_count` entries of
// WarpTrace::lines from where the reader stands.
struct TraceAccess {
  TraceSpace space = TraceSpace::None;  // None: no lane passed the guard
  uint8_t lanes = 0;                    // how many lanes took part
  uint16_t line_count = 0;
  // Shared: wavefronts and what they would be without conflicts. Global atomics: serial rounds (most lanes on one
  // address). Barrier: its number, and the warps that it waits for (0: all of the block).
  uint16_t units = 0;
  uint16_t ideal_units = 0;
};

// A 128-byte line and which of its four sectors were touched. Local memory: lines of the thread's window as hardware
// interleaves it, relative to the warp's local memory.
struct TraceLine {
  uint64_t line = 0;  // address / 128
  uint8_t sectors = 0;
};

struct WarpTrace {
  std::vector<WarpStep> steps;
  std::vector<TraceAccess> accesses;
  std::vector<TraceLine> lines;
};

struct BlockTrace {
  uint64_t block = 0;  // linear index in the grid, x fastest
  std::vector<WarpTrace> warps;
};

// Which blocks to record. Blocks are recorded from the first on until `bytes` are spent or `blocks` are recorded; a
// block is recorded whole or not at all.
struct TraceRequest {
  uint64_t blocks = 0;  // 0: no trace
  uint64_t bytes = 0;
};

struct LaunchTrace {
  std::vector<BlockTrace> blocks;  // ascending
  uint64_t blocks_in_grid = 0;
};

}  // namespace drywarp
