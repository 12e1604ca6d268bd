// The memory system behind the load-store units: an L1 cache for each SM, the crossbar, L2 and DRAM.
//
// Requests must arrive in time order, within the few tens of cycles that units of the machine may run ahead of each
// other. Each is resolved at once: the response says when its data arrives, queueing included.
#pragma once

#include <span>
#include <vector>

#include "base/events/warp_trace.h"
#include "model/memory/counts.h"
#include "model/memory/l2.h"

namespace drywarp::memory {

// Local memory is behind all other addresses.
inline constexpr uint64_t kLocalBase = uint64_t{1} << 46;

// A warp's request, resolved.
struct Response {
  Cycles accepted = 0;  // when the load-store unit can start the next request
  Cycles ready = 0;     // when the data is at the SM, or the store is done
  Cycles sent = 0;      // when a store or an atomic has left the SM
  Cycles done_at = 0;   // when the L2 has read or changed the last of its lines; 0: the L1 did
  Cycles settled = 0;   // when a fence behind the store goes on: no copy of what it overwrites is left
  bool hit = false;     // L1 had all sectors
  bool late = false;    // of a load: data came from the L2 or beyond, or was on its way
  Cycles moves = 0;     // of a load: what its wavefronts take
};

class MemorySystem {
 public:
  explicit MemorySystem(const Parameters& parameters);

  // `wavefronts`: passes of the lanes' words through the L1's banks (TraceAccess::units). An atomic that one lane
  // executes for the others takes one round.
  Response load(uint32_t sm, std::span<const TraceLine> lines, uint32_t wavefronts, bool past_l1, Cycles now);
  // `warp`: its slot on the SM. `issued`: when it issued the store, which may have waited for others since.
  Response store(uint32_t sm, std::span<const TraceLine> lines, uint32_t wavefronts, Cycles now, uint32_t warp,
                 Cycles issued);
  Response store(uint32_t sm, std::span<const TraceLine> lines, uint32_t wavefronts, Cycles now) {
    return store(sm, lines, wavefronts, now, 0, now);
  }
  Response atomic(uint32_t sm, std::span<const TraceLine> lines, uint32_t lanes, AtomicKind kind, Cycles now);
  // The SM's L1 no longer holds what it has loaded, as behind a fence of the device. Only after keep_loaded_lines().
  void invalidate_l1(uint32_t sm);
  void keep_loaded_lines() { keeps_lines_ = true; }
  // A line that a copy of many bytes moves between shared memory and the L2, past the L1's tags: reads, writes or adds.
  Response fetch(uint32_t sm, const TraceLine& line, Cycles now);
  Response put(uint32_t sm, const TraceLine& line, Cycles now);
  Response add(uint32_t sm, const TraceLine& line, AtomicKind kind, Cycles now);
  void poll(std::span<const uint64_t> lines) { l2_.poll(lines); }  // see L2::poll()
  void warm(std::span<const uint64_t> lines) { l2_.warm(lines); }  // see L2::warm()
  // Wavefronts of shared memory that is carved out of L1 use L1's data pipe. Returns when they start.
  Cycles take_data_pipe(uint32_t sm, Cycles now, Cycles cost) { return sms_[sm].data.take(now, cost); }

  [[nodiscard]] const L1Counts& l1_counts() const { return l1_counts_; }
  [[nodiscard]] const L2& l2() const { return l2_; }
  void record_dram(DramLog* log) { l2_.record_dram(log); }  // see Dram::record_to()
  // Cycles in which an L1 looked up tags or moved data for lanes, the larger of the two, summed over SMs.
  [[nodiscard]] Cycles l1_busy() const;

 private:
  struct Sm {
    Sm(const L1Parameters& p, ZeroedArena& arena)
        : cache(p.bytes, p.ways, arena, p.protects),
          queued_stores(p.store_merge_window != 0 ? kQueuedStores : 0),
          queued_lines(queued_stores.size(), ~uint64_t{0}),
          last_stores(kWarps) {}
    static constexpr uint32_t kWarps = 64;
    Cache cache;
    Server tags, data;  // lookups; data out of the cache
    Server fill, out;   // the crossbar's ports: from L2, to L2
    Server requests;    // requests of missing lines
    Cycles filled = 0;  // cycles of the data pipe for fills from L2
    // Stored sectors that others may merge with, by a hash of the line.
    struct QueuedStore {
      uint64_t store = 0, number = 0;  // number of the store, and of the line among all that left
      uint32_t sectors = 0;
      Cycles leaves = 0, sent = 0, goes = 0, ready = 0;  // goes: when its slice has room for it
      Cycles until = 0;                                  // a store can merge with it though it no longer waits
    };
    static constexpr uint32_t kQueuedStores = 1024;
    std::vector<QueuedStore> queued_stores;
    std::vector<uint64_t> queued_lines;  // their line numbers, apart: most lookups miss
    uint64_t stores = 0, stored_lines = 0;
    struct LastStore {
      uint64_t store = 0;
      Cycles issued = 0;
    };
    std::vector<LastStore> last_stores;  // by warp
    std::vector<uint64_t> loaded;        // lines that it has filled since invalidate_l1(), if they are kept
  };
  // How long stores can merge with one to so many lines that need not wait.
  [[nodiscard]] Cycles merges_for(size_t lines) const;
  // Merges a stored line with a queued store to the same sectors. Returns the merged sectors. `lines`: to which the
  // instruction stores. `beside`: the number of the store that the same warp issued just before; 0: none.
  uint32_t merge(uint32_t sm, const TraceLine& line, size_t lines, uint64_t beside, Cycles now, Response& response);
  // A stored line is there once it has left the SM: for stores, and for loads if it is whole. A store hits what is
  // there when it `looks`, and the last lines stored. (Measured on an H200: warps that store to the same sectors of 32
  // lines at once find nothing, 100 cycles apart all of it; of 8 or 16 lines they find all of it at once.)
  [[nodiscard]] uint32_t recently_stored(const Sm& s, uint64_t line) const;
  void allocate(Sm& s, const TraceLine& line, uint32_t recent, Cycles looks, Cycles ready);
  // How long a request occupies the data pipe.
  [[nodiscard]] Cycles data_cycles(uint32_t sectors, uint32_t wavefronts) const;
  Parameters p_;
  ZeroedArena arena_;  // of the caches
  std::vector<Sm> sms_;
  bool keeps_lines_ = false;
  L2 l2_;
  L1Counts l1_counts_;
};

}  // namespace drywarp::memory
