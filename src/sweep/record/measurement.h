// What one run of a sweep found: the answer of `drywarp measure`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"
#include "sweep/record/request.h"

namespace drywarp::sweep {

// How a run ended.
enum class Outcome : uint8_t {
  Ok,
  DoesNotCompile,
  DoesNotFit,  // the device cannot run a launch: too many threads or registers, too much shared memory
  Wrong,       // by the program's exit code, or by the command that verifies it
  Crashed,     // a signal ended it
  TimedOut,
  OutOfMemory,  // more than its share of this machine's
  Failed,       // drywarp could not measure it
};
[[nodiscard]] const char* key(Outcome outcome);  // "does not fit"
[[nodiscard]] std::optional<Outcome> parse_outcome(std::string_view key);

struct MeasuredKernel {
  std::string name;
  uint64_t launches = 0;
  uint32_t registers = 0;
  std::string grid, block;          // of its costliest launch
  std::optional<double> seconds;    // modelled, of all its launches
  std::optional<double> occupancy;  // theoretical, percent
  std::string limiter;              // empty: not known
};

struct Measurement {
  Outcome outcome = Outcome::Failed;
  std::string reason;  // of anything but Ok
  Stage stage = Stage::Whole;
  // Modelled, of all launches; none: not modelled.
  std::optional<double> seconds;
  // Some launches have the mean time of others of their kernel, because a slice does not model all.
  bool extrapolated = false;
  // At least so many cycles, by exact counts: see least_cycles() of `drywarp measure`.
  std::optional<double> cycles;
  std::optional<double> occupancy;  // theoretical, percent: of the kernel that takes longest
  std::optional<uint32_t> registers;
  std::vector<MeasuredKernel> kernels;  // the one that takes longest first
  double host_seconds = 0;              // that the run took on this machine
};

[[nodiscard]] Json to_json(const Measurement& measurement);
Result<Measurement> parse_measurement(std::string_view text, const std::string& where);

}  // namespace drywarp::sweep
