// Records what the blocks of a launch do, for timing: events/warp_trace.h.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "events/access_sample.h"
#include "events/warp_trace.h"

namespace drywarp::exec {

// The trace of a block that runs, and how far each of its warps is.
struct BlockRecorder {
  BlockTrace trace;
  std::vector<uint32_t> steps;  // executed so far, by warp
  bool sampling = false;        // only `samples` are wanted
  std::map<std::pair<uint32_t, Memory>, AccessSample> samples;
};

// Thread-safe. Blocks must be begun in ascending order; they may end in any.
class Tracer {
 public:
  Tracer(const TraceRequest& request, uint64_t blocks_in_grid, uint32_t warps_per_block)
      : request_(request), blocks_in_grid_(blocks_in_grid), warps_(warps_per_block) {}

  // Instead of a trace the costliest access of each memory instruction, of all blocks.
  void sample() { sampling_ = true; }
  [[nodiscard]] std::shared_ptr<const std::vector<AccessSample>> take_samples();

  // nullptr: no more blocks are wanted.
  std::unique_ptr<BlockRecorder> begin(uint64_t block);
  void end(std::unique_ptr<BlockRecorder> recorder);

  // The longest run of blocks from the first on that ended and fits: the same on any number of threads.
  [[nodiscard]] std::shared_ptr<const LaunchTrace> take();

 private:
  const TraceRequest request_;
  const uint64_t blocks_in_grid_;
  const uint32_t warps_;
  std::atomic<uint64_t> bytes_{0};
  std::mutex mutex_;
  std::map<uint64_t, BlockTrace> done_;
  bool sampling_ = false;
  std::map<std::pair<uint32_t, Memory>, AccessSample> samples_;
};

}  // namespace drywarp::exec
