#include <fmt/format.h>

#include "faces/explain/draw/banks_over_time.h"

namespace drywarp::explain {
namespace {

std::string draw_rows(const DramRows& d, const Pen& pen) {
  const RowsQuery& q = d.query;
  const auto mark_wait = [&](TimeRow& row, const RowAccess& a) {
    if (a.kind == RowAccess::Kind::Conflict) row.mark(a.begin, a.precharged, 'P');
    if (a.kind != RowAccess::Kind::Hit) row.mark(a.precharged, a.activated, 'A');
    if (a.data - q.read > a.activated) row.mark(a.activated, a.data - q.read, '.');
    row.mark(a.data - q.read, a.data, 'r');
  };
  return draw_banks_over_time<RowAccess>(d.accesses, q.channels, q.banks, q.transfer, pen, mark_wait) +
         fmt::format(
             "    P precharge: closes a row   A activate: opens one   . waits for the bus\n    r read   {} "
             "burst on the bus\n",
             pen.block());
}

}  // namespace

std::string draw(const DramRows& d, const Pen& pen) {
  const RowsQuery& q = d.query;
  std::string out = fmt::format("DRAM of {} with {}, rows of {}: {}\n\n", plural(q.channels, "channel"),
                                plural(q.banks, "bank") + (q.channels > 1 ? " each" : ""),
                                plural(q.row_bursts, "burst"), to_string(q.pattern));
  out += draw_rows(d, pen) + '\n';
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
