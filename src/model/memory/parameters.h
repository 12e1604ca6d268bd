// What the model of the memory system needs to know of a GPU, in cycles of the SM's clock.
// Made from a device file by model/machine/machine_model.h; nothing here has a value of its own.
#pragma once

#include <cstdint>

namespace drywarp::memory {

struct L1Parameters {
  uint64_t bytes = 0;                // what is left for the cache beside shared memory
  uint32_t ways = 0;                 // lines a set
  double hit_latency = 0;            // from the request's turn at the tags to the data
  double lines_per_cycle = 0;        // tags looked up
  double bytes_per_cycle = 0;        // data out of the cache
  double fill_bytes_per_cycle = 0;   // from L2 into one SM
  double fill_lines_per_cycle = 0;   // ... at most; 0: no limit of its own
  double store_bytes_per_cycle = 0;  // from one SM to L2
  double store_mask_bytes = 0;       // on that way, beside its sectors: a line of which one is written in part
  uint32_t store_merge_window = 0;   // sectors that wait to leave are joined by those of so many stores behind
  bool bank_conflicts = false;       // lanes' words conflict as in shared memory
  bool unified = false;              // shared memory's wavefronts take the same data pipe
  bool caches_global = true;         // false: global loads go past it (some of cc 3.x and 5.x)
  bool allocates_stores = true;
  bool fills_lines = false;     // a miss of one sector brings its whole line
  bool loads_segments = false;  // no sectors: loads move aligned segments of 32, 64 or 128 bytes (before cc 2.0)
};

// The most that a slice does in a cycle: what its utilization is a percentage of. 0: unknown.
struct L2Peaks {
  double requests = 0;     // looked up: one for a line that an SM or another partition asks for
  double sectors = 0;      // looked up
  double sectors_out = 0;  // read by SMs
  double packets_in = 0;   // from SMs, of a sector's size: sectors, masks; a request for two sectors is half of one
};

struct L2Parameters {
  uint64_t bytes = 0;
  uint32_t ways = 0;
  uint32_t slices = 0;
  uint32_t partitions = 1;            // an SM is near to one of them, which keeps copies of the others' lines
  double bytes_per_cycle = 0;         // of one slice, read
  double write_bytes_per_cycle = 0;   // of one slice, written, masks included; 0: as read
  L2Peaks peaks{};                    // if known, utilization is of them and not of the ports' rates
  double fabric_bytes_per_cycle = 0;  // from one partition to another; 0: no limit of its own
  double lines_per_cycle = 0;         // of one slice: lines of which sectors are read; 0: no limit of its own
  double latency_near = 0;            // a load's whole way, SM to SM, on a hit
  double latency_far = 0;             // ... the first time, if the line belongs to another partition
  double latency_spread = 0;          // of both: so much more to the farthest slice than to the nearest
  uint32_t fill_bytes = 32;           // a miss reads so much from DRAM
  uint64_t partial_bytes = 0;  // lines with sectors that were written in part wait so long for the rest; 0: no end
  uint64_t dirty_bytes = 0;    // lines that were written and wait for it; 0: as many as there are
  double part_of_grid = 1;     // that is simulated here: it may leave so much of the L2 written and not written back
  // Of the lines that are read here, so many are asked for here first: the parts of a machine that are not simulated
  // come first with the rest.
  double first_asked_share = 1;
  uint32_t coalescers = 0;         // between SMs and slices: each joins its SMs' reads of the same sectors
  uint32_t coalesced = 0;          // ... so many at most; 0: all
  uint32_t atomic_units = 0;       // 0: one a slice
  double atomic_round_cycles = 0;  // of one unit: atomics of a request on different words of one sector
  double atomic_unit_share = 1;    // those who ask have so much of each unit's time
  double atomic_latency = 0;
};

struct DramParameters {
  uint32_t channels = 0;
  uint32_t banks = 0;  // a channel
  uint32_t row_bytes = 0;
  uint32_t burst_bytes = 0;
  double bytes_per_cycle = 0;  // of one channel, at the pins
  double latency = 0;     // a load's whole way, SM to SM, row open and nobody else there: the mean, refreshes in it
  double activate = 0;    // tRCD
  double precharge = 0;   // tRP
  double row_cycle = 0;   // tRC: activate to activate of one bank
  double turnaround = 0;  // read to write and back, once
  double refresh = 0;     // tRFC: a bank that is refreshed serves nobody for so long ...
  double refresh_interval = 0;  // ... once in tREFI, the banks of a channel in turn; 0: never
  double refresh_share = 0;     // of the bus's time, that others' banks do not hide
  double reorder_window = 0;    // requests to one row within this time are served together
};

struct Parameters {
  uint32_t sms = 0;
  L1Parameters l1;
  L2Parameters l2;
  DramParameters dram;
};

}  // namespace drywarp::memory
