#include "base/device/occupancy_study.h"

#include <algorithm>
#include <array>

namespace drywarp::device {
namespace {

constexpr auto kWarps = unsigned(OccupancyLimiter::Warps), kBlocks = unsigned(OccupancyLimiter::Blocks),
               kRegisters = unsigned(OccupancyLimiter::Registers), kShared = unsigned(OccupancyLimiter::SharedMemory),
               kBarriers = unsigned(OccupancyLimiter::Barriers);

uint64_t shared_of(const OccupancyRequest& request) {
  return request.static_shared_bytes + request.dynamic_shared_bytes;
}
OccupancyRequest with_shared(OccupancyRequest request, uint64_t bytes) {
  request.static_shared_bytes = 0;
  request.dynamic_shared_bytes = bytes;
  request.max_dynamic_shared_bytes.reset();
  return request;
}
OccupancyRequest with_registers(OccupancyRequest request, uint32_t registers) {
  request.registers_per_thread = registers;
  return request;
}
OccupancyRequest with_barriers(OccupancyRequest request, uint32_t barriers) {
  request.barriers = barriers;
  return request;
}
OccupancyRequest with_block(OccupancyRequest request, uint32_t threads) {
  request.threads_per_block = threads;
  return request;
}

// The largest value in [low, high] that `fits`, by bisection: below a value that fits, all fit. None: `low` does not
// fit.
template <class Fits>
std::optional<uint64_t> largest(uint64_t low, uint64_t high, Fits fits) {
  if (low > high || !fits(low)) return std::nullopt;
  while (low < high) {
    const uint64_t middle = low + (high - low + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

std::optional<uint64_t> most_registers(const DeviceSpec& d, const OccupancyRequest& r, uint32_t blocks) {
  return largest(1, d.max_registers_per_thread,
                 [&](uint64_t n) { return occupancy(d, with_registers(r, uint32_t(n))).limit[kRegisters] >= blocks; });
}
std::optional<uint64_t> most_shared(const DeviceSpec& d, const OccupancyRequest& r, uint32_t blocks) {
  return largest(0, d.shared_per_block_optin,
                 [&](uint64_t n) { return occupancy(d, with_shared(r, n)).limit[kShared] >= blocks; });
}
std::optional<uint64_t> most_barriers(const DeviceSpec& d, const OccupancyRequest& r, uint32_t blocks) {
  return largest(1, 16,
                 [&](uint64_t n) { return occupancy(d, with_barriers(r, uint32_t(n))).limit[kBarriers] >= blocks; });
}

}  // namespace

const char* name(SweepAxis axis) {
  constexpr std::array<const char*, kSweepAxes> kNames = {"block size", "registers", "shared memory"};
  return kNames[size_t(axis)];
}

std::vector<SweepPoint> sweep(const DeviceSpec& device, const OccupancyRequest& request, SweepAxis axis) {
  std::vector<SweepPoint> points;
  const auto add = [&](uint64_t value, const OccupancyRequest& r) {
    const Occupancy o = occupancy(device, r);
    points.push_back({uint32_t(value), o.blocks, o.warps});
  };
  if (axis == SweepAxis::BlockSize) {
    for (uint32_t n = device.warp_size; n <= device.max_threads_per_block; n += device.warp_size)
      add(n, with_block(request, n));
  } else if (axis == SweepAxis::Registers) {
    // The allocation step; finer steps than 4 registers say nothing.
    const uint32_t step = std::max(device.register_allocation_unit / device.warp_size, 4u);
    for (uint32_t n = step; n < device.max_registers_per_thread; n += step) add(n, with_registers(request, n));
    add(device.max_registers_per_thread, with_registers(request, device.max_registers_per_thread));
  } else {
    constexpr uint64_t kKilo = 1024, kMostSteps = 64;
    uint64_t step = kKilo;
    while (device.shared_per_block_optin / step > kMostSteps) step *= 2;
    for (uint64_t n = 0; n < device.shared_per_block_optin; n += step) add(n, with_shared(request, n));
    add(device.shared_per_block_optin, with_shared(request, device.shared_per_block_optin));
  }
  return points;
}

std::optional<NextStep> next_step(const DeviceSpec& device, const OccupancyRequest& request) {
  const Occupancy now = occupancy(device, request);
  const uint32_t wanted = now.blocks + 1;
  if (now.limit[kWarps] < wanted || now.limit[kBlocks] < wanted) return std::nullopt;
  NextStep step;
  OccupancyRequest saved = request;
  if (now.limit[kRegisters] < wanted) {
    const auto most = most_registers(device, request, wanted);
    if (!most) return std::nullopt;
    step.registers_per_thread = saved.registers_per_thread = uint32_t(*most);
  }
  if (now.limit[kShared] < wanted) {
    const auto most = most_shared(device, request, wanted);
    if (!most) return std::nullopt;
    step.shared_bytes = *most;
    saved = with_shared(saved, *most);
  }
  if (now.limit[kBarriers] < wanted) {
    const auto most = most_barriers(device, request, wanted);
    if (!most) return std::nullopt;
    step.barriers = saved.barriers = uint32_t(*most);
  }
  const Occupancy then = occupancy(device, saved);
  if (then.blocks < wanted) return std::nullopt;  // the carve-out shrank with the blocks
  step.blocks = then.blocks;
  step.warps = then.warps;
  return step;
}

std::optional<BlockStep> better_block_size(const DeviceSpec& device, const OccupancyRequest& request) {
  const uint32_t warps = occupancy(device, request).warps;
  std::optional<BlockStep> best;
  uint32_t best_distance = ~0u;
  for (const SweepPoint& point : sweep(device, request, SweepAxis::BlockSize)) {
    const uint32_t distance = point.value > request.threads_per_block ? point.value - request.threads_per_block
                                                                      : request.threads_per_block - point.value;
    if (point.warps <= warps || distance >= best_distance) continue;
    best_distance = distance;
    best = {point.value, point.blocks, point.warps};
  }
  return best;
}

std::optional<BlockStep> smallest_best_block(const DeviceSpec& device, const OccupancyRequest& request) {
  std::optional<BlockStep> best;
  for (const SweepPoint& point : sweep(device, request, SweepAxis::BlockSize))
    if (point.warps > (best ? best->warps : 0)) best = {point.value, point.blocks, point.warps};
  return best;
}

Headroom headroom(const DeviceSpec& device, const OccupancyRequest& request) {
  const uint32_t blocks = std::max(occupancy(device, request).blocks, 1u);
  return {uint32_t(most_registers(device, request, blocks).value_or(0)),
          std::max(most_shared(device, request, blocks).value_or(0), shared_of(request))};
}

std::optional<Waves> waves(const DeviceSpec& device, uint32_t blocks_per_sm, uint64_t grid) {
  if (blocks_per_sm == 0 || grid == 0 || device.multiprocessors == 0) return std::nullopt;
  Waves w;
  w.blocks_a_wave = uint64_t{blocks_per_sm} * device.multiprocessors;
  w.full = grid / w.blocks_a_wave;
  w.tail = grid % w.blocks_a_wave;
  w.waves = double(grid) / double(w.blocks_a_wave);
  const uint64_t all = w.full + (w.tail != 0 ? 1 : 0);
  w.slots_used = double(grid) / double(all * w.blocks_a_wave);
  // Blocks go to empty multiprocessors first.
  if (w.tail != 0 && w.tail < device.multiprocessors) w.idle_sms = device.multiprocessors - uint32_t(w.tail);
  return w;
}

}  // namespace drywarp::device
