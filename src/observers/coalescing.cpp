#include "observers/coalescing.h"

namespace drywarp {

std::unique_ptr<Observer> CoalescingObserver::shard() const {
  auto shard = std::make_unique<CoalescingObserver>();
  shard->kernel_ = kernel_;
  shard->table_.begin(*kernel_);
  return shard;
}

void CoalescingObserver::merge(const Observer& shard) {
  table_.merge(static_cast<const CoalescingObserver&>(shard).table_);
}

void CoalescingObserver::on_launch_begin(const LaunchBeginEvent& event) {
  kernel_ = &event.kernel;
  table_.begin(event.kernel);
}

void CoalescingObserver::on_access(const AccessEvent& event) {
  if (event.memory == Memory::Shared || event.lanes == 0) return;
  GlobalAccess access = event.memory == Memory::Local ? analyze_local(event.addresses.data(), event.lanes, event.size)
                                                      : analyze_global(event.addresses.data(), event.lanes, event.size);
  if (event.memory == Memory::Global && kernel_->instructions[event.at.instruction].atomic)
    access.sectors = analyze_atomic(event.addresses.data(), event.lanes).sectors;
  AccessCounts& sum = table_.add_common(*kernel_, event);
  sum.unique_bytes += access.unique_bytes;
  sum.units += access.sectors;
  sum.ideal_units += access.ideal_sectors;
}

}  // namespace drywarp
