#include "faces/explain/banks.h"

#include <fmt/format.h>

#include <algorithm>

namespace drywarp::explain {
namespace {

constexpr uint32_t kMostPadding = 32;  // elements; banks repeat after that

struct Sums {
  uint64_t warps = 0, requests = 0, wavefronts = 0, ideal = 0, unique_bytes = 0;
  uint32_t ways = 0;
};

Result<Sums> sum_up(const Pattern& pattern, const BankExplanation& e, uint64_t blocks, int64_t pad) {
  Sums sums;
  for (uint64_t block = 0; block < blocks; ++block) {
    for (uint32_t warp = 0; warp < pattern.launch.warps(); ++warp) {
      const Result<LaneAccesses> lanes = lanes_of(pattern, block, warp, pad, e.padded_bytes());
      if (!lanes) return lanes.problem();
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        if ((lanes->active >> lane & 1) != 0 && lanes->addresses[lane] % pattern.bytes != 0)
          return error(
              fmt::format("lane {} of warp {} accesses {} bytes at byte {}: a GPU reports a misaligned "
                          "address",
                          lane, warp, pattern.bytes, static_cast<int64_t>(lanes->addresses[lane])));
      const SharedAccess cost = analyze_shared(lanes->addresses.data(), lanes->active, pattern.bytes, e.op, e.banks);
      ++sums.warps;
      sums.requests += lanes->active != 0;
      sums.wavefronts += cost.wavefronts, sums.ideal += cost.ideal_wavefronts, sums.unique_bytes += cost.unique_bytes;
      sums.ways = std::max(sums.ways, cost.ways);
    }
  }
  return sums;
}

}  // namespace

WarpBanks warp_banks(const LaneAccesses& lanes, unsigned bytes, SharedOp op, const SharedBanks& banks, uint64_t block,
                     uint32_t warp) {
  WarpBanks out;
  out.block = block, out.warp = warp, out.lanes = lanes, out.banks = banks;
  out.cost = analyze_shared(lanes.addresses.data(), lanes.active, bytes, op, banks);
  out.turns = bank_turns(lanes.addresses.data(), lanes.active, bytes, op, banks);
  return out;
}

Result<SharedOp> parse_shared_op(std::string_view name) {
  static constexpr std::pair<std::string_view, SharedOp> kOps[] = {{"load", SharedOp::Load},
                                                                   {"store", SharedOp::Store},
                                                                   {"atomic", SharedOp::Atomic},
                                                                   {"cas", SharedOp::Swap},
                                                                   {"copy", SharedOp::Copy}};
  for (const auto& [known, op] : kOps)
    if (known == name) return op;
  return error(fmt::format("there is no operation '{}'", name), "load, store, atomic, cas or copy");
}

double BankExplanation::efficiency() const {
  return wavefronts == 0 ? 0 : 100 * static_cast<double>(ideal_wavefronts) / static_cast<double>(wavefronts);
}

Result<BankExplanation> explain_banks(const Pattern& pattern, SharedOp op, const device::DeviceSpec& device,
                                      uint64_t block, uint32_t warp, bool eight_bytes) {
  BankExplanation out;
  out.text = pattern.text;
  out.launch = pattern.launch;
  out.bytes = pattern.bytes;
  out.op = op;
  out.device = device.name;
  out.banks = shared_banks(device, eight_bytes);
  out.device_known = device.timing.shared.banks && device.timing.shared.bank_bytes;
  if (block >= pattern.launch.blocks() || warp >= pattern.launch.warps())
    return error(fmt::format("there is no warp {} in block {}: the grid has {} block(s) of {} warp(s)", warp, block,
                             pattern.launch.blocks(), pattern.launch.warps()));
  // Each block has its own shared memory, and its accesses are the same unless the index uses the block.
  out.examined_blocks = std::min<uint64_t>(blocks_to_examine(pattern.launch), 1024);
  const Result<Sums> sums = sum_up(pattern, out, out.examined_blocks, 0);
  if (!sums) return sums.problem();
  out.warps = sums->warps, out.requests = sums->requests;
  out.wavefronts = sums->wavefronts, out.ideal_wavefronts = sums->ideal, out.unique_bytes = sums->unique_bytes;
  out.worst_ways = sums->ways;

  const Result<LaneAccesses> lanes = lanes_of(pattern, block, warp);
  if (!lanes) return lanes.problem();
  out.shown = warp_banks(*lanes, pattern.bytes, op, out.banks, block, warp);

  out.pads_rows = pattern.index.subscripts.size() > 1;
  if (out.wavefronts > out.ideal_wavefronts) {
    const uint64_t few = std::min<uint64_t>(out.examined_blocks, 8);
    for (uint32_t pad = 0; pad <= kMostPadding; ++pad) {
      const Result<Sums> padded = sum_up(pattern, out, few, pad);
      if (!padded) break;  // the padding misaligns the elements
      out.tried.push_back({pad, padded->wavefronts, padded->ideal});
      if (padded->wavefronts == padded->ideal) break;
    }
    const auto best = std::ranges::min_element(out.tried, {}, &Padding::wavefronts);
    if (best != out.tried.end() && best->wavefronts < out.tried.front().wavefronts) out.suggestion = *best;
  }
  return out;
}

}  // namespace drywarp::explain
