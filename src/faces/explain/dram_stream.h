// What a stream of accesses does to a device's DRAM: row hits, balance over channels and banks, bandwidth against peak.
// Warps read elements in the pattern's order; L2 and DRAM are model/memory/l2.h's, with which kernels are timed.
#pragma once

#include <optional>

#include "base/device/device_spec.h"
#include "faces/explain/dram_timeline.h"
#include "model/memory/dram.h"

namespace drywarp::explain {

struct StreamQuery {
  StreamPattern pattern;                    // of elements
  unsigned bytes = 4;                       // an element
  uint64_t elements = 1u << 21;             // that are read
  std::optional<uint32_t> channels, banks;  // instead of the device's own
};

// How evenly something is spread: by channel, or by bank of all channels.
struct Spread {
  std::vector<double> bytes;
  [[nodiscard]] double mean() const;
  [[nodiscard]] double busiest() const;
  // Of the busiest one's work the mean: 1 if all do the same.
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
  Spread channels, banks;
  double seconds = 0;
  double peak_bytes_per_second = 0;
  [[nodiscard]] double bytes_per_second() const { return seconds > 0 ? static_cast<double>(moved_bytes) / seconds : 0; }
  [[nodiscard]] double row_hit_rate() const;  // 0 to 1
  // In nanoseconds: to close a row and open another; a burst on a channel's bus; from one row to the next of a bank.
  double open_row_ns = 0, burst_ns = 0, row_cycle_ns = 0;
  uint32_t banks_needed = 0;  // so that closed rows' bursts keep a channel busy: R + 1
};

// Errors: what the device's file lacks; sizes that make no sense.
Result<DramStream> explain_stream(const StreamQuery& query, const device::DeviceSpec& device);

}  // namespace drywarp::explain
