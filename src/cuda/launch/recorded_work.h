// The work of a launch's recorded blocks, and how many of them to simulate. Work may be uneven: in triangular grids the
// first blocks do more, and in a grid larger than its data the first blocks do all.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/device/occupancy.h"
#include "base/events/warp_trace.h"
#include "cuda/launch/time_plan.h"
#include "model/sm/timing.h"

namespace drywarp::cuda {

class RecordedWork {
 public:
  // `instructions`: of the whole launch. All numbers here are warp instructions of PTX.
  RecordedWork(const LaunchTrace& trace, const KernelInfo& kernel, uint64_t instructions);

  // Percent: the mean of the longest.
  [[nodiscard]] double warp_balance() const { return warp_balance_; }
  [[nodiscard]] double block_balance() const { return block_balance_; }

  struct Simulation {
    sm::SimulatedLaunch launch;
    double instructions = 0;
    BlockRows rows;  // whose blocks are simulated; all: those of the trace
  };
  // What to simulate, on a device of `sms` SMs; nothing: not even one SM's blocks are within the plan's budget.
  [[nodiscard]] std::optional<Simulation> simulation(const TimePlan& plan, const KernelInfo& kernel, uint64_t threads,
                                                     const device::Occupancy& fits, uint32_t sms) const;

 private:
  // The grid's work in units of the mean recorded block.
  [[nodiscard]] uint64_t equivalent_blocks() const;
  // The work of the recorded blocks of those rows.
  [[nodiscard]] std::vector<uint64_t> work_of(const BlockRows& rows) const;
  // Sets the number of simulated blocks, which do that work, so that they do the share that `launch.simulated` of
  // `equivalent` blocks should.
  void set_simulated(sm::SimulatedLaunch& launch, const std::vector<uint64_t>& blocks, uint64_t equivalent) const;

  std::vector<uint64_t> blocks_;
  uint64_t grid_ = 0;  // blocks
  BlockRows rows_;
  bool awaits_ = false;  // blocks poll what others write
  double recorded_ = 0, all_ = 0;
  double warp_balance_ = 0, block_balance_ = 0;
};

}  // namespace drywarp::cuda
