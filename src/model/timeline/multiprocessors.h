// The SMs as kernels share them. Blocks of the kernel that arrived first (of the highest priority) start first; blocks
// of the next one start in the room that is left, at once or as blocks end. A block takes 1 / slots of the device.
// While the kernels together ask more of the SMs' units or of memory than there is, all are slower by that factor.
//
// Limits: room is counted over the whole device and not SM by SM, so a block that needs a whole SM may start where
// hardware finds only halves; a kernel that gets fewer slots than alone has blocks that are no faster; caches are not
// shared. A kernel alone takes exactly its own duration.
#pragma once

#include <vector>

#include "model/timeline/operation.h"

namespace drywarp::timeline {

class Multiprocessors {
 public:
  // `name` returns in ended(); the first block may start at `now`.
  void arrive(uint32_t name, const Operation& kernel, double now);
  // When the next blocks end, if nothing else arrives; infinity: none run.
  [[nodiscard]] double next() const;
  // Lets time pass until `now`, which is at most next(), and starts what then fits.
  void advance(double now);

  struct Event {
    uint32_t name = 0;
    double time = 0;
    uint32_t holder = kNone;  // of a start: the kernel whose blocks made room; kNone: there was room at once
  };
  // Since the last call.
  [[nodiscard]] std::vector<Event> take_started() { return std::exchange(started_, {}); }
  [[nodiscard]] std::vector<Event> take_ended() { return std::exchange(ended_, {}); }

 private:
  struct Kernel {
    uint32_t name = 0;
    int priority = 0;
    double units = 0, slots = 1, unit_ns = 0;  // a unit: the blocks that one slot runs one after the other
    double waiting = 0, running = 0;           // units
    double sm_share = 0, memory_share = 0;     // of one running unit
    bool started = false, had_to_wait = false;
  };
  // Units of a kernel that started together.
  struct Group {
    uint32_t kernel = 0;  // index
    double units = 0, left_ns = 0;
  };
  void dispatch(uint32_t freed_by);
  void rate();
  std::vector<Kernel> kernels_;
  std::vector<uint32_t> order_;  // kernels with waiting units
  std::vector<uint32_t> unused_;
  std::vector<Group> groups_;
  double now_ = 0, used_ = 0, rate_ = 1;
  std::vector<Event> started_, ended_;
};

}  // namespace drywarp::timeline
