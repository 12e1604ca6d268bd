// Bank conflicts: how many passes through shared memory's banks each access takes, against a conflict-free one.
#pragma once

#include "observers/access_table.h"

namespace drywarp {

class BankObserver final : public Observer {
 public:
  explicit BankObserver(const SharedBanks& banks = {}) : banks_(banks) {}
  [[nodiscard]] uint32_t wants() const override { return kAccessEvents; }
  [[nodiscard]] std::unique_ptr<Observer> shard() const override;
  void merge(const Observer& shard) override;
  void on_launch_begin(const LaunchBeginEvent& event) override;
  void on_access(const AccessEvent& event) override;

  // As LaunchCounts::accesses; entries of global and local memory stay zero.
  [[nodiscard]] const std::vector<AccessCounts>& sums() const { return table_.sums(); }

 private:
  const KernelInfo* kernel_ = nullptr;
  AccessTable table_;
  SharedBanks banks_;
};

}  // namespace drywarp
