// Races between a program's operations: launches, copies and fills that nothing orders and that access the same bytes,
// one of them writing. An operation is kept while something later may run beside it: until the host has waited for it.
// What the same code accesses again later in the same order replaces what it accessed before, so that a loop of
// launches takes the memory of one.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/check/footprint.h"
#include "engine/check/operation_order.h"

namespace drywarp::check {

struct RunOperation {
  // A launch that the user has left out is told of where it races with a chosen one alone.
  enum class Role : uint8_t { Chosen, LeftOut, Transfer };
  OperationMoment moment;
  Role role = Role::Chosen;
  Footprint footprint;
  uint64_t memory = 0;  // bytes of the footprint
  uint64_t id = 0;      // 1, 2, 3 ... in the order in which they ran
};

class OperationRaces {
 public:
  // The host's calls that issued an operation.
  using Calls = std::function<std::vector<HostFrame>(const OperationMoment&)>;
  // `memory_start`: addresses of findings count from there. `calls`: empty: not known.
  OperationRaces(const MemoryMap& memory, uint64_t memory_start, Calls calls = {})
      : memory_(memory), start_(memory_start), calls_(std::move(calls)) {}

  // An operation that has run: what it races with. It is kept.
  std::vector<Finding> add(std::unique_ptr<RunOperation> operation);
  // Forgets operations beside which nothing will run any more.
  void forget(const std::function<bool(const OperationMoment&)>& over);
  // The bytes have a new owner.
  void renew(uint64_t address, uint64_t bytes);
  // What the host's access to a byte races with; `known`: operations that are before it. Without its place.
  [[nodiscard]] std::vector<Finding> host_access(uint64_t address, bool writes,
                                                 const std::function<bool(const OperationMoment&)>& known) const;
  [[nodiscard]] const std::vector<std::unique_ptr<RunOperation>>& kept() const { return kept_; }

 private:
  using Part = Footprint::Part;
  [[nodiscard]] static bool synchronize(const Footprint& a, const Footprint& b);
  void compare(const RunOperation& earlier, const RunOperation& later, std::vector<Finding>& found) const;
  [[nodiscard]] std::optional<Finding> race(const RunOperation& earlier, const Part& before, const RunOperation& later,
                                            const Part& now) const;
  void replace(const RunOperation& by);
  [[nodiscard]] OtherAccess other_access(const RunOperation& operation, const Part& part, uint64_t address) const;
  // The finding's memory, "byte 16 of a device allocation of 64 bytes".
  std::string describe(Finding& f, uint64_t address) const;

  static constexpr uint64_t kMostMemory = uint64_t{1} << 30;  // of footprints, in bytes

  const MemoryMap& memory_;
  uint64_t start_;
  Calls calls_;
  std::vector<std::unique_ptr<RunOperation>> kept_;  // in the order in which they ran
  uint64_t used_ = 0;                                // bytes of their footprints
  uint64_t ids_ = 0;
};

}  // namespace drywarp::check
