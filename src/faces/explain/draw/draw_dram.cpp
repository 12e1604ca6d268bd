#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "faces/explain/draw/banks_over_time.h"

namespace drywarp::explain {
namespace {

std::string draw_channels(const DramTimeline& t, const Pen& pen) {
  const TimelineQuery& q = t.query;
  const auto mark_wait = [](TimeRow& row, const TimelineAccess& a) { row.mark(a.begin, a.data, '-'); };
  return draw_banks_over_time<TimelineAccess>(t.accesses, q.channels, q.banks, q.transfer, pen, mark_wait) +
         fmt::format("    {} waiting for the cells   {} moving the burst\n", repeat(pen.line(), 3), pen.block());
}

std::string gbs(double value) {
  return value >= 100 ? fmt::format("{:.0f} GB/s", value)
                      : fmt::format("{:.{}f} GB/s", value, value == std::floor(value) ? 0 : 2);
}

}  // namespace

std::string draw(const DramTimeline& t, const Pen& pen) {
  const TimelineQuery& q = t.query;
  std::string out = fmt::format(
      "DRAM of {} with {}, latency : transfer = {:g} : {:g}, {} bursts\n\n", plural(q.channels, "channel"),
      plural(q.banks, "bank") + (q.channels > 1 ? " each" : ""), q.latency, q.transfer, to_string(q.pattern));
  out += draw_channels(t, pen) + '\n';
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("a channel's peak", fmt::format("{} ({:g} bits, 2 transfers a clock at {:g} GHz)",
                                                    gbs(t.channel_gbs), q.bus_bits, q.clock_ghz));
  rows.emplace_back("one bank", fmt::format("{} of the bus's time = {} of {}", percent(100 * t.one_bank_utilization),
                                            gbs(t.one_bank_gbs), gbs(t.channel_gbs)));
  if (q.banks > 1 || q.channels > 1)
    rows.emplace_back("as drawn", fmt::format("{} of the time = {} of {}", percent(100 * t.utilization), gbs(t.gbs),
                                              gbs(t.channel_gbs * q.channels)));
  if (q.banks > 1)
    rows.emplace_back("bank conflicts", fmt::format("{} of the bursts want the bank of the burst before them",
                                                    percent(100 * t.conflict_share)));
  rows.emplace_back("banks for a busy bus",
                    t.banks_needed == 0 ? "more than 16384"
                                        : fmt::format("{} (R : 1 = {:g} : 1 needs R + 1)", t.banks_needed, t.ratio()));
  for (const DramTimeline::Wanted& w : t.wanted)
    rows.emplace_back(fmt::format("for {:g} GB/s", w.gbs), plural(w.channels, "channel"));
  out += facts(rows);
  const double most = *std::ranges::max_element(t.channel_share);
  const double mean = 1.0 / q.channels;
  if (q.channels > 1)
    out += fmt::format("\n  bursts by channel {}{}{}  the busiest has {:.2f} times its share\n", pen.bar(),
                       heights(t.channel_share, most, pen), pen.bar(), most / mean);
  return out;
}

std::string draw(const DramStream& s, const Pen& pen) {
  const memory::DramParameters& p = s.dram;
  std::string out =
      fmt::format("DRAM of {}: warps read {} of {}, {}\n\n", s.device, plural(s.query.elements, "element"),
                  plural(s.query.bytes, "byte"), to_string(s.query.pattern));
  const auto share = [](uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  };
  out += fmt::format("  bytes by channel  {}{}{}\n", pen.bar(), heights(s.channels.bytes, s.channels.busiest(), pen),
                     pen.bar());
  out += fmt::format("  bytes by bank     {}{}{}\n\n", pen.bar(), heights(s.banks.bytes, s.banks.busiest(), pen),
                     pen.bar());
  out += facts({
      {"channels", fmt::format("{} of {:.1f} GB/s", p.channels, s.peak_bytes_per_second / 1e9 / p.channels)},
      {"banks", fmt::format("{} a channel, rows of {} bytes, bursts of {}", p.banks, p.row_bytes, p.burst_bytes)},
      {"a closed row",
       fmt::format("{:.1f} ns to open, {:.1f} ns until the bank opens another", s.open_row_ns, s.row_cycle_ns)},
      {"a burst", fmt::format("{:.2f} ns on the bus: closed rows alone need {} banks to keep it busy", s.burst_ns,
                              s.banks_needed)},
      {"bytes", fmt::format("{} wanted, {} moved: {}", s.wanted_bytes, s.moved_bytes,
                            percent(share(s.wanted_bytes, s.moved_bytes)))},
      {"row hits",
       fmt::format("{} of {} = {}", s.row_hits, s.row_hits + s.row_misses, percent(100 * s.row_hit_rate()))},
      {"bank conflicts", fmt::format("{}: accesses to a bank that had another row open", s.bank_conflicts)},
      {"channel balance", fmt::format("{} (mean of busiest)", percent(100 * s.channels.balance()))},
      {"bank balance", fmt::format("{}", percent(100 * s.banks.balance()))},
      {"bandwidth",
       fmt::format("{:.0f} GB/s of {:.0f} = {}; wanted bytes: {:.0f} GB/s", s.bytes_per_second() / 1e9,
                   s.peak_bytes_per_second / 1e9, percent(100 * s.bytes_per_second() / s.peak_bytes_per_second),
                   s.seconds > 0 ? static_cast<double>(s.wanted_bytes) / s.seconds / 1e9 : 0)},
  });
  return out;
}

}  // namespace drywarp::explain
