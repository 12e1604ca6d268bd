// What an instruction reads and writes in memory.
#pragma once

#include <array>

#include "language/ir/kernel.h"

namespace drywarp::ir {

struct MemoryAccess {
  enum class Kind : uint8_t { Load, Store, Atomic };
  Kind kind{};
  AddressSpace space{};
  AddressSpace named{};              // by the instruction: of its address
  const Address* address = nullptr;  // within the instruction; null: it has none
  unsigned bytes = 0;                // a lane
};

// In the order in which they happen; of an asynchronous copy: the read of global memory, then the write.
class Accesses {
 public:
  void add(const MemoryAccess& access) { all_[count_++] = access; }
  [[nodiscard]] const MemoryAccess* begin() const { return all_.data(); }
  [[nodiscard]] const MemoryAccess* end() const { return all_.data() + count_; }
  [[nodiscard]] size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] const MemoryAccess& operator[](size_t i) const { return all_[i]; }

 private:
  std::array<MemoryAccess, 2> all_{};
  size_t count_ = 0;
};
// None for instructions that do not run.
[[nodiscard]] Accesses accesses(const Instruction& in);
// In which a load, a store or an atomic accesses memory. ptxas makes generic accesses of those to a cluster's shared
// memory.
[[nodiscard]] AddressSpace access_space(const Instruction& in);
// A load or a store that no L1 serves (.cg, .cv), and that is else a plain one. L2 is where all blocks meet: Thrust's
// and CUB's older scans hand their sums on by such accesses, which no GPU reorders as it may those that L1 serves.
[[nodiscard]] bool meets_in_l2(const Instruction& in);

}  // namespace drywarp::ir
