// The L2 cache: slices behind a crossbar, each with its own ports and atomic unit, in front of DRAM. It is write-back.
// A store of a whole sector needs no fill. A store of a part needs one if the sector is read or evicted before the rest
// is written.
//
// With several partitions, every line has a home partition, in whose DRAM it is and where it is written. An SM reads
// from the slices of its own partition. A line with another home is fetched from there once, over the fabric between
// the partitions, and a copy stays. (Measured on an H200: the first read of such a line takes latency_far, all others
// latency_near. Nsight Compute counts its sectors twice, the second time as ltcfabric's.) A home has blocks of four
// kilobytes. A store invalidates copies of its sectors, and requests to these sectors wait for that.
//
// A read coalescer in front of the slices serves a group of neighbouring SMs. A read of sectors that are already being
// fetched for another SM of the group joins that request and gets its data at the same time. A request serves a limited
// number of reads. (An H200 has a coalescer for eight SMs, which get consecutive blocks. Reads join until the data of
// the first comes to the coalescer: 62 cycles for a hit, 340 to 540 where DRAM answers. Four reads share one request,
// the fifth needs another.)
//
// If too many lines are dirty, the one written first is written back.
//
// A line with a partly written sector waits until a number of further lines are partly written. Then the rest of the
// sector is read from DRAM and the line is written back. (On an H200 that number is about 32,768: with words 32 to 128
// bytes apart in 8 to 33 MB, all but that many lines are read while the kernel runs.)
//
// When a kernel ends, the lines that it wrote last are still in L2. A simulated part of a grid may leave only its
// share. Otherwise all its writes would fit, and the rest of the grid, extrapolated from it, would never write to DRAM.
// A line written back for this reason is charged once.
#pragma once

#include <algorithm>
#include <deque>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/events/warp_trace.h"
#include "model/memory/cache.h"
#include "model/memory/counts.h"
#include "model/memory/dram.h"
#include "model/memory/line_set.h"
#include "model/memory/server.h"

namespace drywarp::memory {

// What an atomic unit does for a line of a request.
struct AtomicWork {
  AtomicKind kind{};
  uint32_t rounds = 0;  // of all sectors: a round is one lane on each address of a sector
  bool dense = false;   // rounds have all words of their sectors
};

class L2 {
 public:
  L2(const Parameters& parameters, ZeroedArena& arena);

  // An SM requests sectors (a mask) of a line at `now`. Returns when the data arrives at the SM: for a hit on an idle
  // machine latency_near or latency_far later.
  Cycles read(uint32_t sm, uint64_t line, uint32_t sectors, Cycles now);
  // Returns when the SM knows that the store is done (a fence waits for it).
  Cycles write(uint32_t sm, const TraceLine& line, Cycles now);
  // When the last request read or changed its line: in its home, or a read in a copy.
  [[nodiscard]] Cycles done_at() const { return done_at_; }
  // When the copies are gone that the last store has invalidated, too.
  [[nodiscard]] Cycles settled() const { return settled_; }
  // How long the last write waited for its slices.
  [[nodiscard]] Cycles waited() const { return waited_; }
  // More bytes of partly written sectors, merged with a store that is still queued in the SM.
  void write_more(uint32_t sm, const TraceLine& line, Cycles now);
  // Atomics on sectors of a line, in a message of `bytes`. Returns when the old values are back.
  Cycles atomic(uint32_t sm, uint64_t line, uint32_t sectors, AtomicWork work, double bytes, Cycles now);

  // Of an atomic whose value is used, on a line whose home is in the SM's partition or in another.
  [[nodiscard]] Cycles atomic_latency(bool far) const {
    const Cycles near = p_.l2.atomic_latency != 0 ? p_.l2.atomic_latency : p_.l2.latency_near;
    return far && p_.l2.atomic_far_latency != 0 ? p_.l2.atomic_far_latency : near;
  }
  // How much longer the way is for atomics and fences to a line whose home is in another partition, and whether one of
  // these lines' is. (Measured on an H200: the same for both, and more than for reads.)
  [[nodiscard]] Cycles far_latency() const {
    return std::max(fabric_latency_, atomic_latency(true) - atomic_latency(false));
  }
  [[nodiscard]] bool any_far(uint32_t sm, std::span<const TraceLine> lines) const {
    return std::ranges::any_of(lines, [&](const TraceLine& l) { return home_of(l.number()) != near_[sm]; });
  }

  // Warps poll words of these lines, which others write: all that reads or changes such a line is done one after the
  // other, by the unit that does its atomics. (Measured on an H200: 132 to 1,056 threads that poll a word and arrive at
  // it by atomics.)
  void poll(std::span<const uint64_t> lines) { polled_.insert(lines); }

  // The L2 holds these lines, clean, when the launch begins, with copies in all partitions. The first store to one
  // waits for no invalidation. (Measured on an H100: kernels that read what the one before stored take as long as with
  // near lines; kernels that store to what the one before read take no longer than to other lines.)
  void warm(std::span<const uint64_t> lines);

  [[nodiscard]] const L2Counts& counts() const { return counts_; }
  [[nodiscard]] const Dram& dram() const { return dram_; }
  void record_dram(DramLog* log) { dram_.record_to(log); }
  [[nodiscard]] Cycles busiest_slice() const;
  [[nodiscard]] Cycles mean_slice() const;

