#include "faces/explain/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace drywarp::explain {
namespace {

// Whether the lanes' data are contiguous: then only the alignment is wrong.
bool is_packed(const LaneAccesses& lanes, unsigned bytes, const GlobalAccess& cost) {
  uint64_t lowest = ~uint64_t{0}, highest = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((lanes.active >> lane & 1) == 0) continue;
    lowest = std::min(lowest, lanes.addresses[lane]), highest = std::max(highest, lanes.addresses[lane]);
  }
  return highest - lowest + bytes == cost.unique_bytes;
}

// Compute capability 1.2 and 1.3 (CUDA C Programming Guide, appendix on compute capabilities): the segment of the
// lowest lane serves all lanes inside it, and is halved while one half is unused.
void find_segments(const device::CoalescingNumbers& numbers, const LaneAccesses& lanes, unsigned bytes,
                   std::map<uint32_t, uint32_t>& segments) {
  const auto together = static_cast<unsigned>(*numbers.lanes);
  const auto largest = static_cast<unsigned>(*numbers.largest_bytes) / (4 / std::min(bytes, 4u));
  const uint64_t* addresses = lanes.addresses.data();
  for (unsigned first = 0; first < kWarpSize; first += together) {
    LaneMask left = lanes.active & (~0u >> (kWarpSize - together)) << first;
    while (left != 0) {
      const uint64_t segment = addresses[std::countr_zero(left)] / largest;
      LaneMask inside = 0;
      for (unsigned lane = first; lane < first + together; ++lane)
        if ((left >> lane & 1) != 0 && addresses[lane] / largest == segment) inside |= 1u << lane;
      unsigned size = largest;
      while (size > *numbers.smallest_bytes && touched_pieces(addresses, inside, bytes, size / 2) == 1) size /= 2;
      ++segments[size];
      left &= ~inside;
    }
  }
}

}  // namespace

WarpAccess warp_access(const LaneAccesses& lanes, unsigned bytes, uint64_t block, uint32_t warp) {
  WarpAccess out;
  out.block = block, out.warp = warp, out.lanes = lanes;
  out.cost = analyze_global(lanes.addresses.data(), lanes.active, bytes);
  const auto touched = [&](unsigned piece) {
    return touched_pieces(lanes.addresses.data(), lanes.active, bytes, piece);
  };
  for (const uint32_t piece : {32u, 64u, 128u}) out.pieces.push_back({piece, touched(piece)});
  out.lines = touched(kLineBytes);
  std::vector<uint64_t> places;
  for (LaneMask left = lanes.active; left != 0; left &= left - 1)
    places.push_back(lanes.addresses[static_cast<size_t>(std::countr_zero(left))]);
  std::ranges::sort(places);
  out.words = static_cast<uint32_t>(std::ranges::unique(places).begin() - places.begin());
  return out;
}

Verdict verdict_of(const WarpAccess& access, unsigned bytes) {
  if (access.cost.sectors > packed_sectors(access.cost.unique_bytes))
    return is_packed(access.lanes, bytes, access.cost) ? Verdict::Misaligned : Verdict::Uncoalesced;
  return access.words == 1 && std::popcount(access.lanes.active) > 1 ? Verdict::Broadcast : Verdict::Coalesced;
}

const char* name(Verdict verdict) {
  static constexpr const char* kNames[] = {"coalesced", "broadcast", "misaligned", "uncoalesced"};
  return kNames[static_cast<unsigned>(verdict)];
}

double AccessExplanation::sectors_per_request() const {
  return requests == 0 ? 0 : static_cast<double>(sectors) / static_cast<double>(requests);
}

double AccessExplanation::efficiency() const {
  return sectors == 0 ? 0 : 100 * static_cast<double>(unique_bytes) / static_cast<double>(kSectorBytes * sectors);
}

Result<AccessExplanation> explain_access(const Pattern& pattern, const device::DeviceSpec& device, uint64_t block,
                                         uint32_t warp) {
  AccessExplanation out;
  out.text = pattern.text;
  out.launch = pattern.launch;
  out.bytes = pattern.bytes;
  if (block >= pattern.launch.blocks() || warp >= pattern.launch.warps())
    return error(fmt::format("there is no warp {} in block {}: the grid has {} block(s) of {} warp(s)", warp, block,
                             pattern.launch.blocks(), pattern.launch.warps()));
  const Result<LaneAccesses> drawn = lanes_of(pattern, block, warp);
  if (!drawn) return drawn.problem();
  out.shown = warp_access(*drawn, pattern.bytes, block, warp);
  const WarpAccess& shown = out.shown;
  out.verdict = verdict_of(shown, pattern.bytes);

  out.examined_blocks = blocks_to_examine(pattern.launch);
  for (uint64_t b = 0; b < out.examined_blocks; ++b) {
    for (uint32_t w = 0; w < pattern.launch.warps(); ++w) {
      const Result<LaneAccesses> lanes = lanes_of(pattern, b, w);
      if (!lanes) return lanes.problem();
      const GlobalAccess cost = analyze_global(lanes->addresses.data(), lanes->active, pattern.bytes);
      const unsigned active = std::popcount(lanes->active);
      ++out.warps;
      out.requests += active != 0;
      out.active_lanes += active;
      out.requested_bytes += uint64_t{active} * pattern.bytes;
      out.packed_sectors += packed_sectors(cost.unique_bytes);
      out.sectors += cost.sectors, out.ideal_sectors += cost.ideal_sectors, out.unique_bytes += cost.unique_bytes;
      ++out.warps_by_sectors[cost.sectors];
    }
  }

  out.device = device.name;
  const auto size_of = [](const std::optional<uint64_t>& number) -> std::optional<uint32_t> {
    return number ? std::optional(static_cast<uint32_t>(*number)) : std::nullopt;
  };
  const device::CoalescingNumbers& coalescing = device.timing.coalescing;
  if (coalescing.lanes && coalescing.largest_bytes && coalescing.smallest_bytes) {
    out.coalesced_lanes = size_of(coalescing.lanes);
    find_segments(coalescing, shown.lanes, pattern.bytes, out.segments);
    return out;
  }
  out.past_l1 = !device.timing.l1.caches_global.value_or(true);
  out.line_bytes = size_of(device.timing.l1.line_bytes);
  out.moved_bytes = size_of(out.past_l1 ? device.timing.l2.sector_bytes : device.timing.l1.sector_bytes);
  if (out.moved_bytes && std::has_single_bit(*out.moved_bytes) && *out.moved_bytes >= pattern.bytes)
    out.device_pieces =
        touched_pieces(shown.lanes.addresses.data(), shown.lanes.active, pattern.bytes, *out.moved_bytes);
  return out;
}

}  // namespace drywarp::explain
