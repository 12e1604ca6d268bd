// A machine of two multiprocessors, small enough for its answers to be known.
#pragma once

#include <vector>

#include "model/memory/memory_system.h"

namespace drywarp::memory {

inline Parameters small() {
  Parameters p;
  p.sms = 2;
  p.l1 = {.bytes = 16384,
          .ways = 4,
          .hit_latency = 30,
          .lines_per_cycle = 1,
          .bytes_per_cycle = 128,
          .fill_bytes_per_cycle = 64,
          .store_bytes_per_cycle = 64};
  p.l2 = {.bytes = 1 << 20,
          .ways = 16,
          .slices = 4,
          .partitions = 1,
          .bytes_per_cycle = 32,
          .latency_near = 200,
          .latency_far = 200,
          .fill_bytes = 32,
          .atomic_round_cycles = {2, 2, 2},
          .atomic_chain_cycles = {2, 2, 2},
          .atomic_latency = 0};
  p.dram = {.channels = 4,
            .banks = 16,
            .row_bytes = 1024,
            .burst_bytes = 32,
            .bytes_per_cycle = 8,
            .latency = 400,
            .activate = 20,
            .precharge = 20,
            .row_cycle = 60,
            .turnaround = 0,
            .refresh_share = 0,
            .reorder_window = 100};
  return p;
}

inline std::vector<TraceLine> whole_line(uint64_t line) { return {TraceLine::of(line * kLineBytes, 15)}; }

// Two halves of the L2; the first read of a line in the far half takes 300 cycles.
inline Parameters halves() {
  Parameters p = small();
  p.l2.partitions = 2;
  p.l2.latency_far = 300;
  p.l2.fabric_bytes_per_cycle = 16;
  return p;
}

}  // namespace drywarp::memory
