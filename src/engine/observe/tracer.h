// Records what the blocks of a launch do, for timing: base/events/warp_trace.h.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "base/events/counts.h"
#include "base/events/warp_trace.h"
#include "base/support/huge_pages.h"
#include "engine/observe/observer.h"
#include "engine/observe/polls.h"
#include "engine/observe/sampler.h"
#include "engine/observe/word_writers.h"

namespace drywarp::observe {

// A launch that is traced.
struct TracedLaunch {
  const KernelInfo& kernel;
  uint64_t blocks = 0;  // of the grid
  uint32_t warps = 0;   // of a block
  SharedBanks banks;
  PollingCode polls = {};
};

class Tracer : public Observer {
 public:
  // `sampler`: gets the accesses of the blocks that take() returns; null: nobody does.
  Tracer(const TraceRequest& request, const TracedLaunch& launch, Sampler* sampler = nullptr);

  [[nodiscard]] RunEvents events() const override {
    return {.steps = true,
            .accesses = true,
            .barriers = true,
            .values = poll_loops_.any(),
            .outcomes = poll_loops_.any(),
            .mbarriers = true,
            .constants = true,
            .rare_cases = true,
            .matches = true,
            .polls = poll_loops_.any()};
  }
  [[nodiscard]] uint64_t side_by_side() const override { return poll_loops_.any() ? request_.resident : 0; }
  [[nodiscard]] BlockRange next(uint64_t block) const override;
  std::unique_ptr<BlockObserver> begin(uint64_t block) override;
  void end(std::unique_ptr<BlockObserver> block) override;

  // The blocks of the widest rows that fit the budget; of the narrowest rows the longest run of finished blocks from
  // block 0 that fits; and the sample blocks: the same on any number of threads. Call once, after the launch.
  [[nodiscard]] std::shared_ptr<const LaunchTrace> take();

 private:
  class Recorder;
  struct Spent {
    uint64_t bytes = 0, instructions = 0;
  };
  // Of a block that runs side by side with others and has recorded so many bytes until now: whether it and those before
  // it have spent the budget. take() will not return it then, for traces only grow.
  [[nodiscard]] bool is_cut_off(uint64_t block, uint64_t bytes);
  [[nodiscard]] BlockRows rows() const { return rows_of(width_); }
  [[nodiscard]] BlockRows rows_of(size_t width) const { return {widths_.front().sms, widths_[width].sms}; }
  // Adds what a block took, of which more than the rows' share makes the rows narrower. `mutex_` is held.
  void spend(uint64_t block, Spent spent);
  [[nodiscard]] bool too_much(const Spent& spent) const {
    return spent.bytes > request_.bytes || spent.instructions > widths_[width_].instructions;
  }

  const TraceRequest request_;
  const uint64_t blocks_in_grid_;
  const uint32_t warps_;
  const SharedBanks banks_;
  Sampler* const sampler_;
  const PollLoops poll_loops_;
  const std::vector<TraceWidth> widths_;
  const std::vector<uint32_t> block_sizes_;  // instructions of each PTX block
  const std::vector<bool> loads_;
  WordWriters writers_;
  std::atomic<size_t> width_{0};    // of the rows, in widths_
  std::vector<Spent> spent_;        // by blocks that ended, in the rows of each of widths_
  std::atomic<bool> full_{false};   // the budget is spent: no further block is recorded, except sample blocks
  std::atomic<uint64_t> begun_{0};  // one more than the last block that was begun
  std::mutex mutex_;
  struct Done {
    BlockTrace trace;
    uint64_t bytes = 0, instructions = 0;
    std::unique_ptr<BlockSampler> samples;
  };
  // Holds the packed streams of finished blocks: the simulation reads them in random order.
  std::shared_ptr<std::pmr::memory_resource> memory_ =
      std::make_shared<std::pmr::monotonic_buffer_resource>(huge_pages());
  std::map<uint64_t, Done> done_;
  std::map<uint64_t, BlockLines> sample_blocks_;
  std::map<uint64_t, uint64_t> recorded_;  // bytes until now, of blocks that run side by side and have many
};

}  // namespace drywarp::observe
