// What synccheck should find in a program of few operations, by a simulation of its threads one by one.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace drywarp::check {

struct SyncOp {
  enum class Kind : uint8_t {
    Barrier,   // bar.sync 0
    Named,     // bar.sync 1, `value`
    Exit,      // the thread ends
    WarpSync,  // `value` is the mask
    Shuffle,
    Vote,
    Init,    // the object, for `value` arrivals
    Arrive,  // `value` times
    Await,   // the phase of the thread's last arrival
    Inval,
    Leave,  // the thread ends, as its number says: a choice of the code, and no guard
  };
  Kind kind = Kind::Barrier;
  std::vector<bool> takes;      // by thread: it takes part
  std::vector<uint32_t> value;  // likewise
};

// One block of whole warps.
struct SyncProgram {
  uint32_t threads = 0;
  std::vector<SyncOp> ops;
};

constexpr uint32_t kAnyOp = 0;  // a finding that is about several operations

struct SyncTruth {
  std::set<std::pair<std::string, uint32_t>> findings;  // the kind's key, and the operation
  bool deadlock = false;                                // then some of them may come too late
  // From this operation on the order of threads decides what happens.
  size_t defined = ~size_t{0};
};
[[nodiscard]] SyncTruth truth_of(const SyncProgram& program);

}  // namespace drywarp::check
