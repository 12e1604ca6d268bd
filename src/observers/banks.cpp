#include "observers/banks.h"

#include <algorithm>

namespace drywarp {

std::unique_ptr<Observer> BankObserver::shard() const {
  auto shard = std::make_unique<BankObserver>(banks_);
  shard->kernel_ = kernel_;
  shard->table_.begin(*kernel_);
  return shard;
}

void BankObserver::merge(const Observer& shard) { table_.merge(static_cast<const BankObserver&>(shard).table_); }

void BankObserver::on_launch_begin(const LaunchBeginEvent& event) {
  kernel_ = &event.kernel;
  table_.begin(event.kernel);
}

void BankObserver::on_access(const AccessEvent& event) {
  if (event.memory != Memory::Shared || event.lanes == 0) return;
  const InstructionInfo& instruction = kernel_->instructions[event.at.instruction];
  const SharedOp op = instruction.block == InstructionInfo::kNone ? SharedOp::Copy  // what cp.async writes
                      : instruction.atomic                        ? SharedOp::Atomic
                      : instruction.store                         ? SharedOp::Store
                      : instruction.generic                       ? SharedOp::GenericLoad
                                                                  : SharedOp::Load;
  const SharedAccess access = analyze_shared(event.addresses.data(), event.lanes, event.size, op, banks_);
  AccessCounts& sum = table_.add_common(*kernel_, event);
  sum.unique_bytes += access.unique_bytes;
  sum.units += access.wavefronts;
  sum.ideal_units += access.ideal_wavefronts;
  sum.ways = std::max<uint64_t>(sum.ways, access.ways);
}

}  // namespace drywarp
