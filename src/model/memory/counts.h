// Counters of the caches and DRAM.
#pragma once

#include <cstdint>

namespace drywarp::memory {

struct L1Counts {
  uint64_t load_sectors = 0, load_hits = 0;
  uint64_t store_sectors = 0, store_hits = 0;
  uint64_t atomic_sectors = 0;
};

// Sectors looked up, by SMs and by other partitions. An atomic's sector counts once for each round, as on an H200
// (lts__t_sectors_op_red of 33,792 warps' reductions on one word: 32 each, plus half as many between partitions).
struct L2Counts {
  uint64_t read_sectors = 0, read_hits = 0;
  uint64_t write_sectors = 0, write_hits = 0;
  uint64_t atomic_sectors = 0;
  uint64_t fabric_read_sectors = 0, fabric_read_hits = 0;  // between partitions
  uint64_t fabric_write_sectors = 0, fabric_atomic_sectors = 0;
  uint64_t requests = 0;  // lines looked up, by SMs and by other partitions
};

struct DramCounts {
  uint64_t read_bytes = 0, write_bytes = 0;
  uint64_t row_hits = 0, row_misses = 0;
};

}  // namespace drywarp::memory
