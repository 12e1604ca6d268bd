// The L2 cache: slices behind a crossbar, each with its own port and atomic unit, in front of DRAM. Write-back; a store
// of a whole sector needs no fill. An SM reaches the slices of its own partition sooner than those of another.
#pragma once

#include <vector>

#include "memsys/cache.h"
#include "memsys/dram.h"

namespace drywarp::memsys {

struct L2Counts {
  uint64_t read_sectors = 0, read_hits = 0;
  uint64_t write_sectors = 0, write_hits = 0;
  uint64_t atomic_sectors = 0;
};

class L2 {
 public:
  explicit L2(const Parameters& parameters);

  // Sectors (a mask) of a line, asked for by an SM at `now`: when the data leaves for the SM's side of the crossbar. On
  // an idle machine a hit's data is at the SM latency_near or latency_far after `now`.
  Cycles read(uint32_t sm, uint64_t line, uint32_t sectors, Cycles now);
  // When the store is done as far as the SM can know (a fence waits for it).
  Cycles write(uint32_t sm, uint64_t line, uint32_t sectors, Cycles now);
  // Atomics of `lanes` lanes on a line, at most `same` of them on one address. When the old values are back.
  Cycles atomic(uint32_t sm, uint64_t line, uint32_t sectors, uint32_t lanes, uint32_t same, Cycles now);

  [[nodiscard]] const L2Counts& counts() const { return counts_; }
  [[nodiscard]] const Dram& dram() const { return dram_; }
  [[nodiscard]] Cycles busiest_slice() const;
  [[nodiscard]] Cycles mean_slice() const;

 private:
  struct Slice {
    Server port, atomics;
  };
  [[nodiscard]] double latency(uint32_t sm, uint32_t slice) const;
  // The fill of missing sectors: when it has arrived at the slice.
  Cycles fill(uint64_t line, uint32_t missing, Cycles now);
  // Reads or writes back sectors of a line where the line lies in DRAM.
  Cycles access_dram(uint64_t line, uint32_t sectors, bool write, Cycles now);
  Cycles lookup(uint64_t line, uint32_t slice, uint32_t sectors, bool store, Cycles at, uint32_t* hits);

  Parameters p_;
  Cache cache_;
  Dram dram_;
  std::vector<Slice> slices_;
  L2Counts counts_;
};

}  // namespace drywarp::memsys
