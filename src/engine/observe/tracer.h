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

// The costliest access of each memory instruction, in each memory.
using Samples = std::map<std::pair<uint32_t, Memory>, AccessSample>;

// The trace of a running block, and the steps of its warps so far.
struct BlockRecorder {
  BlockTrace trace;
  std::vector<uint32_t> steps;  // executed so far, by warp
  uint64_t instructions = 0;    // executed so far
  uint64_t bytes = 0;           // that the trace takes
  const TraceRequest* limits = nullptr;
  const std::vector<uint32_t>* block_sizes = nullptr;  // instructions of each PTX block
  bool sampling = false;                               // only `samples` are wanted
  bool also_samples = false;                           // `samples` are wanted beside the trace
  bool only_lines = false;                             // only the lines that it loads are wanted
  bool abandoned = false;                              // the block alone exceeds the budget
  Samples samples;

  // Whether steps and accesses are recorded.
  [[nodiscard]] bool traces() const { return !sampling && !abandoned; }
  // Adds to the size of the trace, and abandons it when it is too large.
  void grow(uint64_t more_bytes, uint64_t more_instructions);
};

// Thread-safe. Blocks get their numbers in ascending order; they may begin and end in any order.
class Tracer {
 public:
  Tracer(const TraceRequest& request, const KernelInfo& kernel, uint64_t blocks_in_grid, uint32_t warps_per_block);

  // Instead of a trace, records the costliest access of each memory instruction in all blocks.
  void sample_all() { sampling_ = true; }
  // Beside the trace, records the costliest access of each memory instruction in the blocks that take() returns.
  void sample_traced() { also_samples_ = true; }
  // After take(), if there is a trace.
  [[nodiscard]] std::shared_ptr<const std::vector<AccessSample>> take_samples();

  // The budget is spent.
  [[nodiscard]] bool full() const {
    return !sampling_ && (bytes_.load() > request_.bytes || instructions_.load() > request_.instructions);
  }
  // nullptr: neither this block nor those behind it are recorded, except sample blocks.
  std::unique_ptr<BlockRecorder> begin(uint64_t block);
  void end(std::unique_ptr<BlockRecorder> recorder);

  // The longest run of finished blocks from block 0 that fits the budget, and the sample blocks: the same on any number
  // of threads.
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
    Samples samples;
  };
  // Holds the packed streams of finished blocks: the simulation reads them in random order.
  std::shared_ptr<std::pmr::memory_resource> memory_ =
      std::make_shared<std::pmr::monotonic_buffer_resource>(huge_pages());
  std::map<uint64_t, Done> done_;
  std::map<uint64_t, BlockLines> sample_blocks_;
  bool sampling_ = false, also_samples_ = false;
  Samples samples_;
  void merge(const Samples& samples);
};

}  // namespace drywarp::observe
