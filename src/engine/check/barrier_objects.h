// The barrier objects (mbarrier, and what CUDA's cuda::barrier and cuda::pipeline compile to) of a block: whether its
// threads use them as the PTX ISA allows.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/events/finding.h"
#include "engine/observe/observer.h"

namespace drywarp::check {

class BarrierObjects {
 public:
  using Report = std::function<void(FindingKind kind, const observe::Mbarrier& use, std::string what)>;
  explicit BarrierObjects(Report report) : report_(std::move(report)) {}
  // In the order in which the block's threads use them.
  void use(const observe::Mbarrier& use);

 private:
  using State = observe::Mbarrier::State;
  struct Object {
    bool live = false;                     // initialized, and not invalidated since
    bool ever = false;                     // initialized at least once
    bool overwritten = false;              // by what is no object
    State last;                            // behind its last use
    uint64_t phases = 0;                   // that have completed
    uint32_t due = 0;                      // arrivals that the phase lacked when the instruction that runs began
    uint64_t arriving = 0;                 // of that instruction, so far
    std::map<uint64_t, uint64_t> arrived;  // by warp and lane: the phase of its last arrival
  };
  void begins(Object& object, const observe::Mbarrier& use);
  void initialize(Object& object, const observe::Mbarrier& use);
  void arrive(Object& object, const observe::Mbarrier& use);
  void wait(const Object& object, const observe::Mbarrier& use);

  Report report_;
  std::map<uint64_t, Object> objects_;  // by address
};

}  // namespace drywarp::check
