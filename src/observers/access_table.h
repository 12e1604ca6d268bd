// Sums of accesses in LaunchCounts' places, shared by the observers of memory.
#pragma once

#include <vector>

#include "events/observer.h"

namespace drywarp {

class AccessTable {
 public:
  void begin(const KernelInfo& kernel);
  // The entry of this access: a generic instruction has one a memory.
  AccessCounts& entry(const KernelInfo& kernel, const AccessEvent& event);
  // What every memory counts alike: requests, lanes, bytes, and an atomic's address conflicts.
  AccessCounts& add_common(const KernelInfo& kernel, const AccessEvent& event);
  void merge(const AccessTable& other);
  [[nodiscard]] const std::vector<AccessCounts>& sums() const { return sums_; }

 private:
  std::vector<AccessCounts> sums_;
};

}  // namespace drywarp
