// Launches kernels: finds the code, checks the configuration as the driver does, packs arguments, runs, and turns
// faults into CUDA's errors and messages.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/device/occupancy.h"
#include "cuda/device/device.h"
#include "cuda/launch/barrier_messages.h"
#include "cuda/launch/launch_checks.h"
#include "cuda/launch/observed_run.h"
#include "cuda/launch/operation.h"
#include "cuda/launch/recorder.h"
#include "cuda/launch/stray_messages.h"
#include "cuda/launch/timer.h"
#include "cuda/modules/module.h"

namespace drywarp::cuda {

// What cudaFuncGetAttributes returns.
struct FunctionFacts {
  uint64_t shared_bytes = 0;  // static
  uint64_t constant_bytes = 0;
  uint64_t local_bytes = 0;  // a thread
  int max_threads = 0;       // a block
  int registers = 0;         // a thread
  int ptx_version = 0;       // 90: compiled for compute_90
  int binary_version = 0;
  int max_dynamic_shared = 0;
  int carveout = -1;
};

enum class FunctionAttribute : int {
  MaxDynamicShared = 8,
  Carveout = 9,
  AnyClusterSize = 14
};  // cudaFuncAttribute's numbers

class Launcher {
 public:
  // `progress` may be empty.
  Launcher(const Device& device, const KernelResourceModel& resources, exec::Engine& engine, Recorder& recorder,
           LaunchChecks& checks, const Options& options, Say say, ReportProgress progress)
      : device_(device),
        resources_(resources),
        engine_(engine),
        recorder_(recorder),
        checks_(checks),
        timeout_seconds_(options.timeout_seconds),
        say_(std::move(say)),
        progress_(std::move(progress)),
        model_clock_(options.model_clock),
        allows_divergent_barriers_(options.divergent_barriers),
        runs_ordinary_grid_barriers_(!options.strict),
        timer_(device.spec(),
               !options.samples.empty() ? TimeMode::Off
               : options.model_clock    ? TimeMode::All
                                        : options.time,
               options.code_cache, options.what_if, options.gains, options.drawings,
               options.time_line || options.model_clock, say_),
        samples_(options, recorder, say_) {}

  // Loads the kernel's code. Errors: InvalidDeviceFunction, InvalidPtx, NoKernelImageForDevice ...
  Error load(Kernel& kernel);
  // The kernel's code. Precondition of this and everything below: load() returned Success.
  [[nodiscard]] static const ir::Function& code(const Kernel& kernel);

  // Checks a configuration; `operation` needs no parameters yet.
  Error check(const KernelOperation& operation);
  // Copies the arguments that `pointers` point to, one for each parameter.
  static Error pack(const Kernel& kernel, void* const* pointers, std::vector<uint8_t>& out);
  struct ParameterSlot {
    uint64_t offset = 0, size = 0;
  };
  static std::vector<ParameterSlot> parameter_slots(const Kernel& kernel);

  // `lock`: the session's, released while the kernel runs; null: it stays held. `waits`: see exec::LaunchRequest.
  struct LaunchContext {
    uint32_t stream = 0;
    std::string range;  // NVTX
    std::unique_lock<std::recursive_mutex>* lock = nullptr;
    std::function<void()> waits;
    std::function<bool(bool)> stuck;
    // Gets the launch's modelled time, or null, and its place in the profile, or timeline::kNone.
    std::function<void(const sm::LaunchTime*, uint32_t)> ran;
    std::vector<exec::DeviceOperation>* launches = nullptr;  // gets what the kernel's threads have launched
    const check::OperationMoment* moment = nullptr;          // of checked programs
    // The stream has the memory in which blocks synchronize their grid: a GPU gives it to the first cooperative launch
    // there, and all later launches of the stream have it.
    bool has_workspace = false;
  };
  Error run(const KernelOperation& operation, LaunchContext context);
  // A copy or a fill has written these bytes of the device's memory, counted from its start.
  void wrote(uint64_t place, uint64_t bytes) { timer_.wrote(place, bytes); }

  // The bank size that the program set for the device (cudaDeviceSetSharedMemConfig); a kernel's own setting overrides
  // it.
  void set_eight_byte_banks(bool yes) { eight_byte_banks_ = yes; }
  [[nodiscard]] SharedBanks banks() const { return shared_banks(device_.spec(), eight_byte_banks_); }

  FunctionFacts facts(Kernel& kernel);
  Error set_attribute(Kernel& kernel, FunctionAttribute attribute, int value);

  // Resident blocks on one multiprocessor.
  int active_blocks(Kernel& kernel, int threads, size_t dynamic_shared);
  // Blocks of a cluster: what the kernel asks for, or else the launch; none: neither does.
  static std::optional<exec::Dim3> cluster(const KernelOperation& operation);
  // The most blocks that a cluster of the kernel may have (CUDA C++ Programming Guide, "Thread Block Clusters").
  static uint64_t most_cluster_blocks(const Kernel& kernel);
  // Blocks of the launch that the device holds at once.
  uint64_t resident_blocks(const KernelOperation& operation);
  // The most dynamic shared memory with which `blocks` blocks still fit; InvalidValue if they never fit.
  Error dynamic_shared_for(Kernel& kernel, int blocks, int threads, size_t& bytes);
  // The inputs of the occupancy calculation, with the kernel's current attributes.
  device::OccupancyRequest occupancy_request(Kernel& kernel, int threads, size_t dynamic_shared);

 private:
  static Error check_cluster(const KernelOperation& operation);
  // run() in its steps.
  struct PreparedLaunch {
    exec::LaunchRequest request;
    std::optional<uint64_t> number;  // of the kernel's launches that are reported; nothing: it is not reported
    Timer::Plan plan;
    LaunchChecks::Run checks;
    Observed observed;
    record::LaunchRecord record;
  };
  PreparedLaunch prepare(const KernelOperation& operation, LaunchContext& context);
  uint32_t record(const Kernel& kernel, PreparedLaunch launch, const ObservedRun& run, Timer::Outcome time);
  // The model's clock leaves the launch out.
  void say_untimed(const Kernel& kernel, const Timer::Outcome& time);
  // Its counts are those of one order of many.
  void say_turns(const Kernel& kernel);
  // Models the launch's time, within the time limit.
  Timer::Outcome time(const Timer::Plan& plan, const Kernel& kernel, const exec::LaunchRequest& request,
                      const ObservedRun& run);

  const Device& device_;
  const KernelResourceModel& resources_;
  bool eight_byte_banks_ = false;
  exec::Engine& engine_;
  Recorder& recorder_;
  LaunchChecks& checks_;
  double timeout_seconds_;
  Say say_;
  BarrierMessages barrier_messages_;
  StrayMessages stray_messages_;
  ReportProgress progress_;
  bool model_clock_;
  bool allows_divergent_barriers_;
  bool runs_ordinary_grid_barriers_;               // in launches that are not cooperative, as a GPU does
  std::set<std::string> without_time_, in_turns_;  // kernels that say() has named
  Timer timer_;
  SampleLog samples_;
};

}  // namespace drywarp::cuda
