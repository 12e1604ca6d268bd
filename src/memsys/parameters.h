// What the model of the memory system needs to know of a GPU, in cycles of the SM's clock.
// Made from a device file by timing/machine_model.h; nothing here has a value of its own.
#pragma once

#include <cstdint>

namespace drywarp::memsys {

struct L1Parameters {
  uint64_t bytes = 0;                // what is left for the cache beside shared memory
  uint32_t ways = 0;                 // lines a set
  double hit_latency = 0;            // from the request's turn at the tags to the data
  double lines_per_cycle = 0;        // tags looked up
  double bytes_per_cycle = 0;        // data out of the cache
  double fill_bytes_per_cycle = 0;   // from L2 into one SM
  double store_bytes_per_cycle = 0;  // from one SM to L2
  bool caches_global = true;         // false: global loads go past it (some of cc 3.x and 5.x)
  bool allocates_stores = true;
};

struct L2Parameters {
  uint64_t bytes = 0;
  uint32_t ways = 0;
  uint32_t slices = 0;
  uint32_t partitions = 1;            // an SM is near to one of them
  double bytes_per_cycle = 0;         // of one slice
  double latency_near = 0;            // a load's whole way, SM to SM, on a hit
  double latency_far = 0;             // ... in another partition
  uint32_t fill_bytes = 32;           // a miss reads so much from DRAM
  double atomic_cycles_same = 0;      // between two atomics on one address
  double atomic_lanes_per_cycle = 0;  // of one slice
  double atomic_latency = 0;
};

struct DramParameters {
  uint32_t channels = 0;
  uint32_t banks = 0;  // a channel
  uint32_t row_bytes = 0;
  uint32_t burst_bytes = 0;
  double bytes_per_cycle = 0;  // of one channel, at the pins
  double latency = 0;          // a load's whole way, SM to SM, row open and nobody else there
  double activate = 0;         // tRCD
  double precharge = 0;        // tRP
  double row_cycle = 0;        // tRC: activate to activate of one bank
  double turnaround = 0;       // read to write and back, once
  double refresh_share = 0;    // of all time: tRFC / tREFI
  double reorder_window = 0;   // requests to one row within this time are served together
};

struct Parameters {
  uint32_t sms = 0;
  L1Parameters l1;
  L2Parameters l2;
  DramParameters dram;
};

}  // namespace drywarp::memsys
