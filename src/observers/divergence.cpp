#include "observers/divergence.h"

#include <algorithm>

namespace drywarp {

std::unique_ptr<Observer> DivergenceObserver::shard() const {
  auto shard = std::make_unique<DivergenceObserver>();
  shard->kernel_ = kernel_;
  shard->sums_.resize(sums_.size());
  return shard;
}

void DivergenceObserver::merge(const Observer& shard) {
  const auto& other = static_cast<const DivergenceObserver&>(shard).sums_;
  for (size_t i = 0; i < sums_.size(); ++i) sums_[i] += other[i];
}

void DivergenceObserver::on_launch_begin(const LaunchBeginEvent& event) {
  kernel_ = &event.kernel;
  size_t size = 0;
  for (const InstructionInfo& i : event.kernel.instructions)
    if (i.branch != InstructionInfo::kNone) size = std::max<size_t>(size, i.branch + 1);
  sums_.assign(size, {});
}

void DivergenceObserver::on_branch(const BranchEvent& event) {
  BranchCounts& sum = sums_[kernel_->instructions[event.at.instruction].branch];
  const LaneMask taken = event.taken & event.active;
  sum.taken += taken != 0;
  sum.divergent += taken != 0 && taken != event.active;
}

}  // namespace drywarp
