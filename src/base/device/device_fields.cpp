#include "base/device/device_fields.h"

namespace drywarp::device {
namespace {

constexpr Bounds kThreadBounds{1, 1 << 16}, kRegisterBounds{1, 1 << 24}, kSharedBounds{1, 1 << 24},
    kClockBounds{1'000, 100'000'000};
constexpr Bounds kUnitBounds{1, 4096};  // of a multiprocessor

const Field kFields[] = {
    {"memory.total", &DeviceSpec::total_memory, {1 << 20, int64_t{1} << 44}},
    {"attributes.MultiProcessorCount", &DeviceSpec::multiprocessors, {1, 4096}},
    {"attributes.ClockRate", &DeviceSpec::sm_clock_khz, kClockBounds},
    {"attributes.MemoryClockRate", &DeviceSpec::memory_clock_khz, kClockBounds},
    {"attributes.GlobalMemoryBusWidth", &DeviceSpec::memory_bus_bits, {1, 1 << 20}},
    {"attributes.L2CacheSize", &DeviceSpec::l2_bytes, {0, int64_t{1} << 32}},
    {"attributes.WarpSize", &DeviceSpec::warp_size, {1, 1024}},
    {"attributes.MaxThreadsPerBlock", &DeviceSpec::max_threads_per_block, kThreadBounds},
    {"attributes.TotalConstantMemory", &DeviceSpec::constant_memory, {1, 1 << 24}},
    {"multiprocessor.max_registers_per_thread", &DeviceSpec::max_registers_per_thread, {1, 1024}},
    {"attributes.MaxSharedMemoryPerBlock", &DeviceSpec::shared_per_block, kSharedBounds},
    {"attributes.MaxSharedMemoryPerBlockOptin", &DeviceSpec::shared_per_block_optin, kSharedBounds},
    {"attributes.MaxThreadsPerMultiProcessor", &DeviceSpec::max_threads_per_multiprocessor, kThreadBounds},
    {"attributes.MaxBlocksPerMultiprocessor", &DeviceSpec::max_blocks_per_multiprocessor, kUnitBounds},
    {"attributes.MaxRegistersPerMultiprocessor", &DeviceSpec::registers_per_multiprocessor, kRegisterBounds},
    {"attributes.MaxRegistersPerBlock", &DeviceSpec::registers_per_block, kRegisterBounds},
    {"attributes.MaxSharedMemoryPerMultiprocessor", &DeviceSpec::shared_per_multiprocessor, kSharedBounds},
    {"attributes.ReservedSharedMemoryPerBlock", &DeviceSpec::shared_reserved_per_block, {0, 1 << 20}},
    {"multiprocessor.sub_partitions", &DeviceSpec::sub_partitions, {1, 64}},
    {"multiprocessor.register_allocation_unit", &DeviceSpec::register_allocation_unit, {1, 1 << 16}},
    {"multiprocessor.shared_allocation_unit", &DeviceSpec::shared_allocation_unit, {1, 1 << 20}},
    {"multiprocessor.warp_allocation_granularity", &DeviceSpec::warp_allocation_granularity, {1, 64}},
    {"multiprocessor.block_barriers", &DeviceSpec::block_barriers, kUnitBounds},
    {"multiprocessor.register_check_partitions", &DeviceSpec::register_check_partitions, {1, 64}},
    {"multiprocessor.register_allocation_unit_odd", &DeviceSpec::register_allocation_unit_odd, {1, 1 << 16}},
    {"rates.dram_bytes_per_second", &DeviceSpec::dram_bytes_per_second, {1'000'000, 1'000'000'000'000'000}},
    {"rates.fp32_lanes", &DeviceSpec::fp32_lanes, kUnitBounds},
    {"rates.fp64_lanes", &DeviceSpec::fp64_lanes, kUnitBounds},
};

}  // namespace

std::span<const Field> device_fields() { return kFields; }

}  // namespace drywarp::device
