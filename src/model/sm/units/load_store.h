// The load-store unit of an SM: shuffles, shared, local and global memory.
//
// It takes instructions in order, and a long one (32 lines, 32 wavefronts) blocks all behind it. The memory system
// resolves a request when it is made, so a request made too early would delay earlier requests. Therefore an
// instruction that the unit cannot take soon waits in its queue.
#pragma once

#include <deque>
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include "model/sm/units/copy_groups.h"
#include "model/sm/units/polls.h"
#include "model/sm/units/simulation.h"

namespace drywarp::sm {

// An instruction in the load-store unit.
struct Request {
  const Decoded* in = nullptr;
  const TraceAccess* access = nullptr;  // nullptr: it touches no memory
  std::span<const TraceLine> lines{};
  Cycles issued = 0;
  uint32_t wavefronts = 0;         // of shared memory
  uint32_t more_transactions = 0;  // that a wide load of shared memory takes beyond the first
  uint32_t frame_word = 0;         // of a spill: where the frame starts
  uint32_t part = 0, warp = 0, serial = 0, slot = 0;
  uint32_t group = 0;  // of an asynchronous copy
};

class LoadStoreUnits {
 public:
  LoadStoreUnits(Simulation& simulation, CopyGroups& copies, PollUnits& polls);

  // Serves the instruction at once if the unit is free; else queues it, and its result is kNever until it is served.
  Effect submit(uint32_t part, uint32_t warp, const Decoded& in, Cycles now);
  void run(uint32_t sm, Cycles now);  // serves queued requests
  [[nodiscard]] Cycles busy() const;  // of all SMs: cycles in which it took instructions

 private:
  void count_wavefronts(const Warp& warp, const TraceAccess& access, const Decoded& in, Request& request) const;
  Cycles serve(const Request& request, Cycles start);  // returns when its result is ready
  Cycles serve_shared(const Request& request, Cycles start);
  Cycles serve_remote(const Request& request, Cycles start);
  Cycles serve_global(const Request& request, Cycles start);
  void plan(uint32_t sm);  // sets the unit's next event
  void serve_oldest(uint32_t sm);

  struct Unit {
    // It takes instructions in issue order. A long one blocks all behind it, for whatever memory.
    std::deque<Request> waiting;
    Cycles free = 0;    // when it can take the next instruction
    Server issue_port;  // counts the instructions that it took
    Server to_cluster;  // to other multiprocessors
    // The warp of the last access to global memory, and when that warp's next one can begin.
    uint32_t last_warp = ~0u, last_serial = 0;
    Cycles warp_free = 0;
    // When the data of each load arrives that comes from beyond the L1, the earliest first.
    std::priority_queue<Cycles, std::vector<Cycles>, std::greater<>> in_flight;
  };

  // A load that the unit took at `start`, and whose data comes from beyond the L1.
  void wait_in_flight(Unit& unit, Cycles start, Cycles data) const;

  Simulation& s;
  CopyGroups& copies_;
  PollUnits& polls_;
  std::vector<Unit> units_;             // by SM
  std::vector<Cycles> banks_free_;      // of shared memory, for the next instruction of each warp
  std::vector<TraceLine> frame_lines_;  // of a warp's local memory, by the word of its threads' frames
  std::vector<TraceLine> local_lines_;  // a buffer of single calls, kept to reuse its memory
};

}  // namespace drywarp::sm
