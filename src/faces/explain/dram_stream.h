// A stream of accesses to a device's DRAM: row hits, balance over channels and banks, bandwidth and peak. Warps read
// elements in the pattern's order. Kernels are timed with the same model of L2 and DRAM (model/memory/l2.h).
#pragma once

#include <optional>

#include "base/device/device_spec.h"
#include "faces/explain/dram_timeline.h"
#include "model/memory/dram.h"

namespace drywarp::explain {

struct StreamQuery {
  StreamPattern pattern;                    // of elements
  unsigned bytes = 4;                       // an element
  uint64_t elements = 1u << 21;             // to read
  std::optional<uint32_t> channels, banks;  // instead of the device's own
};

// The distribution of bytes over channels, or over the banks of all channels.
struct Spread {
  std::vector<double> bytes;
  [[nodiscard]] double mean() const;
  [[nodiscard]] double busiest() const;
  // Mean / busiest: 1 if all move the same.
  [[nodiscard]] double balance() const { return busiest() > 0 ? mean() / busiest() : 1; }
};

struct DramStream {
  StreamQuery query;
  std::string device;
  memory::DramParameters dram;
  double sm_clock_hz = 0;
  uint64_t wanted_bytes = 0;  // elements x bytes
  uint64_t moved_bytes = 0;   // by DRAM
  uint64_t row_hits = 0, row_misses = 0;
  uint64_t bank_conflicts = 0;  // misses in a bank that had another row open
  Spread channels, banks;
  double seconds = 0;
  double peak_bytes_per_second = 0;
  [[nodiscard]] double bytes_per_second() const { return seconds > 0 ? static_cast<double>(moved_bytes) / seconds : 0; }
  [[nodiscard]] double row_hit_rate() const;  // 0 to 1
  // Nanoseconds to close a row and open another, of a burst on the bus, between two activations in a bank.
  double open_row_ns = 0, burst_ns = 0, row_cycle_ns = 0;
  uint32_t banks_needed = 0;  // that keep a channel's bus busy if every access opens a row: R + 1
};

// Errors: what the device's file lacks; sizes that make no sense.
Result<DramStream> explain_stream(const StreamQuery& query, const device::DeviceSpec& device);

}  // namespace drywarp::explain
