// Runs kernels: the interface of the engine.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/events/counts.h"
#include "base/events/poll_loop.h"
#include "base/support/progress.h"
#include "base/support/result.h"
#include "engine/exec/blocks/device_launch.h"
#include "engine/exec/blocks/fault.h"
#include "engine/exec/matrix/multiply.h"
#include "engine/exec/memory/device_memory.h"
#include "engine/exec/textures/texture_table.h"
#include "engine/observe/observer.h"
#include "language/analysis/code_numbers.h"
#include "language/ir/kernel.h"

namespace drywarp::exec {

struct LaunchRequest {
  ir::FunctionId function = 0;
  Dim3 grid, block;
  // Blocks of a cluster, which divide the grid. Of a kernel that does not use clusters, they run as ordinary ones.
  std::optional<Dim3> cluster;
  uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;  // every block must be resident: grid-wide sync works
  // Not 0: the launch is not cooperative, and its blocks may synchronize their grid all the same; so many are resident
  // at once.
  uint64_t resident_blocks = 0;
  // Blocks that the GPU has resident at once, as far as they take turns (analysis::RacingLoops); 0: not known.
  uint64_t wave = 0;
  SharedBanks shared_banks;                   // by which accesses to shared memory are counted
  MatrixArithmetic matrix;                    // of the device's tensor cores; zero: it has none
  uint32_t shared_unit = 1;                   // bytes; a GPU allocates a block's shared memory in multiples of it
  bool counted = true;                        // false: runs without counters, LaunchResult::counts stays empty
  std::vector<observe::Observer*> observers;  // that watch the run; not owned
  std::vector<uint8_t> parameters;            // the kernel's parameter buffer, laid out as Function::parameters says
  // Called once, from a thread of the launch, when its warps have only waited for some time, perhaps for the host or
  // another launch. May be empty.
  std::function<void()> waits;
  // Told true again and again when its warps have only waited for seconds, and false when one goes on. Whether nobody
  // outside the launch will end that: then it fails with BarrierDeadlock. May be empty.
  std::function<bool(bool is)> stuck;
};

struct LaunchResult {
  LaunchCounts counts;         // only barrier_notes when counters are off
  double seconds = 0;          // wall time of the run on this machine, not a prediction
  unsigned workers = 1;        // threads of the host that its last blocks ran on
  double compile_seconds = 0;  // JIT time, 0 when cached in this process
  bool started = false;        // false: no block ran, and `fault` says why
  bool took_turns = false;     // warps took turns in loops that others' writes end: see analysis::RacingLoops
  std::optional<Fault> fault;  // set: counts are of what ran before it
  // The first access that lanes left out because an observer wanted to be told (RunEvents::denials).
  std::optional<Fault> denied;
  std::vector<OrdinaryGridBarrier> grid_barriers;  // one an instruction
  std::vector<UndefinedUse> undefined_uses;        // likewise
  // What its threads have launched: in block order, and of a block in the order in which it did so. None of it has run.
  std::vector<DeviceOperation> launches;
};

struct EngineOptions {
  unsigned workers = 0;  // threads that run blocks; 0: one a core
  bool counters = true;
  uint32_t clock_khz = 1'000'000;   // how many cycles of clock64 make a nanosecond of globaltimer
  double timeout_seconds = 0;       // a launch that compiles or runs longer is stopped; 0: never
  bool divergent_barriers = false;  // whole warps may meet at different bar instructions of one number
  // Lanes may access what lies outside of every allocation if a GPU has mapped it: LaunchCounts::stray_accesses. Not in
  // launches of which an observer wants to be told of denials.
  bool stray_accesses = false;
  // Uses of what is no barrier object or no tensor map are in LaunchResult::undefined_uses, and the launch goes on.
  bool undefined_uses = false;
  bool stops_at_bad_objects = false;  // the first use of what is no barrier object is a fault
  // Arrivals that no phase of a barrier object waits for are faults, as on an H200.
  bool stops_at_bad_arrivals = false;
  std::string code_cache;                  // folder for compiled kernels; empty: none
  std::optional<uint64_t> compile_budget;  // see jit::Compiler; none: its own
  std::string cpu;                         // "", "avx512", "avx2", "sse": the widest vectors that may be used
  std::function<void(const char*, size_t)>
      print;                // device printf's text, whole lines' worth, in block order per launch
  ReportProgress progress;  // may be empty
};

// A module in memory: its globals are allocated and initialised.
class LoadedModule;

class Engine {
 public:
  Engine(EngineOptions options, DeviceMemory& memory);
  ~Engine();

  // Allocates and initialises the module's globals. Fails when an extern symbol is defined nowhere.
  Result<std::shared_ptr<LoadedModule>> load(std::shared_ptr<const ir::Module> module);
  [[nodiscard]] static const ir::Module& module_of(const LoadedModule& loaded);
  // Address and size of a module-scope variable; nullopt if there is none of that name.
  struct GlobalVariable {
    uint64_t address = 0, size = 0;
  };
  [[nodiscard]] static std::optional<GlobalVariable> global(const LoadedModule& loaded, const std::string& name);

  // Runs a kernel to its end. Launch limits (threads a block, shared memory ...) are the caller's to check. Several may
  // run at a time, each called in a thread of its own.
  LaunchResult launch(LoadedModule& module, const LaunchRequest& request);

  // The objects that fetches and surface accesses of later launches name.
  [[nodiscard]] TextureTable& textures();

  // Whether the kernel has code that can wait for another thread; all other launches end by themselves.
  static bool may_wait(LoadedModule& module, ir::FunctionId function);
  // Whether the kernel may synchronize its grid.
  static bool uses_workspace(LoadedModule& module, ir::FunctionId function);

  // What counts and traces number: a kernel's instructions, and those of the functions that it really calls. Resources
  // are not known here.
  static std::shared_ptr<const KernelInfo> describe(LoadedModule& module, ir::FunctionId kernel);
  // How the kernel polls what other blocks may write.
  static PollingCode polling_code(LoadedModule& module, ir::FunctionId kernel);
  // The code that runs: see analysis::code_to_run.
  [[nodiscard]] static const ir::Function& code(LoadedModule& module, ir::FunctionId function);

  // The kernel, and the functions that it really calls.
  [[nodiscard]] static std::vector<analysis::CodePart> parts(LoadedModule& module, ir::FunctionId kernel);

  // From a signal handler or another thread: the running launch stops soon, with FaultKind::Interrupted.
  void interrupt();
  // While set, launches that only wait stop with FaultKind::Abandoned.
  void abandon_waiting(bool yes);

  [[nodiscard]] bool interrupted() const;
  // Whether a compilation that took longer than the time limit still runs in the background: LLVM cannot be stopped,
  // and the destructor waits for it. A process that ends should then exit at once.
  [[nodiscard]] bool compiles_late() const;

  // The device-side malloc heap (part of DeviceMemory) and the printf buffer are unlimited.
 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace drywarp::exec
