// Checks across a program's operations: their order, what they access, and what the host accesses meanwhile
// (engine/check/operation_races.h). Callers hold the session's lock, except where it says otherwise.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cuda/launch/host_accesses.h"
#include "cuda/launch/operation.h"
#include "engine/check/operation_races.h"

namespace drywarp::cuda {

class OperationChecks {
 public:
  struct Wanted {
    bool races = false;      // between operations, and with the host
    bool pools = false;      // of stream-ordered allocations alone
    bool unused = false;     // memory that the device never uses,
    double most_unused = 0;  // more than so many percent of an allocation
  };
  using Found = std::function<void(const std::vector<Finding>&)>;
  using Fact = std::function<FoundAllocation(const exec::Allocation&)>;
  OperationChecks(const Wanted& wanted, const exec::DeviceMemory& memory, const check::MemoryMap& map, Fact fact,
                  Found found);

  // ---- the order of the program
  uint32_t add_stream(bool blocking) { return order_.add_stream(blocking); }
  void remove_stream(uint32_t line) { order_.remove_stream(line); }
  // `operation`: null if it is none of them. Launches of an executable graph follow each other.
  check::OperationMoment issue(uint32_t line, uint32_t stream, const Operation* operation);
  [[nodiscard]] check::OperationClock now(uint32_t line) const { return order_.now(line); }
  void wait(uint32_t line, const check::OperationClock& event) { order_.wait(line, event); }
  void host_waits(const check::OperationClock& event);
  void host_waits_for(uint32_t line);
  void host_waits_for_all();

  // ---- operations that run
  // The library accesses memory on behalf of the device: pages are open.
  class Running {
   public:
    explicit Running(OperationChecks* checks) : checks_(checks) {
      if (checks_) checks_->begin();
    }
    ~Running() {
      if (checks_) checks_->end();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    OperationChecks* checks_;
  };
  // The call of the program that is running, as findings name it; empty: they do not need it.
  [[nodiscard]] std::string place() const;
  // A stream waits for a value in memory: what that orders is not known, and until the host waits for the whole device
  // nothing is said of what races.
  void wait_for_value() { blind_ = true; }
  // An operation is issued that runs host functions. True: it is to run as late as it may, so that what comes behind it
  // in other streams has run before.
  [[nodiscard]] bool expect_host_functions(const check::OperationMoment& moment);
  void ran_host_functions(const check::OperationMoment& moment);
  // The program's host function runs in the calling thread, as an operation of the stream; null: it has ended.
  void host_function(const check::OperationMoment* moment);
  // Whether launches need a footprint now.
  [[nodiscard]] bool watches_launches() const {
    return wanted_.races || wanted_.unused || (wanted_.pools && !pooled_.empty());
  }
  // `chosen`: false: the user left the launch out.
  void launched(const check::OperationMoment& moment, check::Footprint footprint, bool chosen);
  void copied(const check::OperationMoment& moment, const CopyOperation& copy);
  void filled(const check::OperationMoment& moment, const FillOperation& fill);
  void allocated(const check::OperationMoment& moment, uint64_t address);  // in the order of a stream
  void freed(const check::OperationMoment& moment, uint64_t address);      // about to be, likewise

  // ---- memory; without the session's lock, but with the device memory's
  void allocated(const exec::Allocation& allocation, bool by_kernel);
  void freed(const exec::Allocation& allocation, bool by_kernel);
  // The program ends, or resets the device, with this memory.
  void finish(const std::vector<exec::Allocation>& unfreed);

 private:
  using Part = check::Footprint::Part;
  struct Change {
    exec::Allocation allocation;
    bool made = false, by_kernel = false;
  };

  void begin();
  void end();
  void forget();
  void catch_up();  // with changes of memory, and with what the host has accessed
  void note_unused(const exec::Allocation& allocation);
  void ran(const check::OperationMoment& moment, check::Footprint footprint,
           check::RunOperation::Role role = check::RunOperation::Role::Transfer);
  void add_box(check::Footprint& footprint, check::MemoryUse use, const Box& box, size_t width, const Extent3& extent,
               const check::OperationMoment& moment, const char* what);
  [[nodiscard]] std::vector<HostAccesses::Pages> pages_of(const check::Footprint& footprint) const;
  void close_pages();

  const Wanted wanted_;
  const exec::DeviceMemory& memory_;
  const Fact fact_;
  const Found found_;
  check::OperationOrder order_;
  check::OperationRaces races_;
  std::map<const Graph*, check::OperationClock> graphs_;  // after the last launch of each
  HostAccesses host_;
  std::map<uint64_t, std::vector<HostAccesses::Pages>> pages_;  // by operation
  unsigned running_ = 0;
  std::vector<check::OperationMoment> expected_;  // operations with host functions, not run yet
  unsigned host_functions_ = 0;                   // that run
  bool blind_ = false;
  std::set<std::string> places_;                        // keys of copies
  std::set<uint64_t> pooled_;                           // live stream-ordered allocations
  std::map<uint64_t, exec::Allocation> shared_, heap_;  // with the host; of kernels
  check::ByteSet used_;                                 // by the device
  std::mutex mutex_;
  std::vector<Change> changes_;
};

}  // namespace drywarp::cuda
