// Everything between the load-store units and DRAM: an L1 cache an SM, the crossbar, L2 and DRAM.
//
// Requests must come in the order of their time, within the few tens of cycles that the machine's parts are allowed to
// run ahead of each other. Each is resolved at once: the answer says when its data is there, queueing included.
#pragma once

#include <span>

#include "events/warp_trace.h"
#include "memsys/l2.h"

namespace drywarp::memsys {

struct L1Counts {
  uint64_t load_sectors = 0, load_hits = 0;
  uint64_t store_sectors = 0, store_hits = 0;
  uint64_t atomic_sectors = 0;
};

// A warp's request, resolved.
struct Response {
  Cycles accepted = 0;  // the load-store unit is done with it: the next request can be looked up
  Cycles ready = 0;     // the data is at the SM; a store: it is done
  bool hit = false;     // L1 had all of it
};

class MemorySystem {
 public:
  explicit MemorySystem(const Parameters& parameters);

  Response load(uint32_t sm, std::span<const TraceLine> lines, bool past_l1, Cycles now);
  Response store(uint32_t sm, std::span<const TraceLine> lines, Cycles now);
  Response atomic(uint32_t sm, std::span<const TraceLine> lines, uint32_t lanes, uint32_t same, Cycles now);

  [[nodiscard]] const L1Counts& l1_counts() const { return l1_counts_; }
  [[nodiscard]] const L2& l2() const { return l2_; }
  // Cycles in which the SMs' L1 looked up tags or moved data, the longer of the two, summed over SMs.
  [[nodiscard]] Cycles l1_busy() const;

 private:
  struct Sm {
    explicit Sm(const L1Parameters& p) : cache(p.bytes, p.ways) {}
    Cache cache;
    Server tags, data;  // lookups; data out of the cache
    Server fill, out;   // the crossbar's ports: from L2, to L2
  };
  Parameters p_;
  std::vector<Sm> sms_;
  L2 l2_;
  L1Counts l1_counts_;
};

}  // namespace drywarp::memsys
