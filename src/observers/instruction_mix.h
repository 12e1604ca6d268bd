// The instruction mix: warp and thread instructions by class, and how often each basic block and guarded instruction
// ran.
#pragma once

#include <array>
#include <vector>

#include "events/observer.h"

namespace drywarp {

class InstructionMixObserver final : public Observer {
 public:
  struct ClassCounts {
    uint64_t warps = 0;     // warp instructions, predicated-off ones included
    uint64_t lanes = 0;     // active lanes
    uint64_t executed = 0;  // lanes whose guard let them through
    void operator+=(const ClassCounts& o) { warps += o.warps, lanes += o.lanes, executed += o.executed; }
  };

  [[nodiscard]] uint32_t wants() const override { return kInstructionEvents; }
  [[nodiscard]] std::unique_ptr<Observer> shard() const override;
  void merge(const Observer& shard) override;
  void on_launch_begin(const LaunchBeginEvent& event) override;
  void on_instruction(const InstructionEvent& event) override;

  [[nodiscard]] const std::array<ClassCounts, kInstructionClasses>& classes() const { return classes_; }
  [[nodiscard]] const std::vector<BlockCounts>& blocks() const { return blocks_; }  // as LaunchCounts::blocks
  [[nodiscard]] const std::vector<PredicateCounts>& predicates() const {
    return predicates_;
  }  // as LaunchCounts::predicates

 private:
  const KernelInfo* kernel_ = nullptr;
  std::vector<uint32_t> first_of_block_;  // block -> its first instruction, whose runs are the block's
  std::array<ClassCounts, kInstructionClasses> classes_{};
  std::vector<BlockCounts> blocks_;
  std::vector<PredicateCounts> predicates_;
};

}  // namespace drywarp
