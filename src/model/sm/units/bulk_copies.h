// The unit of an SM that copies many bytes for one thread (the tensor memory accelerator): it takes copies in their
// order, requests a line after the other, and tells barrier objects of the bytes, or groups of copies of their end.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "model/sm/units/objects.h"

namespace drywarp::sm {

class BulkCopyUnits {
 public:
  BulkCopyUnits(Simulation& simulation, BarrierObjects& objects);

  Effect submit(uint32_t warp, const Decoded& in, Cycles now);
  Effect commit(uint32_t warp, const Decoded& in, Cycles now);
  // Waits for all but the last groups of the warp: of copies to global memory.
  Effect wait(uint32_t warp, const Decoded& in, Cycles now);
  void run(uint32_t sm, Cycles now);  // makes the requests that are due

 private:
  struct Copy {
    const Decoded* in = nullptr;
    std::span<const TraceLine> lines{};
    std::span<const ObjectUse> objects{};
    Cycles at = 0;  // of its first request
    Cycles read = 0, done = 0;
    uint32_t warp = 0, serial = 0, block = 0, block_serial = 0;
    size_t group = 0;  // of the warp, counted from its first
  };
  struct Unit {
    std::deque<Copy> copies;
    Cycles free = 0;
  };
  // Groups of copies of a warp. A copy to global memory belongs to the one that is open.
  struct Groups {
    struct Group {
      uint32_t copies = 0;  // under way
      Cycles read = 0, done = 0;
    };
    uint32_t serial = 0;
    std::vector<Group> all{1};       // the last one is open
    size_t gone = 0;                 // before these
    const Decoded* waits = nullptr;  // the instruction at which the warp waits
    Cycles since = 0;
  };
  Groups& groups_of(uint32_t warp);
  // When all but the last `in.pending` groups are done; kNever: not known yet.
  static Cycles done_at(const Groups& groups, const Decoded& in);
  Cycles request(uint32_t sm, Copy& copy, const TraceLine& line, Cycles at);
  void finish(Copy& copy);
  void plan(uint32_t sm);

  Simulation& s;
  BarrierObjects& objects_;
  std::vector<Unit> units_;     // by SM
  std::vector<Groups> groups_;  // by warp
};

}  // namespace drywarp::sm
