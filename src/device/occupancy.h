// How many blocks of a kernel fit on one multiprocessor, and what stops more: NVIDIA's published occupancy algorithm
// for every compute capability, held to the CUDA occupancy API's own answers in
// tests/golden/hardware/occupancy_h200.csv.
#pragma once

#include <cstdint>
#include <optional>

#include "device/device_spec.h"

namespace drywarp::device {

struct OccupancyRequest {
  uint32_t registers_per_thread = 0;  // 0: registers do not limit
  uint32_t threads_per_block = 0;
  uint64_t static_shared_bytes = 0;
  uint64_t dynamic_shared_bytes = 0;
  // cudaFuncAttributePreferredSharedMemoryCarveout: percent of the most that shared memory can have; none: the driver
  // chooses, and chooses so that shared memory limits as little as possible.
  std::optional<uint32_t> carveout_percent = std::nullopt;
};

enum class OccupancyLimiter : uint8_t {
  Warps,   // threads a multiprocessor
  Blocks,  // blocks a multiprocessor
  Registers,
  SharedMemory,
};
inline constexpr unsigned kOccupancyLimiters = 4;
[[nodiscard]] const char* name(OccupancyLimiter limiter);

struct Occupancy {
  // A resource that the kernel does not use does not limit.
  static constexpr uint32_t kUnlimited = ~0u;

  uint32_t blocks = 0;  // a multiprocessor; 0: the kernel cannot be launched like this
  uint32_t warps = 0;
  double fraction = 0;                      // warps / the most a multiprocessor holds: the theoretical occupancy
  uint32_t limit[kOccupancyLimiters] = {};  // blocks that each resource alone would allow, by OccupancyLimiter
  uint32_t shared_capacity = 0;             // the carve-out in effect, bytes

  [[nodiscard]] bool limited_by(OccupancyLimiter l) const { return limit[unsigned(l)] == blocks; }
};

[[nodiscard]] Occupancy occupancy(const DeviceSpec& device, const OccupancyRequest& request);

// The block size with which most warps are resident (cudaOccupancyMaxPotentialBlockSize): the largest of equals.
// `dynamic_shared_bytes_of` may depend on the block size. `block_limit` 0: none.
struct PotentialBlockSize {
  uint32_t threads_per_block = 0;
  uint32_t min_grid = 0;  // blocks that fill the device
};
template <class SharedOf>
[[nodiscard]] PotentialBlockSize max_potential_block_size(const DeviceSpec& device, OccupancyRequest request,
                                                          uint32_t block_limit, SharedOf dynamic_shared_bytes_of) {
  PotentialBlockSize best;
  uint32_t best_threads = 0;
  const uint32_t most = block_limit
                            ? (block_limit < device.max_threads_per_block ? block_limit : device.max_threads_per_block)
                            : device.max_threads_per_block;
  const uint32_t rounded = (most + device.warp_size - 1) / device.warp_size * device.warp_size;
  for (uint32_t size = rounded; size > 0; size -= device.warp_size) {
    request.threads_per_block = size < most ? size : most;
    request.dynamic_shared_bytes = dynamic_shared_bytes_of(request.threads_per_block);
    const Occupancy o = occupancy(device, request);
    const uint32_t threads = o.blocks * request.threads_per_block;
    if (threads > best_threads) {
      best_threads = threads;
      best = {request.threads_per_block, o.blocks * device.multiprocessors};
    }
    if (best_threads == device.max_threads_per_multiprocessor) break;
  }
  return best;
}

}  // namespace drywarp::device
