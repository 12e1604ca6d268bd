// DRAM as the course draws it: an access first waits for the bank's cells (latency), then moves its burst over the
// channel's bus (transfer). One bank leaves the bus idle most of the time; R + 1 banks keep it busy where the latency
// is R transfers (course A2). The times come from model/memory/dram.h, with which kernels are profiled.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"

namespace drywarp::explain {

// In which order addresses are asked for. Units: bursts in a timeline, elements in a stream (dram_stream.h).
struct StreamPattern {
  enum class Kind : uint8_t { Sequential, Stride, Random } kind = Kind::Sequential;
  uint64_t stride = 1;
  // The unit that the `index`-th access is for, below `units` for Random; the same every time.
  [[nodiscard]] uint64_t at(uint64_t index, uint64_t units) const;
};
// "sequential", "stride 4" (also "stride:4" or "stride=4"), "random".
Result<StreamPattern> parse_stream_pattern(std::string_view text);
[[nodiscard]] std::string to_string(const StreamPattern& pattern);

struct TimelineQuery {
  double latency = 20, transfer = 1;  // of any unit of time
  uint32_t banks = 1, channels = 1;   // banks: of a channel
  StreamPattern pattern;  // bursts lie interleaved over channels first, then over banks; each in a row of its own
  double bus_bits = 64, clock_ghz = 1;  // of a channel; two transfers a clock
  std::vector<double> wanted_gbs;       // bandwidths that somebody wants
};

struct TimelineAccess {
  uint64_t burst = 0;
  uint32_t channel = 0, bank = 0;
  double begin = 0, data = 0, end = 0;  // the cells are asked; the burst goes over the bus
};

struct DramTimeline {
  TimelineQuery query;
  std::vector<TimelineAccess> accesses;  // the first, enough to see the pattern repeat
  // In the long run.
  double utilization = 0;             // of all channels' buses, 0 to 1
  std::vector<double> channel_share;  // of the bursts
  double one_bank_utilization = 0;    // a channel with one bank, bursts in order
  uint32_t banks_needed = 0;          // a channel's bus is always busy, bursts in order
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
