// How many warps it takes to hide latency: Little's law, as the course does it by hand.
//
//   arithmetic   warps a multiprocessor = schedulers x latency / independent instructions of a warp
//   memory       bytes in flight = bytes a cycle x latency; threads = bytes in flight / bytes a thread
//
// As by hand, bytes a cycle are rounded down, threads and warps up: 54 B/cycle, 148 warps, 12 a multiprocessor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/device/device_spec.h"
#include "base/support/result.h"

namespace drywarp::device {

struct HidingInput {
  double arithmetic_latency = 0;  // cycles
  double memory_latency = 0;      // cycles
  double bytes_per_second = 0;    // of device memory
  double clock_hz = 0;            // the cycles above
  double bytes_per_thread = 4;    // in flight per thread and load
  double ilp = 1;                 // independent instructions, or loads, of a warp
  uint32_t schedulers = 0;        // of a multiprocessor
  uint32_t multiprocessors = 0;
  uint32_t warp_size = 32;
};

struct ArithmeticHiding {
  uint64_t warps_per_multiprocessor = 0, warps = 0;
};
[[nodiscard]] ArithmeticHiding hide_arithmetic(const HidingInput& input);

struct MemoryHiding {
  double bytes_per_cycle = 0;
  double bytes_in_flight = 0;
  uint64_t threads = 0, warps = 0, warps_per_multiprocessor = 0;
};
[[nodiscard]] MemoryHiding hide_memory(const HidingInput& input);

// Values that replace those of the device file.
struct HidingOptions {
  std::optional<double> arithmetic_latency = std::nullopt, memory_latency = std::nullopt;
  std::optional<double> bytes_per_second = std::nullopt, clock_hz = std::nullopt;
  std::optional<double> bytes_per_thread = std::nullopt, ilp = std::nullopt;
};

// With the numbers of the device's file: latency.fma_f32 (else latency.alu), dram.latency, the highest bandwidth and
// the SM clock. The error names the missing numbers and the file.
Result<HidingInput> hiding_input(const DeviceSpec& device, const HidingOptions& options);

// The calculation of [worked_example], if the file has all its numbers.
[[nodiscard]] std::optional<HidingInput> worked_example(const DeviceSpec& device, const HidingOptions& options);

// One line of the latency table, in the course's form.
struct LatencyRow {
  enum class Group : uint8_t { Operation, Instruction, Unit } group{};
  std::string name;                 // "ADD, SUB", "FADD, FMUL, FFMA", "global, local: L2 D"
  std::string path;                 // where the number stands: "operations.add"
  std::optional<double> cycles{};   // absent: neither published nor measured
  std::optional<double> issue{};    // instructions: cycles that a warp occupies a sub-partition's pipe
  std::optional<uint64_t> warps{};  // instructions: warps a multiprocessor that keep that pipe busy at this ILP
  bool none = false;                // the device has no such unit or instruction
};
[[nodiscard]] std::vector<LatencyRow> latency_table(const DeviceSpec& device, double ilp = 1);

}  // namespace drywarp::device
