// Everything one run of a program left behind: the input of every report and what the store keeps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/events/counts.h"
#include "model/sm/summary.h"

namespace drywarp::report {

struct Extent {
  uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Extent&) const = default;
};

struct LaunchRecord {
  uint32_t kernel = 0;  // index into Profile::kernels
  Extent grid, block;
  uint32_t dynamic_shared_bytes = 0;
  int carveout = -1;         // percent of shared memory that the program asked for; -1: the driver's choice
  uint32_t stream = 0;       // 0: the default stream
  std::string range;         // NVTX ranges open at the launch, outermost first, "a/b"; empty: none
  double start_seconds = 0;  // since the program started
  double host_seconds = 0;   // how long it took to run on this machine: not a prediction of the GPU's time
  bool counted = false;      // counters were on: `counts` holds something
  LaunchCounts counts;
  // The GPU's time, modelled. One object for launches that do the same: the first of them was simulated.
  std::shared_ptr<const sm::LaunchTime> time;
  std::string untimed;  // why there is no time though it was asked for
  std::string fault;    // why it stopped; empty: it ran to its end
};

enum class TransferKind : uint8_t { HostToDevice, DeviceToHost, DeviceToDevice, HostToHost, Memset };
struct TransferRecord {
  TransferKind kind{};
  uint64_t bytes = 0;
  uint32_t stream = 0;
  double start_seconds = 0, host_seconds = 0;
};

struct ApiRecord {
  std::string name;  // "cudaMalloc"
  double start_seconds = 0, host_seconds = 0;
};

struct Profile {
  std::string program;  // the command, as typed
  std::string device;   // "NVIDIA H200"
  // How the device moves memory, where that is not by the sectors of 32 bytes that are counted; empty: so it does.
  std::string moves;
  std::string drywarp_version;
  std::vector<std::shared_ptr<const KernelInfo>> kernels;
  std::vector<LaunchRecord> launches;  // in order of issue
  std::vector<TransferRecord> transfers;
  std::vector<ApiRecord> api_calls;
  int exit_code = 0;
  int signal = 0;  // that ended the program; 0: none
  bool complete =
      true;  // false: the program was interrupted or died, or left by _exit(); what it did until then is here
};

}  // namespace drywarp::report
