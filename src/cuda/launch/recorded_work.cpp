#include "cuda/launch/recorded_work.h"

#include <algorithm>
#include <cmath>

namespace drywarp::cuda {
namespace {

constexpr double kTolerance = 0.02;  // work that differs by less counts as equal

}  // namespace

RecordedWork::RecordedWork(const LaunchTrace& trace, const KernelInfo& kernel, uint64_t instructions)
    : grid_(trace.blocks_in_grid),
      rows_(trace.rows),
      awaits_(trace.awaits_writes()),
      all_(static_cast<double>(instructions)) {
  const std::vector<uint32_t> sizes = block_sizes(kernel);
  double polls = 0;
  double means = 0, longest = 0, most = 0;  // of the warps of each block
  for (const BlockTrace& block : trace.blocks) {
    // How often blocks poll each other here says little: the simulation repeats their polls.
    uint64_t sum = awaits_ ? 0 : block.polls, longest_warp = 0;
    if (awaits_) polls += static_cast<double>(block.polls);
    for (const WarpTrace& warp : block.warps) {
      const uint64_t work = instructions_of(warp, sizes);
      sum += work, longest_warp = std::max(longest_warp, work);
    }
    blocks_.push_back(sum);
    recorded_ += static_cast<double>(sum);
    means += static_cast<double>(sum) / static_cast<double>(std::max<size_t>(block.warps.size(), 1));
    longest += static_cast<double>(longest_warp);
    most = std::max(most, static_cast<double>(longest_warp));
  }
  if (polls > 0) all_ *= recorded_ / (recorded_ + polls);
  if (longest <= 0) return;
  warp_balance_ = 100 * means / longest;
  block_balance_ = 100 * longest / (most * static_cast<double>(trace.blocks.size()));
}

uint64_t RecordedWork::equivalent_blocks() const {
  if (recorded_ <= 0 || all_ <= 0) return grid_;
  const double equivalent = all_ / recorded_ * static_cast<double>(blocks_.size());
  const auto given = static_cast<double>(grid_);
  return std::abs(equivalent - given) <= kTolerance * given ? grid_ : std::max<uint64_t>(std::llround(equivalent), 1);
}

std::vector<uint64_t> RecordedWork::work_of(const BlockRows& rows) const {
  std::vector<uint64_t> work;
  uint64_t block = 0;
  for (const uint64_t recorded : blocks_) {
    block = rows_.next(block);
    if (rows.hold(block)) work.push_back(recorded);
    ++block;
  }
  return work;
}

void RecordedWork::set_simulated(sm::SimulatedLaunch& launch, const std::vector<uint64_t>& blocks,
                                 uint64_t equivalent) const {
  if (launch.simulated >= launch.blocks || all_ <= 0) return;
  const double wanted = all_ * std::min(static_cast<double>(launch.simulated) / static_cast<double>(equivalent), 1.0);
  double planned = 0, done = 0;  // work of the first launch.simulated blocks; of the first `enough`
  uint64_t enough = 0;
  for (uint64_t i = 0; i < blocks.size() && (i < launch.simulated || done < wanted); ++i) {
    const auto work = static_cast<double>(blocks[i]);
    if (done < wanted) done += work, enough = i + 1;
    if (i < launch.simulated) planned += work;
  }
  if (equivalent == launch.blocks && std::abs(planned - wanted) <= kTolerance * wanted) return;
  launch.simulated = enough;
  launch.work = std::min(done / all_, 1.0);
}

std::optional<RecordedWork::Simulation> RecordedWork::simulation(const TimePlan& plan, const KernelInfo& kernel,
                                                                 uint64_t threads, const device::Occupancy& fits,
                                                                 uint32_t sms) const {
  const uint64_t equivalent = equivalent_blocks();
  const double per_block = all_ / static_cast<double>(equivalent);
  const TimePlan::Slice slice = plan.slice({blocks_.size(), rows_, awaits_}, equivalent, fits.blocks, sms, per_block);
  if (slice.blocks == 0 && grid_ != 0 && fits.blocks != 0) return std::nullopt;
  Simulation out{{.blocks = grid_,
                  .threads_per_block = static_cast<uint32_t>(threads),
                  .blocks_per_sm = fits.blocks,
                  .shared_capacity = fits.shared_capacity,
                  .instructions = static_cast<uint32_t>(kernel.instructions.size()),
                  .sms = slice.sms,
                  .simulated = slice.blocks},
                 static_cast<double>(slice.blocks) * per_block,
                 slice.rows};
  set_simulated(out.launch, work_of(slice.rows), equivalent);
  return out;
}

}  // namespace drywarp::cuda
