// DRAM over time: a row of marks a bank, and one for the bus of each channel.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "faces/explain/draw/sketch.h"
#include "faces/explain/draw/time_row.h"

namespace drywarp::explain {

// `Access` has the channel, the bank, and the times at which its burst is on the bus, from `data` to `end`.
// `mark_wait(row, access)` draws what the bank does before that.
template <class Access, class MarkWait>
std::string draw_banks_over_time(std::span<const Access> accesses, uint32_t channels, uint32_t banks, double transfer,
                                 const Pen& pen, MarkWait mark_wait) {
  constexpr uint32_t kMostChannels = 4, kMostBanks = 24;
  double end = 0;
  for (const Access& a : accesses) end = std::max(end, a.end);
  const double scale = time_scale(end, transfer, pen);
  const auto width = static_cast<size_t>(std::ceil(end / scale));
  std::string out;
  for (uint32_t channel = 0; channel < std::min(channels, kMostChannels); ++channel) {
    if (channels > 1) out += fmt::format("  channel {}\n", channel);
    TimeRow bus(width, scale);
    for (uint32_t bank = 0; bank < banks; ++bank) {
      TimeRow row(width, scale);
      for (const Access& a : accesses) {
        if (a.channel != channel || a.bank != bank) continue;
        mark_wait(row, a);
        row.mark(a.data, a.end, TimeRow::kBurst), bus.mark(a.data, a.end, TimeRow::kBurst);
      }
      if (bank < kMostBanks) out += fmt::format("    bank {:>3} {}{}\n", bank, pen.bar(), row.text(pen));
    }
    if (banks > kMostBanks)
      out += fmt::format("           {}  {}\n", pen.more(), plural(banks - kMostBanks, "more bank"));
    out += fmt::format("    bus      {}{}\n", pen.bar(), bus.text(pen));
  }
  if (channels > kMostChannels)
    out += fmt::format("  {} {}\n", pen.more(), plural(channels - kMostChannels, "more channel"));
  return out + "    time      " + draw_time_axis(width, scale) + "\n\n";
}

}  // namespace drywarp::explain
