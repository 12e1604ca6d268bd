// The profile of one run of a program: the input of every report, kept by the store.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/events/access_sample.h"
#include "base/events/counts.h"
#include "model/sm/summary.h"
#include "model/timeline/operation.h"
#include "profile/checks/report.h"
#include "profile/record/drawn_launch.h"

namespace drywarp::device {
struct DeviceSpec;
}

namespace drywarp::record {

struct Extent {
  uint32_t x = 1, y = 1, z = 1;
  [[nodiscard]] uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Extent&) const = default;
};

struct LaunchRecord {
  uint32_t kernel = 0;  // index into Profile::kernels
  Extent grid, block;
  uint32_t dynamic_shared_bytes = 0;
  int carveout = -1;         // percent of shared memory that the program requested; -1: the driver's choice
  uint32_t stream = 0;       // 0: the default stream
  std::string range;         // NVTX ranges open at the launch, outermost first, "a/b"; empty: none
  double start_seconds = 0;  // since the program started
  double host_seconds = 0;   // duration on this machine; no prediction of the GPU's time
  bool counted = false;      // `counts` is set
  LaunchCounts counts;
  // The GPU's time, modelled. Identical launches share one object; the first of them was simulated.
  std::shared_ptr<const sm::LaunchTime> time;
  std::string untimed;  // why there is no time although one was requested
  std::string fault;    // why the launch stopped; empty: it completed
};

enum class TransferKind : uint8_t { HostToDevice, DeviceToHost, DeviceToDevice, HostToHost, Memset };
struct TransferRecord {
  TransferKind kind{};
  uint64_t bytes = 0;
  uint32_t stream = 0;
  double start_seconds = 0, host_seconds = 0;
  bool pinned = false;     // the host's end is page-locked memory
  double gpu_seconds = 0;  // modelled, as record::copy_seconds(); 0: the device file does not say
};

struct ApiRecord {
  std::string name;  // "cudaMalloc"
  double start_seconds = 0, host_seconds = 0;
};

// The costliest access of a memory instruction in a launch, of the blocks that were traced.
struct SampleRecord {
  uint64_t launch = 0;  // index into Profile::launches
  AccessSample sample;
};

// One number of the device file.
struct DeviceNumber {
  std::string path, value;  // "timing.l1.sector_bytes", "32"
  std::string kind, source;
};

// What only a kept profile has: how the run came about, and the files that it was about.
struct KeptFacts {
  std::string command, folder;  // how drywarp was called, and where
  std::string created;          // UTC, "2026-01-31T12:00:00Z"
  std::string output;           // the program's standard output
  bool output_cut = false;      // it was longer
  std::string device_id, architecture, compute_capability;
  std::vector<DeviceNumber> device_numbers;
  std::map<std::string, std::vector<std::string>> sources;  // lines of the kernels' source files
};

struct Profile {
  std::string program;  // the command, as typed
  std::string device;   // "NVIDIA H200"
  std::string moves;    // moves_of() the device
  std::string drywarp_version;
  std::vector<std::shared_ptr<const KernelInfo>> kernels;
  std::vector<LaunchRecord> launches;  // in order of issue
  std::vector<TransferRecord> transfers;
  std::vector<ApiRecord> api_calls;
  std::vector<SampleRecord> samples;
  std::vector<timeline::Operation> operations;  // of the GPU, and what the host waited for; in order of issue
  timeline::Numbers operation_numbers;
  std::vector<DrawnLaunch> drawn;             // at most one of each kernel
  std::optional<checks::CheckReport> checks;  // what checks found; none: the run was not checked
  KeptFacts kept;                             // empty: the profile is not kept, or its run was killed
  int exit_code = 0;
  int signal = 0;        // that ended the program; 0: none
  bool complete = true;  // false: the program was interrupted, died, or left by _exit(): the profile ends there
};

// How the device moves memory ("global and local loads in pieces of 128 bytes ..."); empty: in sectors of 32 bytes,
// which drywarp counts, as devices since Maxwell do.
[[nodiscard]] std::string moves_of(const device::DeviceSpec& device);

}  // namespace drywarp::record
