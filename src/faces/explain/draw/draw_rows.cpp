#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "faces/explain/draw/sketch.h"
#include "faces/explain/draw/time_row.h"

namespace drywarp::explain {
namespace {

constexpr uint32_t kDrawnChannels = 4, kDrawnBanks = 24;

std::string draw_banks_over_time(const DramRows& d, const Pen& pen) {
  const RowsQuery& q = d.query;
  double end = 0;
  for (const RowAccess& a : d.accesses) end = std::max(end, a.end);
  const double scale = time_scale(end, q.transfer, pen);
  const auto width = static_cast<size_t>(std::ceil(end / scale));
  std::string out;
  for (uint32_t channel = 0; channel < std::min(q.channels, kDrawnChannels); ++channel) {
    if (q.channels > 1) out += fmt::format("  channel {}\n", channel);
    TimeRow bus(width, scale);
    for (uint32_t bank = 0; bank < q.banks; ++bank) {
      TimeRow row(width, scale);
      for (const RowAccess& a : d.accesses) {
        if (a.channel != channel || a.bank != bank) continue;
        if (a.kind == RowAccess::Kind::Conflict) row.mark(a.begin, a.precharged, 'P');
        if (a.kind != RowAccess::Kind::Hit) row.mark(a.precharged, a.activated, 'A');
        if (a.data - q.read > a.activated) row.mark(a.activated, a.data - q.read, '.');
        row.mark(a.data - q.read, a.data, 'r');
        row.mark(a.data, a.end, TimeRow::kBurst), bus.mark(a.data, a.end, TimeRow::kBurst);
      }
      if (bank < kDrawnBanks) out += fmt::format("    bank {:>3} {}{}\n", bank, pen.bar(), row.text(pen));
    }
    if (q.banks > kDrawnBanks) out += fmt::format("           {}  {} more banks\n", pen.more(), q.banks - kDrawnBanks);
    out += fmt::format("    bus      {}{}\n", pen.bar(), bus.text(pen));
  }
  if (q.channels > kDrawnChannels)
    out += fmt::format("  {} {} more channels\n", pen.more(), q.channels - kDrawnChannels);
  out += "    time      " + draw_time_axis(width, scale) + '\n';
  return out + fmt::format(
                   "\n    P precharge: closes a row   A activate: opens one   . waits for the bus\n    r read   {} "
                   "burst on the bus\n",
                   pen.block());
}

}  // namespace

std::string draw(const DramRows& d, const Pen& pen) {
  const RowsQuery& q = d.query;
  std::string out = fmt::format("DRAM of {} with {}, rows of {}: {}\n\n", plural(q.channels, "channel"),
                                plural(q.banks, "bank") + (q.channels > 1 ? " each" : ""),
                                plural(q.row_bursts, "burst"), to_string(q.pattern));
  out += draw_banks_over_time(d, pen) + '\n';
  const auto part = [&](uint64_t count) {
    return percent(100 * static_cast<double>(count) / static_cast<double>(d.bursts));
  };
  const double open = q.read + q.transfer;
  return out + facts({
                   {"open row", fmt::format("{:g} = read {:g} + burst {:g}", open, q.read, q.transfer)},
                   {"closed row", fmt::format("{:g}: activate {:g} first", open + q.activate, q.activate)},
                   {"bank conflict", fmt::format("{:g}: another row is open, precharge {:g} and activate {:g} first",
                                                 open + q.activate + q.precharge, q.precharge, q.activate)},
                   {"bursts", fmt::format("{}: {} find their row open, {} conflict, {} find none", d.bursts,
                                          part(d.hits), part(d.conflicts), part(d.closed))},
                   {"bus", fmt::format("{} of the time busy", percent(100 * d.utilization))},
               });
}

}  // namespace drywarp::explain
