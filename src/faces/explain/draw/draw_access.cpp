#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "faces/explain/draw/sketch.h"

namespace drywarp::explain {
namespace {

constexpr unsigned kWordsASector = kSectorBytes / 4;
constexpr size_t kMostRows = 20, kFirstRows = 12, kLastRows = 2;  // of sectors; more are omitted in the middle

struct SectorRow {
  int64_t sector = 0;
  LaneMask words[kWordsASector] = {};  // lanes that access a byte of the word
};

std::vector<SectorRow> sector_rows(const LaneAccesses& lanes, unsigned bytes) {
  std::map<int64_t, SectorRow> rows;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((lanes.active >> lane & 1) == 0) continue;
    const auto first = static_cast<int64_t>(lanes.addresses[lane]);
    for (int64_t byte = first; byte < first + bytes; ++byte) {
      const int64_t sector = byte >> 5;
      SectorRow& row = rows[sector];
      row.sector = sector;
      row.words[static_cast<uint64_t>(byte) / 4 % kWordsASector] |= 1u << lane;
    }
  }
  std::vector<SectorRow> out;
  for (const auto& [sector, row] : rows) out.push_back(row);
  return out;
}

std::string device_text(const AccessExplanation& e) {
  if (e.coalesced_lanes) {
    std::string segments;
    uint64_t bytes = 0;
    for (const auto& [size, count] : e.segments) {
      segments += fmt::format("{}{} of {}", segments.empty() ? "" : ", ", count, plural(size, "byte"));
      bytes += uint64_t{size} * count;
    }
    return fmt::format("{} lanes at a time: segments: {} = {} bytes moved", *e.coalesced_lanes, segments, bytes);
  }
  if (!e.line_bytes && !e.moved_bytes) return "its file has neither the line size nor the sector size of L1";
  std::string out = e.past_l1 ? "global loads bypass L1, " : "";
  if (e.line_bytes) out += fmt::format("lines of {} bytes", *e.line_bytes);
  if (!e.moved_bytes) return out + "; its file does not have the sector size";
  out += fmt::format("{}{} bytes at a time", e.line_bytes ? ", filled " : "filled ", *e.moved_bytes);
  if (e.device_pieces)
    out += fmt::format(": {} = {} bytes moved", plural(*e.device_pieces, "piece"),
                       uint64_t{*e.device_pieces} * *e.moved_bytes);
  return out;
}

}  // namespace

std::string verdict_text(const WarpAccess& access, unsigned bytes) {
  const GlobalAccess& cost = access.cost;
  const std::string sectors = plural(cost.sectors, "sector"),
                    wanted = percent(100.0 * cost.unique_bytes / (cost.sectors * kSectorBytes));
  const uint32_t packed = packed_sectors(cost.unique_bytes);
  switch (verdict_of(access, bytes)) {
    case Verdict::Coalesced:
      return fmt::format("Coalesced: {} of {}, {} of their bytes are wanted.", sectors, packed, wanted);
    case Verdict::Broadcast:
      return fmt::format("Broadcast: all lanes want one element: {}, {} of its bytes are wanted.", sectors, wanted);
    case Verdict::Misaligned:
      return fmt::format("Misaligned: {} where {} would do; the lanes' data are contiguous, but begin inside a sector.",
                         sectors, packed);
    case Verdict::Uncoalesced:
      break;
  }
  return fmt::format("Not coalesced: {} where {} would do, {} of their bytes are wanted.", sectors, packed, wanted);
}

std::string draw_sectors(const LaneAccesses& accesses, unsigned bytes, const Pen& pen) {
  const std::vector<SectorRow> rows = sector_rows(accesses, bytes);
  bool shared = false;
  for (const SectorRow& row : rows)
    for (const LaneMask lanes : row.words) shared = shared || std::popcount(lanes) > 1;
  const size_t width = shared ? 5 : 3;
  const auto bytes_of = [&](const SectorRow& row) {
    return fmt::format("{}{}{}", row.sector * kSectorBytes, pen.to(), (row.sector + 1) * kSectorBytes - 1);
  };
  size_t widest = 5;
  for (const SectorRow& row : rows) widest = std::max(widest, bytes_of(row).size() - (pen.unicode ? 2 : 0));

  std::string out = "    line  sector  " + left("bytes", widest) + "   lanes that want each 4-byte word\n";
  int64_t last_line = 0;
  bool first = true;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows.size() > kMostRows && i == kFirstRows) {
      out += fmt::format("       {}       {}  {}\n", pen.more(), pen.more(),
                         plural(rows.size() - kFirstRows - kLastRows, "more sector"));
      i = rows.size() - kLastRows;
    }
    const int64_t line = rows[i].sector >> 2;
    const bool new_line = first || line != last_line;
    first = false, last_line = line;
    out += fmt::format("  {:>6}  {:>6}  {} {}", new_line ? fmt::format("{}", line) : "", rows[i].sector,
                       left(bytes_of(rows[i]), widest), pen.bar());
    for (const LaneMask lanes : rows[i].words) out += right(cell(lanes, width, pen), width + 1);
    out += fmt::format(" {}\n", pen.bar());
  }
  return out;
}

std::string draw(const AccessExplanation& e, const Pen& pen) {
  const unsigned active = std::popcount(e.shown.lanes.active);
  std::string out =
      fmt::format("{}, {} a thread, block {}, grid {}\n\nWarp {} of block {}: ", e.text, plural(e.bytes, "byte"),
                  to_string(e.launch.block), to_string(e.launch.grid), e.shown.warp, e.shown.block);
  if (active == 0) return out + "no lane takes part: no request.\n";
  out += verdict_text(e.shown, e.bytes) + "\n\n" + draw_sectors(e.shown.lanes, e.bytes, pen) + '\n';
  const GlobalAccess& cost = e.shown.cost;
  std::string pieces;
  for (const Pieces& p : e.shown.pieces)
    pieces += fmt::format("{}{} of {} bytes", pieces.empty() ? "" : ", ", p.touched, p.bytes);
  out += facts({
      {"requests", fmt::format("1; without coalescing {}, one a lane", active)},
      {"aligned pieces touched", pieces},
      {"elements", e.shown.words == active ? "one a lane"
                                           : fmt::format("{} for {} lanes: lanes share them", e.shown.words, active)},
      {"bytes", fmt::format("{} wanted, {} moved: {}", cost.unique_bytes, cost.sectors * kSectorBytes,
                            percent(100.0 * cost.unique_bytes / (cost.sectors * kSectorBytes)))},
      {e.device, device_text(e)},
  });
  if (e.warps == 1) return out;
  std::string spread;
  for (const auto& [sectors, warps] : e.warps_by_sectors)
    if (spread.size() < 100)
      spread += fmt::format("{}{}{} {}", spread.empty() ? "" : ", ", warps, pen.times(), sectors);
    else if (!spread.ends_with("..."))
      spread += " ...";
  out += fmt::format("\nAll {}{}\n", plural(e.warps, "warp"),
                     e.examined_blocks < e.launch.blocks()
                         ? fmt::format(" of the first {} blocks of {}", e.examined_blocks, e.launch.blocks())
                         : "");
  out += facts({
      {"requests", fmt::format("{}", e.requests)},
      {"sectors", fmt::format("{}; {} would hold the data", e.sectors, e.packed_sectors)},
      {"sectors a request", fmt::format("{:.2f}", e.sectors_per_request())},
      {"efficiency", fmt::format("{} of the bytes moved are wanted", percent(e.efficiency()))},
      {"warps by sectors", spread},
  });
  return out;
}

}  // namespace drywarp::explain
