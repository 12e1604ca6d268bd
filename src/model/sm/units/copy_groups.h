// Groups of a warp's asynchronous copies (cp.async): a copy belongs to the one that is open when it issues, and a wait
// is for all but the last of them.
#pragma once

#include <vector>

#include "model/sm/units/schedulers.h"

namespace drywarp::sm {

class CopyGroups {
 public:
  explicit CopyGroups(Simulation& simulation) : s(simulation) {}

  // The number of the group to which a copy belongs that the warp issues now.
  uint32_t submit(uint32_t warp);
  // The data of a copy of that group arrive at `done`.
  void finish(uint32_t warp, uint32_t group, Cycles done);
  void commit(uint32_t warp);
  Effect wait(uint32_t warp, const Decoded& in, Cycles now);

 private:
  struct Group {
    uint32_t copies = 0;  // that the load-store unit has not taken yet
    Cycles done = 0;
  };
  struct Groups {
    uint32_t serial = 0;
    std::vector<Group> all{1};  // the last one is open
    uint32_t gone = 0;          // before these
    bool waits = false;         // the warp waits for the first `awaited` of them, since then
    size_t awaited = 0;
    Cycles since = 0;
  };
  Groups& groups_of(uint32_t warp);
  static Cycles done_at(const Groups& groups);  // of the awaited; kNever: not known yet

  Simulation& s;
  std::vector<Groups> groups_;  // by warp
};

}  // namespace drywarp::sm
