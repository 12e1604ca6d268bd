#include <fmt/format.h>

#include "faces/explain/draw/sketch.h"

namespace drywarp::explain {
namespace {

std::string bytes_text(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB"};
  auto value = static_cast<double>(bytes);
  unsigned unit = 0;
  while (value >= 1024 && unit < 3) value /= 1024, ++unit;
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

std::string share(uint64_t part, uint64_t whole) {
  return whole == 0 ? "-" : percent(100 * static_cast<double>(part) / static_cast<double>(whole));
}

// Why the later passes hit L1 or not.
std::string l1_text(const CacheExplanation& e) {
  if (e.l1_bytes == 0) return "L1: this device has none for global loads";
  if (e.past_l1) return "L1: global loads bypass it on this device; L2 is the first level that keeps their data";
  std::string out = fmt::format("L1: {} hold data", bytes_text(e.l1_bytes));
  for (const MemoryLevel& level : e.levels)
    if (level.name.starts_with("L1") && level.bytes && *level.bytes != e.l1_bytes)
      out += fmt::format(" (of {}; shared memory has the rest)", bytes_text(*level.bytes));
  if (e.query.multiprocessors > 1) return out;
  if (e.query.size <= e.l1_bytes) return out + fmt::format("; {} fit", bytes_text(e.query.size));
  out += fmt::format("; {} do not fit", bytes_text(e.query.size));
  if (e.passes.size() > 1 && e.passes.back().l1_hits == 0)
    out += ".\n  The line used longest ago is evicted: read in order, each is gone before its next turn";
  return out;
}

}  // namespace

std::string draw(const CacheExplanation& e, const Pen& pen) {
  std::string out = fmt::format("Memory of {}\n\n  {} {} {:>10} {:>12}  {}\n", e.device, left("level", 23),
                                left("of a", 15), "size", "line", "latency");
  for (const MemoryLevel& level : e.levels) {
    std::string latency = level.latency ? fmt::format("{:g} cycles", *level.latency) : "-";
    if (level.far_latency) latency += fmt::format(", far {:g}", *level.far_latency);
    out += fmt::format("  {} {} {:>10} {:>12}  {}\n", left(level.name, 23), left(level.of, 15),
                       level.bytes ? bytes_text(*level.bytes) : "-",
                       level.line_bytes ? fmt::format("{} bytes", *level.line_bytes) : "-", latency);
  }
  out += "  (-: its file has no number)\n\n";
  out += fmt::format("{} read {} by {}, elements of {}, {}:\n", bytes_text(e.query.size),
                     plural(e.query.passes, "time"), plural(e.query.multiprocessors, "multiprocessor"),
                     plural(e.query.bytes, "byte"), to_string(e.query.pattern));
  if (e.passes.empty()) return out + "  not run: " + e.why_not + '\n';
  out += fmt::format("\n  pass  L1 hits  {}  L2 hits  {}  from DRAM  row hits  cycles a load\n", left("", 20),
                     left("", 20));
  const auto bar = [&](uint64_t part, uint64_t whole) {
    const size_t filled = whole == 0 ? 0 : static_cast<size_t>((part * 20 + whole / 2) / whole);
    return repeat(pen.block(), filled) + repeat(pen.dot(), 20 - filled);
  };
  for (size_t i = 0; i < e.passes.size(); ++i) {
    const CachePass& p = e.passes[i];
    out +=
        fmt::format("  {:>4}  {:>7}  {}  {:>7}  {}  {:>9}  {:>8}  {:>13.1f}\n", i + 1, share(p.l1_hits, p.l1_sectors),
                    bar(p.l1_hits, p.l1_sectors), share(p.l2_hits, p.l2_sectors), bar(p.l2_hits, p.l2_sectors),
                    bytes_text(p.dram_bytes), share(p.row_hits, p.row_hits + p.row_misses), p.mean_latency);
  }
  out += fmt::format("\n  {}.\n", l1_text(e));
  out +=
      "  Modelled: each multiprocessor waits for a warp's load before it issues the next; caches are cold at "
      "first.\n";
  for (const machine::StandIn& s : e.stand_ins)
    out += fmt::format("  {} is not published; stand-in: {}.\n", s.number, s.by);
  return out;
}

}  // namespace drywarp::explain
