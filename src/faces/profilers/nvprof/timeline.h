// What nvprof lists of a run: what the GPU did, and what the program called.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/device/device_spec.h"
#include "base/events/launch_filter.h"
#include "profile/record/profile.h"

namespace drywarp::profilers::nvprof {

// A kernel, a copy or a memset.
struct Activity {
  double start = 0;                                  // on this machine's clock, since the program started
  std::optional<double> seconds;                     // of the GPU, modelled; nothing: there is no model for it
  std::string name;                                  // "vectorAdd(float const*, float*, int)", "[CUDA memcpy HtoD]"
  std::optional<uint64_t> correlation;               // of the call that issued it
  const record::LaunchRecord* launch = nullptr;      // of a kernel
  const record::TransferRecord* transfer = nullptr;  // of a copy or a memset
};

struct Call {
  double start = 0, seconds = 0;  // on this machine's clock
  std::string name;               // "cudaMalloc"
  uint64_t correlation = 0;       // counts from 1
  std::string kernel;             // that it launched; may be empty
};

struct Timeline {
  std::string device;                // "NVIDIA H200"
  bool pageable_is_timed = false;    // copies of memory that is not page-locked have a bandwidth of their own
  std::vector<Activity> activities;  // in order of their start
  std::vector<Call> calls;           // in order of their start
};

// Only what was recorded while the program's profiling was on (cudaProfilerStart/Stop). `profile` must outlive the
// result. `device`: for times of copies. `demangle`: --demangling.
[[nodiscard]] Timeline timeline(const record::Profile& profile, const device::DeviceSpec& device, bool demangle);

// A kernel's name as --demangling wants it.
[[nodiscard]] std::string kernel_name(const KernelInfo& kernel, bool demangle);

inline constexpr unsigned kContext = 1;  // by nvprof's number: the only one
// "NVIDIA H200 (0)"
[[nodiscard]] std::string device_label(const Timeline& timeline);

}  // namespace drywarp::profilers::nvprof
