// Records what the blocks of a launch do, for timing: base/events/warp_trace.h.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "base/events/access_sample.h"
#include "base/events/counts.h"
#include "base/events/warp_trace.h"
#include "base/support/huge_pages.h"

namespace drywarp::observe {

// The trace of a block that runs, and how far each of its warps is.
struct BlockRecorder {
  BlockTrace trace;
  std::vector<uint32_t> steps;  // executed so far, by warp
  uint64_t instructions = 0;    // executed so far
  uint64_t bytes = 0;           // that the trace takes
  const TraceRequest* limits = nullptr;
  const std::vector<uint32_t>* block_sizes = nullptr;  // instructions of each PTX block
  bool sampling = false;                               // only `samples` are wanted
  bool only_witness = false;                           // only the lines that it loads are wanted
  bool abandoned = false;                              // the block alone is more than may be recorded
  std::map<std::pair<uint32_t, Memory>, AccessSample> samples;

  // Nothing but counting is wanted of what comes.
  [[nodiscard]] bool traces() const { return !sampling && !abandoned; }
  // The trace has grown by so much: lets go of it if it has grown too large.
  void grow(uint64_t more_bytes, uint64_t more_instructions);
};

// Thread-safe. Blocks get their numbers in ascending order; they may begin and end in any.
class Tracer {
 public:
  Tracer(const TraceRequest& request, const KernelInfo& kernel, uint64_t blocks_in_grid, uint32_t warps_per_block);

  // Instead of a trace the costliest access of each memory instruction, of all blocks.
  void sample() { sampling_ = true; }
  [[nodiscard]] std::shared_ptr<const std::vector<AccessSample>> take_samples();

  // No further block is wanted.
  [[nodiscard]] bool full() const {
    return !sampling_ && (bytes_.load() > request_.bytes || instructions_.load() > request_.instructions);
  }
  // nullptr: this block is not wanted, nor are those behind it that are no witnesses.
  std::unique_ptr<BlockRecorder> begin(uint64_t block);
  void end(std::unique_ptr<BlockRecorder> recorder);

  // The longest run of blocks from the first on that ended and fits, and the witnesses: the same on any number of
  // threads.
  [[nodiscard]] std::shared_ptr<const LaunchTrace> take();

 private:
  const TraceRequest request_;
  const uint64_t blocks_in_grid_;
  const uint32_t warps_;
  const std::vector<uint32_t> block_sizes_;
  const std::vector<bool> loads_;
  std::atomic<uint64_t> bytes_{0}, instructions_{0};  // of blocks that ended
  std::atomic<uint64_t> begun_{0};                    // one more than the last block that was begun
  std::mutex mutex_;
  struct Done {
    BlockTrace trace;
    uint64_t bytes = 0, instructions = 0;
  };
  // Where the streams of blocks that ended are packed: simulation reads them all over.
  std::shared_ptr<std::pmr::memory_resource> memory_ =
      std::make_shared<std::pmr::monotonic_buffer_resource>(huge_pages());
  std::map<uint64_t, Done> done_;
  std::map<uint64_t, BlockLines> witnesses_;
  bool sampling_ = false;
  std::map<std::pair<uint32_t, Memory>, AccessSample> samples_;
};

}  // namespace drywarp::observe
