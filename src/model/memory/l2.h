// The L2 cache: slices behind a crossbar, each with its own ports and atomic unit, in front of DRAM. Write-back; a
// store of a whole sector needs no fill, one of a part needs it when the sector is read or leaves before the rest is
// written.
//
// With more than one partition every line has a home, whose DRAM it lies in and where it is written. An SM asks the
// slices of its own partition: a line that is at home elsewhere is fetched from there once, over the fabric between the
// partitions, and a copy stays. (Measured on an H200: the first read of such a line takes latency_far, all others
// latency_near; Nsight Compute counts its sectors twice, as ltcfabric's a second time.)
//
// A read coalescer stands before the slices for a group of SMs that lie together: a read of sectors that one of them
// has asked for goes no further while these are on their way, and gets its data when that one does; a request serves so
// many at most. (An H200 has one for eight SMs, which get consecutive blocks: reads of two of them join as long as the
// first waits for its data, four come as one, a fifth asks again.) Written lines are written back when too many wait,
// the first written first.
//
// A line of which a sector was written in part waits for the rest until so many others were begun; then the rest of the
// sector is read from DRAM and the line is written back. (On an H200 that is about 32,768 lines: of words 32 to 128
// bytes apart in 8 to 33 MB, all but so many lines are read while the kernel runs.)
//
// When a kernel ends, what it wrote last is still in the L2. A simulated part of a grid may leave only its share there.
// Otherwise all its writes would fit, and the rest of the grid, extrapolated from it, would never write to DRAM.
// A line written back for this reason is charged once.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "base/events/warp_trace.h"
#include "model/memory/cache.h"
#include "model/memory/counts.h"
#include "model/memory/dram.h"

namespace drywarp::memory {

class L2 {
 public:
  L2(const Parameters& parameters, ZeroedArena& arena);

  // Sectors (a mask) of a line, asked for by an SM at `now`: when the data leaves for the SM's side of the crossbar. On
  // an idle machine a hit's data is at the SM latency_near or latency_far after `now`.
  Cycles read(uint32_t sm, uint64_t line, uint32_t sectors, Cycles now);
  // When the store is done as far as the SM can know (a fence waits for it).
  Cycles write(uint32_t sm, const TraceLine& line, Cycles now);
  // Bytes of sectors that were written in part and had not left the SM yet.
  void write_more(uint32_t sm, const TraceLine& line, Cycles now);
  // Atomics on sectors of a line, in so many rounds, that come as a message of `bytes`. When the old values are back.
  Cycles atomic(uint32_t sm, uint64_t line, uint32_t sectors, uint32_t rounds, double bytes, Cycles now);

  // Brings what a read, or a write, looks at into the host's cache.
  void prefetch_read(uint32_t sm, uint64_t line) const;
  void prefetch_write(const TraceLine& line) const;

  [[nodiscard]] const L2Counts& counts() const { return counts_; }
  [[nodiscard]] const Dram& dram() const { return dram_; }
  [[nodiscard]] Cycles busiest_slice() const;
  [[nodiscard]] Cycles mean_slice() const;

 private:
  struct Slice {
    Server reads, writes;
  };
  struct Place {
    uint32_t home, near;  // partitions: the line's and the SM's
    uint32_t home_slice, near_slice;
  };
  // Of `count` slices, or units as many slices as there are have, the one that a line belongs to.
  [[nodiscard]] static uint32_t slot_of(uint64_t line, uint32_t count);
  [[nodiscard]] Place place(uint32_t sm, uint64_t line) const;
  // A read that its coalescer does not join to another.
  Cycles read_slices(uint32_t sm, uint64_t line, uint32_t sectors, Cycles now);
  // Reads of a partition's cache whose misses come from DRAM (at home) or from the home over the fabric.
  // Ports are taken in the order in which SMs ask (`asked`), whatever the way of each request (`later`): a port taken
  // ahead of its time would hold up those who come before.
  Cycles read_at_home(const Place& place, uint64_t line, uint32_t sectors, Cycles asked, Cycles later, uint32_t* hits);
  Cycles take_read_port(uint32_t slice, uint32_t sectors, Cycles now);
  // Whether the part of the machine that is not simulated has brought this line here before.
  [[nodiscard]] bool brought_by_others(uint64_t line) const;
  // The sectors that one fill brings for those that miss.
  [[nodiscard]] uint32_t filled_for(uint32_t missing) const;
  // The fill of missing sectors: when it has arrived at the slice.
  Cycles fill(uint64_t line, uint32_t missing, Cycles now);
  // Reads or writes back sectors of a line where the line lies in DRAM.
  Cycles access_dram(uint64_t line, uint32_t sectors, bool write, Cycles now);
  void write_back(const Cache::Found& found, Cycles now);
  // The line that was just looked up at home is written; others that wait for it may have to go.
  void make_dirty(uint32_t home, uint64_t line, bool was_dirty, Cycles now);
  // A sector of this line was written in part: so many lines later the rest of it is read, and it is written back.
  void begin_part(uint32_t home, uint64_t line, Cycles now);

  Parameters p_;
  std::vector<Cache> caches_;    // by partition
  std::vector<uint32_t> near_;   // an SM's partition
  std::vector<float> distance_;  // by SM and slice: cycles more or less than the mean; empty: nobody knows
  Dram dram_;
  std::vector<Slice> slices_;
  std::vector<Server> atomic_units_;
  // What passes from one partition to another: when it is there.
  Cycles cross(uint32_t from, uint32_t to, double bytes, Cycles now);
  std::vector<Server> fabric_;  // by (from, to)
  Cycles fabric_way_ = 0;       // to another partition and back
  Cycles dram_way_ = 0;         // what a miss takes longer than a hit
  struct Dirty {                // one word: it is written in one piece
    uint64_t line : 56;
    uint64_t home : 8;
  };
  std::deque<Dirty> dirty_;    // in the order of their first writes; may hold lines that have left
  std::deque<Dirty> partial_;  // in the order in which parts of them were first written; may hold lines that are whole
  uint64_t most_partial_lines_ = 0;
  uint64_t dirty_lines_ = 0, most_dirty_lines_ = 0;  // that are here; that may be here
  // Reads that are on their way, by a hash of the line.
  struct Pending {
    uint64_t line = ~uint64_t{0};
    float ready[4] = {};
    uint32_t requests = 0;  // that have come together
  };
  static constexpr uint32_t kPending = 4096;           // of a coalescer
  [[nodiscard]] uint32_t group_of(uint32_t sm) const;  // its coalescer
  [[nodiscard]] size_t pending_of(uint32_t sm, uint64_t line) const;
  std::pmr::vector<Pending> pending_{huge_pages()};
  double written_bytes_ = 0;  // by stores and atomics, masks included
  uint64_t asked_pairs_ = 0;  // of sectors, that SMs asked for
  L2Counts counts_;
};

}  // namespace drywarp::memory
