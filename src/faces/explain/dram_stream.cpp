#include "faces/explain/dram_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>

#include "base/access/access_pattern.h"
#include "model/machine/machine_model.h"
#include "model/memory/l2.h"

namespace drywarp::explain {
namespace {

constexpr uint64_t kMostElements = uint64_t{1} << 26;

// L2 takes no time here: it only turns sectors into DRAM requests.
memory::Parameters behind_l2(const memory::DramParameters& dram, const device::DeviceSpec& device) {
  memory::Parameters p;
  p.sms = 1;
  p.dram = dram;
  p.l2.ways = static_cast<uint32_t>(device.timing.l2.ways.value_or(1));
  p.l2.bytes =
      std::max<uint64_t>(device.timing.l2.effective_bytes.value_or(device.l2_bytes), uint64_t{p.l2.ways} * kLineBytes);
  p.l2.slices = 1;
  p.l2.bytes_per_cycle = 1e12;
  p.l2.fill_bytes = static_cast<uint32_t>(device.timing.l2.fill_sectors.value_or(1)) * kSectorBytes;
  return p;
}

}  // namespace

double Spread::mean() const {
  return bytes.empty() ? 0 : std::accumulate(bytes.begin(), bytes.end(), 0.0) / static_cast<double>(bytes.size());
}
double Spread::busiest() const { return bytes.empty() ? 0 : *std::ranges::max_element(bytes); }

double DramStream::row_hit_rate() const {
  const uint64_t all = row_hits + row_misses;
  return all == 0 ? 0 : static_cast<double>(row_hits) / static_cast<double>(all);
}

Result<DramStream> explain_stream(const StreamQuery& query, const device::DeviceSpec& device) {
  if (!std::has_single_bit(query.bytes) || query.bytes > 16)
    return error(fmt::format("an element of {} bytes: a thread accesses 1, 2, 4, 8 or 16 at a time", query.bytes));
  if (query.elements == 0 || query.elements > kMostElements)
    return error(fmt::format("{} elements: from 1 to {}", query.elements, kMostElements));
  Result<memory::DramParameters> dram = machine::dram_parameters(device);
  if (!dram) return dram.problem();
  DramStream out;
  out.query = query;
  out.device = device.name;
  if (query.channels) {
    // The speed of a channel stays.
    if (*query.channels == 0 || *query.channels > 1024)
      return error(fmt::format("{} channels: from 1 to 1024", *query.channels));
    dram->channels = *query.channels;
  }
  if (query.banks) {
    if (*query.banks == 0 || *query.banks > 1024) return error(fmt::format("{} banks: from 1 to 1024", *query.banks));
    dram->banks = *query.banks;
  }
  out.dram = *dram;
  out.sm_clock_hz =
      device.timing.clock.sm_khz ? static_cast<double>(*device.timing.clock.sm_khz) * 1e3 : device.sm_clock_khz * 1e3;
  const double peak = dram->bytes_per_cycle * dram->channels;
  out.peak_bytes_per_second = peak * out.sm_clock_hz;

  ZeroedArena arena;
  memory::L2 l2(behind_l2(*dram, device), arena);
  out.channels.bytes.resize(dram->channels);
  out.banks.bytes.resize(dram->banks);
  // Warps issue requests at DRAM's peak rate.
  double last = 0;
  std::set<std::pair<uint32_t, uint32_t>> opened;  // channels and banks
  const auto before_bytes = [&] { return l2.dram().counts().read_bytes + l2.dram().counts().write_bytes; };
  for (uint64_t first = 0; first < query.elements; first += kWarpSize) {
    std::map<uint64_t, uint32_t> lines;  // mask of requested sectors, by line number
    const uint64_t end = std::min(query.elements, first + kWarpSize);
    for (uint64_t i = first; i < end; ++i) {
      const uint64_t address = query.pattern.at(i, uint64_t{1} << 30) * query.bytes;
      lines[address / kLineBytes] |= 1u << address % kLineBytes / kSectorBytes;
    }
    for (const auto& [line, sectors] : lines) {
      const uint64_t before = before_bytes();
      const double done = l2.read(0, line, sectors, static_cast<double>(before) / peak);
      const uint64_t moved = before_bytes() - before;
      if (moved == 0) continue;
      last = std::max(last, done);
      const memory::DramPlace place = memory::place_in_dram(*dram, line);
      opened.emplace(place.channel, place.bank);
      out.channels.bytes[place.channel] += static_cast<double>(moved);
      out.banks.bytes[place.bank] += static_cast<double>(moved);
    }
    out.wanted_bytes += (end - first) * query.bytes;
  }
  const memory::DramCounts& counts = l2.dram().counts();
  out.moved_bytes = counts.read_bytes + counts.write_bytes;
  out.row_hits = counts.row_hits, out.row_misses = counts.row_misses;
  out.bank_conflicts = counts.row_misses - std::min<uint64_t>(counts.row_misses, opened.size());
  out.seconds = last / out.sm_clock_hz;

  const double ns = 1e9 / out.sm_clock_hz;
  out.open_row_ns = (dram->precharge + dram->activate) * ns;
  out.burst_ns = dram->burst_bytes / dram->bytes_per_cycle * ns;
  out.row_cycle_ns = dram->row_cycle * ns;
  // If every access opens a row, a bank delivers one burst per row cycle.
  TimelineQuery closed_rows;
  closed_rows.transfer = out.burst_ns;
  closed_rows.latency = std::max(out.row_cycle_ns - out.burst_ns, out.burst_ns * 1e-3);
  const Result<DramTimeline> timeline = explain_timeline(closed_rows);
  if (timeline) out.banks_needed = timeline->banks_needed;
  return out;
}

}  // namespace drywarp::explain
