// Everything between the load-store units and DRAM: an L1 cache an SM, the crossbar, L2 and DRAM.
//
// Requests must come in the order of their time, within the few tens of cycles that the machine's parts are allowed to
// run ahead of each other. Each is resolved at once: the answer says when its data is there, queueing included.
#pragma once

#include <span>
#include <vector>

#include "base/events/warp_trace.h"
#include "model/memory/counts.h"
#include "model/memory/l2.h"

namespace drywarp::memory {

// A warp's request, resolved.
struct Response {
  Cycles accepted = 0;  // the load-store unit is done with it: the next request can be looked up
  Cycles ready = 0;     // the data is at the SM; a store: it is done
  Cycles sent = 0;      // a store, an atomic: it has left the SM
  bool hit = false;     // L1 had all of it
};

class MemorySystem {
 public:
  explicit MemorySystem(const Parameters& parameters);

  // `wavefronts`: turns that the lanes' words take in the L1's banks (TraceAccess::units). An atomic of one lane for
  // the others takes one round, whatever its line says.
  Response load(uint32_t sm, std::span<const TraceLine> lines, uint32_t wavefronts, bool past_l1, Cycles now);
  // `warp`: its place on the SM.
  Response store(uint32_t sm, std::span<const TraceLine> lines, uint32_t wavefronts, Cycles now, uint32_t warp = 0);
  Response atomic(uint32_t sm, std::span<const TraceLine> lines, uint32_t lanes, Cycles now);
  // What the simulation of such a request looks at first comes into the host's cache: of the L1; then, of what that
  // lacks, of the L2.
  void prefetch_l1(uint32_t sm, std::span<const TraceLine> lines) const;
  void prefetch_l2(uint32_t sm, std::span<const TraceLine> lines) const;
  // Shared memory that is carved out of the L1 moves its wavefronts through the same pipe: when so many begin.
  Cycles take_data_pipe(uint32_t sm, Cycles now, Cycles cost) { return sms_[sm].data.take(now, cost); }

  [[nodiscard]] const L1Counts& l1_counts() const { return l1_counts_; }
  [[nodiscard]] const L2& l2() const { return l2_; }
  // Cycles in which the SMs' L1 looked up tags or moved data for lanes, the longer of the two, summed over SMs.
  [[nodiscard]] Cycles l1_busy() const;

 private:
  struct Sm {
    Sm(const L1Parameters& p, ZeroedArena& arena)
        : cache(p.bytes, p.ways, arena),
          leaving(p.store_merge_window != 0 ? kLeaving : 0),
          leaving_lines(leaving.size(), ~uint64_t{0}),
          last_store(kWarps) {}
    static constexpr uint32_t kWarps = 64;
    Cache cache;
    Server tags, data;  // lookups; data out of the cache
    Server fill, out;   // the crossbar's ports: from L2, to L2
    Server asked;       // lines of which sectors are asked for
    Cycles filled = 0;  // that the data pipe took what came from L2
    // Stored sectors that wait for their way out, by a hash of the line.
    struct Leaving {
      uint64_t store = 0, number = 0;  // of the store, of the line among all that were stored
      uint32_t sectors = 0;
      Cycles leaves = 0, sent = 0, ready = 0;
    };
    static constexpr uint32_t kLeaving = 128;
    std::vector<Leaving> leaving;
    std::vector<uint64_t> leaving_lines;  // their numbers: few are found there, and the rest is not looked at
    uint64_t stores = 0, stored_lines = 0;
    std::vector<uint64_t> last_store;  // by warp: its number
  };
  // Sectors of a stored line that go together with those of another store, which wait to leave. `before`: the number of
  // the warp's store before this one.
  uint32_t merge(uint32_t sm, const TraceLine& line, uint64_t before, Cycles now, Response& response);
  // How long a request takes the data pipe.
  [[nodiscard]] Cycles data_cycles(uint32_t sectors, uint32_t wavefronts) const;
  Parameters p_;
  ZeroedArena arena_;  // of the caches
  std::vector<Sm> sms_;
  L2 l2_;
  L1Counts l1_counts_;
};

}  // namespace drywarp::memory
