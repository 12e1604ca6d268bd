#include "observers/access_table.h"

#include <algorithm>
#include <bit>

namespace drywarp {

void AccessTable::begin(const KernelInfo& kernel) {
  size_t size = 0;
  for (const InstructionInfo& i : kernel.instructions)
    if (i.access != InstructionInfo::kNone) size = std::max<size_t>(size, i.access + (i.generic ? kMemories : 1));
  sums_.assign(size, {});
}

AccessCounts& AccessTable::entry(const KernelInfo& kernel, const AccessEvent& event) {
  const InstructionInfo& i = kernel.instructions[event.at.instruction];
  return sums_[i.access + (i.generic ? static_cast<uint32_t>(event.memory) : 0)];
}

AccessCounts& AccessTable::add_common(const KernelInfo& kernel, const AccessEvent& event) {
  AccessCounts& sum = entry(kernel, event);
  const unsigned lanes = std::popcount(event.lanes);
  sum.requests += 1;
  sum.lanes += lanes;
  sum.bytes += uint64_t(lanes) * event.size;
  if (kernel.instructions[event.at.instruction].atomic) {
    const AtomicAccess atomic = analyze_atomic(event.addresses.data(), event.lanes);
    sum.atomic_addresses += atomic.addresses;
    sum.atomic_rounds += atomic.max_same;
  }
  return sum;
}

void AccessTable::merge(const AccessTable& other) {
  for (size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
}

}  // namespace drywarp
