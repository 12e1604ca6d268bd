// Divergence: branches whose active lanes went both ways.
#pragma once

#include <vector>

#include "events/observer.h"

namespace drywarp {

class DivergenceObserver final : public Observer {
 public:
  [[nodiscard]] uint32_t wants() const override { return kBranchEvents; }
  [[nodiscard]] std::unique_ptr<Observer> shard() const override;
  void merge(const Observer& shard) override;
  void on_launch_begin(const LaunchBeginEvent& event) override;
  void on_branch(const BranchEvent& event) override;

  [[nodiscard]] const std::vector<BranchCounts>& sums() const { return sums_; }  // as LaunchCounts::branches

 private:
  const KernelInfo* kernel_ = nullptr;
  std::vector<BranchCounts> sums_;
};

}  // namespace drywarp
