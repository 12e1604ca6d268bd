// The device's memory as checks see it: its allocations and where they were made and freed, and which of its bytes were
// written. Thread-safe.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/check/check.h"
#include "engine/exec/engine.h"
#include "engine/exec/memory/stored_unknowns.h"
#include "engine/exec/memory/written_bytes.h"

namespace drywarp::cuda {

class OperationChecks;

class CheckedMemory : public check::MemoryMap, public exec::AllocationWatch {
 public:
  CheckedMemory(exec::DeviceMemory& memory, bool knows_writes);
  ~CheckedMemory() override;
  CheckedMemory(const CheckedMemory&) = delete;
  CheckedMemory& operator=(const CheckedMemory&) = delete;
  void tell(OperationChecks* operations) { operations_ = operations; }

  // ---- allocations
  [[nodiscard]] uint64_t start() const { return memory_.base(); }
  [[nodiscard]] std::optional<Near> near(uint64_t address) const override { return near(address, address); }
  [[nodiscard]] std::optional<Near> near(uint64_t address, uint64_t beside) const override;
  // With the call of the program that made it, but not a kernel's malloc().
  [[nodiscard]] FoundAllocation fact(const exec::Allocation& a) const;
  [[nodiscard]] std::string freed_at(const exec::Allocation& a) const;
  void made(uint64_t address, const std::string& where) override;
  void allocated(const exec::Allocation& allocation) override;
  void freed(const exec::Allocation& allocation) override;
  // Frees meanwhile are those of a reset.
  void resetting(bool is) { resetting_ = is; }
  [[nodiscard]] bool freed_by_reset(const exec::Allocation& a) const;

  // ---- what was written
  [[nodiscard]] bool written(uint64_t address, uint64_t bytes) const override;
  [[nodiscard]] LaneMask unwritten(const uint64_t* addresses, LaneMask lanes, uint64_t bytes) const override;
  void write(uint64_t address, uint64_t bytes) override;
  void store_unknown(uint64_t address, uint32_t bytes, const check::UnknownSource& source) override;
  [[nodiscard]] const check::UnknownSource* unknown_source(uint64_t address) const override;
  // Inside the device: what was not written stays so, and is known by where it came from.
  void copy(uint64_t to, uint64_t from, uint64_t bytes);

  // ---- launches
  void launch_begins() { ++running_; }
  void launch_ends() { --running_; }
  void bind(const exec::Permissions& permissions) { memory_.bind_permissions(permissions); }
  // Ends what bind() has begun; null: nothing.
  class Bound {
   public:
    explicit Bound(CheckedMemory* memory) : bound_(memory) {}
    ~Bound() {
      if (bound_) bound_->memory_.release_permissions();
    }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;

   private:
    CheckedMemory* bound_;
  };

 private:
  // A call of the program, which few findings name: its stack is taken, and looked up when it is wanted.
  struct Site {
    std::vector<void*> stack;
    std::string where;  // empty: not looked up
    const std::string& text();
  };

  exec::DeviceMemory& memory_;
  std::optional<exec::WrittenBytes> written_;
  exec::StoredUnknowns unknown_;
  mutable std::mutex mutex_;
  mutable std::map<uint64_t, Site> made_, freed_;  // by allocation
  std::set<uint64_t> reset_;                       // freed by a reset of the device
  std::deque<check::UnknownSource> sources_;       // of `unknown_`, by number
  OperationChecks* operations_ = nullptr;
  std::atomic<unsigned> running_{0};  // launches
  std::atomic<bool> resetting_{false};
};

}  // namespace drywarp::cuda
