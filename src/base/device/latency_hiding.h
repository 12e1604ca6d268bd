// How many warps it takes to hide latency: Little's law, as the course does it by hand.
//
//   arithmetic   warps a multiprocessor = schedulers x latency / independent instructions of a warp
//   memory       bytes in flight = bytes a cycle x latency; threads = bytes in flight / bytes that a thread waits for
//
// Bytes a cycle are whole (rounded down), threads and warps too (rounded up), as by hand: 54 B/cycle, 148 warps, 12 a
// multiprocessor.
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
  double bytes_per_thread = 4;    // that a thread has on their way at once, for one load
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

// What the user says instead of the device file.
struct HidingOptions {
  std::optional<double> arithmetic_latency = std::nullopt, memory_latency = std::nullopt;
  std::optional<double> bytes_per_second = std::nullopt, clock_hz = std::nullopt;
  std::optional<double> bytes_per_thread = std::nullopt, ilp = std::nullopt;
};

// With the numbers of the device's file: latency.fma_f32 (else latency.alu), dram.latency, the highest bandwidth and
// the SM clock. The error names the numbers that are in neither, and the file.
Result<HidingInput> hiding_input(const DeviceSpec& device, const HidingOptions& options);

// The calculation that [worked_example] repeats, if the file has one whole.
[[nodiscard]] std::optional<HidingInput> worked_example(const DeviceSpec& device, const HidingOptions& options);

// One line of the latency table, in the course's form.
struct LatencyRow {
  enum class Group : uint8_t { Operation, Instruction, Unit } group{};
  std::string name;                 // "ADD, SUB", "FADD, FMUL, FFMA", "global, local: L2 D"
  std::string path;                 // where the number stands: "operations.add"
  std::optional<double> cycles{};   // absent: nobody has published or measured it
  std::optional<double> issue{};    // instructions: cycles that a warp occupies a sub-partition's pipe
  std::optional<uint64_t> warps{};  // instructions: a multiprocessor's, that keep that pipe busy (ILP as given)
  bool none = false;                // the device has no such thing
};
[[nodiscard]] std::vector<LatencyRow> latency_table(const DeviceSpec& device, double ilp = 1);

}  // namespace drywarp::device
