// The barrier objects (mbarrier, and what CUDA's cuda::barrier and cuda::pipeline compile to) of a block: whether its
// threads use them as the PTX ISA allows.
#pragma once

#include <functional>
#include <map>
#include <optional>
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
  // All threads of the block have ended.
  void finish();

 private:
  using State = observe::Mbarrier::State;
  // Phases count from 0; -1 is the one before the first, which counts as completed.
  struct Lane {
    std::optional<int64_t> arrived;             // in which phase, last
    std::optional<int64_t> awaited;             // which phase, last
    std::optional<observe::Mbarrier> in_vain;   // that wait, if the phase has not completed since
    std::optional<observe::Mbarrier> repeated;  // a wait for a phase that the lane had seen complete
  };
  struct Object {
    bool live = false;               // initialized, and not invalidated since
    bool ever = false;               // initialized at least once
    bool overwritten = false;        // by what is no object
    State last;                      // behind its last use
    int64_t phases = 0;              // that have completed
    uint32_t due = 0;                // arrivals that the phase lacked when the instruction that runs began
    uint64_t arriving = 0;           // of that instruction, so far
    std::map<uint64_t, Lane> lanes;  // by warp and lane
  };
  void begins(Object& object, const observe::Mbarrier& use);
  void initialize(Object& object, const observe::Mbarrier& use);
  void arrive(Object& object, const observe::Mbarrier& use);
  void wait(Object& object, const observe::Mbarrier& use);
  void wait_by_token(const Lane& lane, const Object& object, const observe::Mbarrier& use);
  void wait_by_parity(Lane& lane, const Object& object, const observe::Mbarrier& use);

  Report report_;
  std::map<uint64_t, Object> objects_;  // by address
};

}  // namespace drywarp::check