 private:
  struct Slice {
    Server reads, writes;
  };
  struct AtomicUnit {
    BackfillServer server;
    uint64_t line = ~uint64_t{0};  // of the last request
    uint64_t read = ~uint64_t{0};  // the polled line that it has read since the last atomic
  };
  struct Place {
    uint32_t home, near;  // partitions: the line's and the SM's
    uint32_t home_slice, near_slice;
  };
  // Lines of a block have the same home partition.
  static constexpr uint64_t kBlockLines = 32;
  [[nodiscard]] uint32_t home_of(uint64_t line) const;
  // Of `count` slices of a partition, or of their atomic units, the one that serves a line.
  [[nodiscard]] uint32_t slot_of(uint64_t line, uint32_t count) const;
  [[nodiscard]] Place place(uint32_t sm, uint64_t line) const;
  // How much longer or shorter than the mean the way from an SM to a slice is.
  [[nodiscard]] Cycles distance(uint32_t sm, uint32_t slice) const {
    return distance_.empty() ? 0 : distance_[size_t{sm} * p_.l2.slices + slice];
  }
  // A read that joins no other in its coalescer.
  Cycles read_slices(uint32_t sm, uint64_t line, uint32_t sectors, Cycles now);
  // A read in the line's home partition; misses are filled from DRAM. Ports are reserved in request order
  // (`requested`), otherwise early reservations delay earlier requests. The read arrives `later`, and by then the port
  // has served those before it.
  Cycles read_at_home(const Place& place, uint64_t line, uint32_t sectors, Cycles requested, Cycles later,
                      uint32_t* hits);
  // A slice answers the requests of an SM in their order, and does its atomics behind its reads: when it can do what it
  // could do `at`.
  Cycles in_turn(uint32_t sm, uint32_t slice, Cycles at);
  Cycles take_read_port(uint32_t slice, uint32_t sectors, Cycles now);
  // A store from an SM of partition `from` has found copies of these sectors in other partitions, and invalidates them.
  void unsettle(uint64_t line, uint32_t sectors, uint32_t from, Cycles begin);
  // When a slice takes a request to this line that arrives at `now`. One to unsettled sectors waits, and all behind it.
  // `behind`: a request from an SM of this partition does not wait for a store from the same partition, behind which it
  // comes to the home.
  Cycles pass(uint32_t slice, uint64_t line, uint32_t sectors, Cycles now, uint32_t behind = ~0u);
  // Whether the part of the machine that is not simulated has fetched this line before.
  [[nodiscard]] bool fetched_by_others(uint64_t line) const;
  // The sectors that a fill fetches if these miss.
  [[nodiscard]] uint32_t fill_sectors(uint32_t missing) const;
  // Fills missing sectors. Returns when they arrive at the slice.
  Cycles fill(uint64_t line, uint32_t missing, Cycles now);
  // Reads or writes sectors of a line in DRAM.
  Cycles access_dram(uint64_t line, uint32_t sectors, bool write, Cycles now);
  void write_back(const Cache::Found& found, Cycles now);
  // The line just looked up at home is written. If too many lines are dirty, writes back the oldest.
  void make_dirty(uint32_t home, uint64_t line, bool was_dirty, Cycles now);
  // A sector of this line is partly written. If too many lines are, completes and writes back the oldest.
  void begin_part(uint32_t home, uint64_t line, Cycles now);

  Parameters p_;
  std::vector<Cache> caches_;    // by partition
  std::vector<uint32_t> near_;   // by SM: its partition
  std::vector<float> distance_;  // by SM and slice: cycles more or less than the mean; empty: all are equal
  Dram dram_;
  std::vector<Slice> slices_;
  std::vector<AtomicUnit> atomic_units_;
  // Moves data from one partition to another. Returns when it arrives.
  Cycles cross(uint32_t from, uint32_t to, double bytes, Cycles now);
  std::vector<Server> fabric_;    // by (from, to)
  std::vector<Cycles> answered_;  // by SM and slice: when the last request is done
  Cycles fabric_latency_ = 0;     // to another partition and back
  Cycles miss_latency_ = 0;       // latency of a miss beyond a hit
  struct Dirty {                  // packed into one word
    uint64_t line : 56;
    uint64_t home : 8;
  };
  std::deque<Dirty> dirty_;    // in the order of their first writes; may contain evicted lines
  std::deque<Dirty> partial_;  // in the order of their first partial writes; may contain completed lines
  uint64_t max_partial_lines_ = 0;
  uint64_t dirty_lines_ = 0, max_dirty_lines_ = 0;  // present; allowed
  // Outstanding reads, by a hash of the line.
  struct Pending {
    uint64_t line = ~uint64_t{0};
    float ready[4] = {};
    uint32_t requests = 0;  // reads that share it
  };
  static constexpr uint32_t kPending = 4096;           // of a coalescer
  [[nodiscard]] uint32_t group_of(uint32_t sm) const;  // its coalescer
  [[nodiscard]] size_t pending_of(uint32_t sm, uint64_t line) const;
  std::pmr::vector<Pending> pending_{huge_pages()};
  struct Unsettled {
    uint64_t line = ~uint64_t{0};
    Cycles until = 0;
    uint32_t sectors = 0, from = 0;
  };
  // A request to the line that reaches its home at `arrives`: how long it waits for others. 0: nobody polls the line.
  Cycles wait_in_line(const Place& place, uint64_t line, Cycles arrives);
  LineSet polled_;
  std::unordered_set<uint64_t> left_;  // lines with copies that earlier launches left
  static constexpr uint32_t kUnsettled = 16384;
  std::vector<Unsettled> unsettled_;  // by a hash of the line; empty if there is one partition
  std::vector<Cycles> blocked_;       // by slice: until when a request to an unsettled line blocks it
  Cycles settled_ = 0, waited_ = 0, done_at_ = 0;
  double written_bytes_ = 0;      // by stores and atomics, masks included
  uint64_t requested_pairs_ = 0;  // pairs of sectors that SMs requested
  L2Counts counts_;
};

}  // namespace drywarp::memory
