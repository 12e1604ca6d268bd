// DRAM as the course draws it: an access waits for the bank's cells (latency), then its burst occupies the channel's
// bus (transfer). With one bank the bus is mostly idle; with a latency of R transfers, R + 1 banks keep it busy (course
// A2). Kernels are timed with the same model (model/memory/dram.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"

namespace drywarp::explain {

// The order of accesses. Units: bursts in a timeline, elements in a stream (dram_stream.h).
struct StreamPattern {
  enum class Kind : uint8_t { Sequential, Stride, Random } kind = Kind::Sequential;
  uint64_t stride = 1;
  // The unit of the `index`-th access, below `units` for Random; deterministic.
  [[nodiscard]] uint64_t at(uint64_t index, uint64_t units) const;
};
// "sequential", "stride 4" (also "stride:4" or "stride=4"), "random".
Result<StreamPattern> parse_stream_pattern(std::string_view text);
[[nodiscard]] std::string to_string(const StreamPattern& pattern);

struct TimelineQuery {
  double latency = 20, transfer = 1;    // in any unit of time
  uint32_t banks = 1, channels = 1;     // banks: per channel
  StreamPattern pattern;                // bursts are interleaved over channels, then over banks; each opens a row
  double bus_bits = 64, clock_ghz = 1;  // of a channel; two transfers a clock
  std::vector<double> wanted_gbs;       // bandwidths to reach
};

struct TimelineAccess {
  uint64_t burst = 0;
  uint32_t channel = 0, bank = 0;
  double begin = 0, data = 0, end = 0;  // the bank's latency lasts until `data`, the burst until `end`
};

struct DramTimeline {
  TimelineQuery query;
  std::vector<TimelineAccess> accesses;  // the first ones, enough to show the pattern repeat
  // In the long run.
  double utilization = 0;             // of all channels' buses, 0 to 1
  std::vector<double> channel_share;  // of the bursts
  double conflict_share = 0;          // bursts to the bank of the burst before them in their channel, 0 to 1
  double one_bank_utilization = 0;    // a channel with one bank, bursts in order
  uint32_t banks_needed = 0;          // to keep a channel's bus busy, bursts in order
  double channel_gbs = 0;             // a channel's peak, GB/s
  double gbs = 0, one_bank_gbs = 0;   // GB/s, of all channels; of a channel with one bank
  struct Wanted {
    double gbs = 0;
    uint32_t channels = 0;  // at their peak
  };
  std::vector<Wanted> wanted;
  [[nodiscard]] double ratio() const { return query.latency / query.transfer; }
};

// Errors: a time that is not positive, more than 1024 banks or channels.
Result<DramTimeline> explain_timeline(const TimelineQuery& query);

}  // namespace drywarp::explain
