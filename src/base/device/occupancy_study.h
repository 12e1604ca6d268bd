// How occupancy changes with block size, registers and shared memory; what one more block would need; how a grid fills
// the device.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/device/occupancy.h"

namespace drywarp::device {

enum class SweepAxis : uint8_t { BlockSize, Registers, SharedMemory };
inline constexpr unsigned kSweepAxes = 3;
[[nodiscard]] const char* name(SweepAxis axis);  // "block size", "registers", "shared memory"

struct SweepPoint {
  uint32_t value = 0;  // threads a block, registers a thread, bytes of shared memory a block (static and dynamic)
  uint32_t blocks = 0, warps = 0;
  bool operator==(const SweepPoint&) const = default;
};
// All else as in `request`. Block sizes by whole warps up to the largest; registers by allocation steps; shared memory
// from none to all that a block can have, in at most 64 steps of whole kilobytes.
[[nodiscard]] std::vector<SweepPoint> sweep(const DeviceSpec& device, const OccupancyRequest& request, SweepAxis axis);

// The limit of each resource for at least one more block. A resource without a value needs no change.
struct NextStep {
  uint32_t blocks = 0, warps = 0;  // then
  std::optional<uint32_t> registers_per_thread;
  std::optional<uint64_t> shared_bytes;  // static and dynamic
  std::optional<uint32_t> barriers;
};
// None: saving gains no block, because warps or block slots are used up or nothing can be saved.
[[nodiscard]] std::optional<NextStep> next_step(const DeviceSpec& device, const OccupancyRequest& request);

// The nearest block size, in whole warps, with more warps resident; the smaller of two equally near ones.
struct BlockStep {
  uint32_t threads_per_block = 0, blocks = 0, warps = 0;
};
[[nodiscard]] std::optional<BlockStep> better_block_size(const DeviceSpec& device, const OccupancyRequest& request);

// The smallest block size, in whole warps, with the most warps that any block size keeps resident; none: no block fits.
[[nodiscard]] std::optional<BlockStep> smallest_best_block(const DeviceSpec& device, const OccupancyRequest& request);

// How far each resource can grow with as many blocks resident.
struct Headroom {
  uint32_t registers_per_thread = 0;
  uint64_t shared_bytes = 0;  // static and dynamic
};
[[nodiscard]] Headroom headroom(const DeviceSpec& device, const OccupancyRequest& request);

// A grid in waves: blocks that run at a time on the whole device.
struct Waves {
  uint64_t blocks_a_wave = 0;
  uint64_t full = 0;      // waves
  uint64_t tail = 0;      // blocks of the last wave if it is not full
  uint32_t idle_sms = 0;  // multiprocessors without a block in the last wave
  double waves = 0;       // with the fraction: launch__waves_per_multiprocessor
  double slots_used = 0;  // block slots filled / block slots of all waves
};
[[nodiscard]] std::optional<Waves> waves(const DeviceSpec& device, uint32_t blocks_per_sm, uint64_t grid);

}  // namespace drywarp::device
