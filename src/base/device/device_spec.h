// One GPU as its device file (devices/*.toml) describes it. Immutable once loaded; no number about a GPU stands in
// code.
//
// A device file gives every number a source, and every source says whether it was measured, published, a tuned model's
// or a specification. Numbers that CUDA itself reports carry CUDA's own attribute names (cudaDeviceAttr without
// "cudaDevAttr"), so the runtime can answer cudaDeviceGetAttribute and cudaGetDeviceProperties from the same file.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/device/timing_numbers.h"
#include "base/support/result.h"

namespace drywarp::device {

enum class NumberKind : uint8_t { Measured, Published, TunedModel, Specification, Assumed };
inline constexpr unsigned kNumberKinds = unsigned(NumberKind::Assumed) + 1;
[[nodiscard]] const char* name(NumberKind kind);

struct Origin {
  NumberKind kind{};
  std::string source;  // a sentence: where the number comes from
};

struct ComputeCapability {
  unsigned major = 0, minor = 0;
  [[nodiscard]] unsigned number() const { return major * 10 + minor; }  // 9.0 -> 90, as in sm_90
  auto operator<=>(const ComputeCapability&) const = default;
};

// cudaLimit's names by number: the keys of [limits] in a device file.
inline constexpr const char* kLimits[] = {
    "StackSize",
    "PrintfFifoSize",
    "MallocHeapSize",
    "DevRuntimeSyncDepth",
    "DevRuntimePendingLaunchCount",
    "MaxL2FetchGranularity",
    "PersistingL2CacheSize",
};

// Counts are plain numbers, sizes are bytes, clocks are kHz. Members that are not optional are in every device file.
struct DeviceSpec {
  std::string id;            // the file's stem: "h200"
  std::string name;          // as CUDA reports it: "NVIDIA H200"
  std::string architecture;  // "Hopper"
  std::string based_on;      // "cc90", "h100": the architecture or device that this one inherits; may be empty
  std::vector<std::string> also_called;  // other names that `load_device` knows it by: "H100 SXM"
  ComputeCapability compute_capability;

  // The chip.
  uint64_t total_memory = 0;  // cudaDeviceProp::totalGlobalMem
  uint32_t multiprocessors = 0;
  uint32_t sm_clock_khz = 0;  // the highest (boost) clock, which CUDA reports
  uint32_t memory_clock_khz = 0;
  uint32_t memory_bus_bits = 0;
  uint64_t l2_bytes = 0;

  // Limits of a launch.
  uint32_t warp_size = 0;
  uint32_t max_threads_per_block = 0;
  std::array<uint32_t, 3> max_block{};
  std::array<uint32_t, 3> max_grid{};
  uint64_t constant_memory = 0;
  uint32_t max_registers_per_thread = 0;
  uint32_t shared_per_block = 0;        // without opting in (48 KB since cc 2.0)
  uint32_t shared_per_block_optin = 0;  // with cudaFuncAttributeMaxDynamicSharedMemorySize; static + dynamic

  // Limits of a multiprocessor.
  uint32_t max_threads_per_multiprocessor = 0;
  uint32_t max_blocks_per_multiprocessor = 0;
  uint32_t registers_per_multiprocessor = 0;
  uint32_t registers_per_block = 0;
  uint32_t shared_per_multiprocessor = 0;
  uint32_t shared_reserved_per_block = 0;
  std::vector<uint32_t> shared_carveouts;  // the sizes shared memory can be set to, ascending

  // How resources are allocated.
  uint32_t sub_partitions = 0;                 // warp schedulers of a multiprocessor
  uint32_t register_allocation_unit = 0;       // registers are allocated in multiples of this ...
  bool registers_allocated_per_block = false;  // ... to a whole block (cc 1.x) or to a warp
  uint32_t shared_allocation_unit = 0;
  uint32_t warp_allocation_granularity = 0;
  std::optional<uint32_t> block_barriers;  // named barriers of a multiprocessor (since cc 9.0); absent: never short
  // Sub-partitions assumed when a block's registers are checked, if not `sub_partitions`: cc 6.0 has 2 and checks for
  // 4, because a kernel that runs on one Pascal GPU must run on all.
  std::optional<uint32_t> register_check_partitions;
  // Fermi (cc 2.x): for these register counts a thread the unit is `register_allocation_unit_odd`.
  std::vector<uint32_t> odd_register_counts;
  std::optional<uint32_t> register_allocation_unit_odd;

  // Optional numbers; absent where they are neither published nor measured.
  std::optional<uint64_t> dram_bytes_per_second;
  std::optional<uint32_t> fp32_lanes;  // results a clock and multiprocessor
  std::optional<uint32_t> fp64_lanes;

  // Latencies and rates for the models of memory and time: [latency], [issue], [l1], [l2], [dram], ...
  TimingNumbers timing;

  // Every [attributes] entry of the file, by CUDA's name: attributes.at("MaxTexture1DWidth").
  std::map<std::string, int64_t, std::less<>> attributes;
  // Every [limits] entry, by CUDA's name without "cudaLimit": "StackSize", "MallocHeapSize".
  std::map<std::string, int64_t, std::less<>> limits;
  // Where each number comes from, by its path in the file: "attributes.ClockRate", "l2.latency_far".
  std::map<std::string, Origin, std::less<>> origins;
  // Each number as its file writes it: "1980000", "2.33", "true", "[0, 8192]".
  std::map<std::string, std::string, std::less<>> texts;

  [[nodiscard]] std::optional<int64_t> attribute(std::string_view cuda_name) const;
  [[nodiscard]] uint32_t max_warps_per_multiprocessor() const { return max_threads_per_multiprocessor / warp_size; }
};

// An error that names the `paths` ("l2.latency_far", "latency.fma_f32") that the device file lacks; `feature` ("the
// timing model") is for the message. Success if the file has all.
[[nodiscard]] Status needs_numbers(const DeviceSpec& device, std::span<const std::string_view> paths,
                                   std::string_view feature);

// The name that [attributes] uses for one of CUDA's attribute numbers (cudaDeviceAttr, CUDA 13): 16 ->
// "MultiProcessorCount". nullopt: CUDA has no attribute of this number (or keeps it reserved).
[[nodiscard]] std::optional<std::string_view> attribute_name(int cuda_device_attr);

// Parses a device file's text. `path` is for messages; `id` for DeviceSpec::id.
// Errors are located: a missing or mistyped number, a number without source, an unknown key, numbers that contradict
// each other.
Result<DeviceSpec> parse_device(std::string_view toml, const std::string& path, const std::string& id);

// `which`: a device that this program carries, by id ("gtx970"), by CUDA's name ("NVIDIA GeForce GTX 970") or by
// another name of its file; case, spaces and the words NVIDIA, GeForce and Tesla do not matter. Or a path (it has a '/'
// or ends in ".toml"). Empty: the default device. The hint of an error names similar devices, or all.
Result<DeviceSpec> load_device(const std::string& which);

// The ids of the devices that this program carries, sorted.
[[nodiscard]] std::vector<std::string> device_ids();

}  // namespace drywarp::device
