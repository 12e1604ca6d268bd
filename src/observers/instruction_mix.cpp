#include "observers/instruction_mix.h"

#include <algorithm>
#include <bit>

namespace drywarp {

std::unique_ptr<Observer> InstructionMixObserver::shard() const {
  auto shard = std::make_unique<InstructionMixObserver>();
  shard->kernel_ = kernel_;
  shard->first_of_block_ = first_of_block_;
  shard->blocks_.resize(blocks_.size());
  shard->predicates_.resize(predicates_.size());
  return shard;
}

void InstructionMixObserver::merge(const Observer& shard) {
  const auto& other = static_cast<const InstructionMixObserver&>(shard);
  for (size_t i = 0; i < classes_.size(); ++i) classes_[i] += other.classes_[i];
  for (size_t i = 0; i < blocks_.size(); ++i) blocks_[i] += other.blocks_[i];
  for (size_t i = 0; i < predicates_.size(); ++i) predicates_[i] += other.predicates_[i];
}

void InstructionMixObserver::on_launch_begin(const LaunchBeginEvent& event) {
  kernel_ = &event.kernel;
  classes_ = {};
  first_of_block_.clear();
  size_t predicates = 0;
  for (uint32_t n = 0; n < event.kernel.instructions.size(); ++n) {
    const InstructionInfo& i = event.kernel.instructions[n];
    if (i.block == InstructionInfo::kNone) continue;  // the second access of the instruction before it
    if (i.block >= first_of_block_.size()) first_of_block_.resize(i.block + 1, InstructionInfo::kNone);
    first_of_block_[i.block] = std::min(first_of_block_[i.block], n);
    if (i.predicate != InstructionInfo::kNone) predicates = std::max<size_t>(predicates, i.predicate + 1);
  }
  blocks_.assign(first_of_block_.size(), {});
  predicates_.assign(predicates, {});
}

void InstructionMixObserver::on_instruction(const InstructionEvent& event) {
  const InstructionInfo& i = kernel_->instructions[event.at.instruction];
  const uint64_t active = std::popcount(event.active);
  const uint64_t executed = std::popcount(event.executed & event.active);
  classes_[static_cast<size_t>(i.klass)] += {1, active, executed};
  if (first_of_block_[i.block] == event.at.instruction) blocks_[i.block] += {1, active};
  if (i.predicate != InstructionInfo::kNone && executed != 0) predicates_[i.predicate] += {1, executed};
}

}  // namespace drywarp
