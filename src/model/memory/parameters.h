// The numbers of a GPU that the model of the memory system needs, in cycles of the SM's clock. machine_model() reads
// them from a device file.
#pragma once

#include <array>
#include <cstdint>

namespace drywarp::memory {

// How the L2 computes an atomic: its units differ in time.
enum class AtomicKind : uint8_t { Integer, Float, Double };
inline constexpr size_t kAtomicKinds = 3;

struct L1Parameters {
  uint64_t bytes = 0;                // without shared memory
  uint32_t ways = 0;                 // lines a set
  uint32_t protects = 0;             // of them, that were used again: see cache.h
  double hit_latency = 0;            // from the tag lookup to the data
  double lines_per_cycle = 0;        // tag lookups
  double bytes_per_cycle = 0;        // data out of the cache
  double fill_bytes_per_cycle = 0;   // from L2 into one SM
  double fill_lines_per_cycle = 0;   // the same in lines; 0: no limit
  double store_bytes_per_cycle = 0;  // from one SM to L2
  double store_mask_bytes = 0;       // the byte mask that a line with a partly written sector needs on that path
  uint32_t store_merge_window = 0;   // this many following stores can merge with a queued store ...
  uint32_t store_merge_lines = 16;   // ... if it is among the last lines stored
  // ... and waits for the port, or until so many cycles have passed since the last that merged with it: the longer of
  // the least and of those for each line of the store.
  double store_merge_cycles = 0, store_merge_line_cycles = 0;
  double store_queue_cycles = 64;    // capacity of an SM's queue of stores: cycles of its port to L2
  double conflict_cycles = 1;        // of each further wavefront of a load that hits: its latency
  double warp_wavefront_cycles = 1;  // of each wavefront of such a load, until the same warp's next access begins
  bool bank_conflicts = false;       // lanes' words conflict as in shared memory
  bool unified = false;              // shared memory's wavefronts use the same data pipe
  bool caches_global = true;         // false: global loads bypass it (some of cc 3.x and 5.x)
  bool allocates_stores = true;
  bool allocates_local_stores = true;  // whole sectors; a sector that is stored in part is not there for loads
  bool fills_lines = false;            // a miss of one sector fills its whole line
  bool always_hits = false;            // loads find their sectors here: no GPU does
  bool loads_segments = false;         // no sectors: loads move aligned segments of 32, 64 or 128 bytes (before cc 2.0)
};

// Peak rates of a slice, per cycle; utilization is a percentage of them. 0: unknown.
struct L2Peaks {
  double requests = 0;     // looked up: one for each line that an SM or another partition requests
  double sectors = 0;      // looked up
  double sectors_out = 0;  // read by SMs
  double packets_in = 0;   // from SMs, of a sector's size: data, masks; a request for two sectors is half a packet
};

struct L2Parameters {
  uint64_t bytes = 0;
  uint32_t ways = 0;
  uint32_t slices = 0;
  uint32_t partitions = 1;            // each SM is near to one of them, which keeps copies of the others' lines
  double bytes_per_cycle = 0;         // reads of one slice
  double write_bytes_per_cycle = 0;   // writes of one slice, masks included; 0: the same as reads
  L2Peaks peaks{};                    // if known, utilization refers to them, else to the ports' rates
  double fabric_bytes_per_cycle = 0;  // from one partition to another; 0: no limit
  double lines_per_cycle = 0;         // lines that one slice reads; 0: no limit
  double latency_near = 0;            // of a load that hits, SM to SM
  double latency_far = 0;             // of the first load of a line with another home partition
  double sector_latency = 0;          // of each further sector of a load
  double latency_spread = 0;          // difference between the farthest and the nearest slice, in both
  uint32_t fill_bytes = 32;           // a miss reads this much from DRAM
  uint64_t partial_bytes = 0;         // capacity for lines with partly written sectors; 0: no limit
  uint64_t dirty_bytes = 0;           // capacity for dirty lines; 0: the whole cache
  double part_of_grid = 1;            // the simulated share of the grid: it may leave this share of L2 dirty
  // The share of its lines that the simulated slice fetches first. The rest of the machine fetches the others first.
  double first_fetch_share = 1;
  bool always_hits = false;      // reads find their sectors here: no GPU does
  uint32_t coalescers = 0;       // between SMs and slices: each merges its SMs' reads of the same sectors
  uint32_t coalesced = 0;        // reads that one request serves at most; 0: no limit
  double queue_cycles = 0;       // that stores wait in their slice; before these they wait in the SM. 0: no limit
  double coalescer_latency = 0;  // of a read to its coalescer, and of its data back
  uint32_t atomic_units = 0;     // 0: one a slice
  // Of one unit: a round with all words of a sector; a round with fewer (at least); a round behind one of the same
  // sector.
  std::array<double, kAtomicKinds> atomic_round_cycles{};
  double atomic_word_cycles = 0;
  std::array<double, kAtomicKinds> atomic_chain_cycles{};
  double atomic_forward_cycles = 0;  // of a round that the unit of a near slice passes on to the home partition
  // Of a line that warps poll: of the unit for a read (0: none), and for an atomic that comes behind one.
  double polled_read_cycles = 0, after_read_cycles = 0;
  double atomic_unit_share = 1;                       // the simulated slice's share of each unit's time
  double atomic_latency = 0, atomic_far_latency = 0;  // of one whose value is used, by the line's home; 0: as a load
};

struct DramParameters {
  uint32_t channels = 0;
  uint32_t banks = 0;  // a channel
  uint32_t row_bytes = 0;
  uint32_t burst_bytes = 0;
  double bytes_per_cycle = 0;   // of one channel, at the pins
  double latency = 0;           // of a load on an idle machine, SM to SM, row open: the mean, refreshes included
  double activate = 0;          // tRCD
  double precharge = 0;         // tRP
  double row_cycle = 0;         // tRC: activate to activate of one bank
  double turnaround = 0;        // of a channel's bus, from reads to writes or back
  double write_batch = 0;       // writes are collected until they take so long, and then drained together
  double refresh = 0;           // tRFC: how long a refresh blocks a bank
  double refresh_interval = 0;  // tREFI: each bank is refreshed once in it, one after the other; 0: never
  double refresh_share = 0;     // share of the bus's time that refreshes cost, as other banks do not hide them
  double reorder_window = 0;    // requests to one row within this time are served together
};

struct Parameters {
  uint32_t sms = 0;
  L1Parameters l1;
  L2Parameters l2;
  DramParameters dram;
};

}  // namespace drywarp::memory
