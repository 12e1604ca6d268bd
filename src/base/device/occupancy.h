// How many blocks of a kernel fit on one multiprocessor, and what stops more: NVIDIA's published occupancy algorithm
// for every compute capability, held to the CUDA occupancy API's own answers in
// tests/golden/hardware/{occupancy,potential_block}_h200.csv.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/device/device_spec.h"

namespace drywarp::device {

struct OccupancyRequest {
  uint32_t registers_per_thread = 0;  // 0: registers do not limit
  uint32_t threads_per_block = 0;
  uint64_t static_shared_bytes = 0;
  uint64_t dynamic_shared_bytes = 0;
  uint32_t barriers = 1;  // named barriers (bar.sync 0 .. 15) that a block uses; 0: barriers do not limit
  // cudaFuncAttributeMaxDynamicSharedMemorySize; none: the device's maximum. Up to the device's `shared_per_block`, no
  // opting in is needed.
  std::optional<uint64_t> max_dynamic_shared_bytes = std::nullopt;
  // cudaFuncAttributePreferredSharedMemoryCarveout: percent of the most that shared memory can have; none: the driver
  // chooses the one that limits least.
  std::optional<uint32_t> carveout_percent = std::nullopt;
};

enum class OccupancyLimiter : uint8_t {
  Warps,   // threads a multiprocessor
  Blocks,  // blocks a multiprocessor
  Registers,
  SharedMemory,
  Barriers,
};
inline constexpr unsigned kOccupancyLimiters = 5;
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

// Registers that a warp allocates, rounded up to the allocation unit.
[[nodiscard]] uint64_t registers_per_warp(const DeviceSpec& device, uint32_t registers_per_thread);

[[nodiscard]] Occupancy occupancy(const DeviceSpec& device, const OccupancyRequest& request);

// An error that names the device's limit if not even one block fits: the hardware refuses such a launch.
[[nodiscard]] Status check_launch(const DeviceSpec& device, const OccupancyRequest& request);

// The most dynamic shared memory a block while `blocks` blocks are resident
// (cudaOccupancyAvailableDynamicSMemPerBlock); none: that many blocks never fit. For two blocks or more the driver
// forgets what it reserves of each block, and so does this: the answer can be too large by that.
[[nodiscard]] std::optional<uint64_t> available_dynamic_shared(const DeviceSpec& device,
                                                               const OccupancyRequest& request, uint32_t blocks);

// The block size with the most resident warps (cudaOccupancyMaxPotentialBlockSize); of equals the largest.
// `dynamic_shared_bytes_of` may depend on the block size. `block_limit`: the kernel's launch bounds or the caller's
// limit; 0: the device's.
struct PotentialBlockSize {
  uint32_t threads_per_block = 0;  // 0: no block fits
  uint32_t min_grid = 0;           // blocks that fill the device
};
using DynamicSharedOf = std::function<uint64_t(uint32_t threads_per_block)>;
[[nodiscard]] PotentialBlockSize max_potential_block_size(const DeviceSpec& device, OccupancyRequest request,
                                                          uint32_t block_limit,
                                                          const DynamicSharedOf& dynamic_shared_bytes_of);

// The shared-memory carve-out that the driver chooses for a kernel without a preference.
// NVIDIA does not publish the rule. This one is fitted to an H200's driver on 58 combinations of block size, registers
// and shared memory (launch__shared_mem_config_size in bench/accuracy/data/h200-kernels.csv): enough for the blocks
// that the other limits allow; room for twice as many, up to the block limit, if blocks are smaller than the largest
// and the L1 keeps a third. It gives the recorded size 49 times and is one step off 8 times.
//
// `fits`: occupancy() of the same request, which is also the answer for a device without a choice.
[[nodiscard]] uint64_t driver_carveout(const DeviceSpec& device, const OccupancyRequest& request,
                                       const Occupancy& fits);

}  // namespace drywarp::device
