// A module in the device's memory, and its kernels compiled so far.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "base/events/counts.h"
#include "base/events/poll_loop.h"
#include "base/support/result.h"
#include "engine/exec/memory/device_memory.h"
#include "engine/jit/abi/kernel_code.h"
#include "engine/jit/compiler.h"
#include "engine/observe/observer.h"
#include "language/analysis/block_races.h"
#include "language/analysis/passes.h"
#include "language/ir/kernel.h"

namespace drywarp::exec {

// What generated code reports beside its counts.
struct CodeForm {
  RunEvents events{};    // to observers
  bool watched = false;  // global accesses, to the ConflictWatch
  auto operator<=>(const CodeForm&) const = default;
};

// Where a function's counters start in the arrays of the kernel that calls it.
struct CounterBase {
  uint32_t blocks = 0, predicates = 0, branches = 0, accesses = 0;
};

// The variables of a kernel's shared memory, in order, and from which of them the address of an access is computed: by
// function and instruction a number among them, kNone where that is not known.
struct SharedLayout {
  std::vector<observe::SharedVariable> variables;
  std::map<ir::FunctionId, std::vector<uint32_t>> accessed;
  [[nodiscard]] bool tells_apart() const { return variables.size() > 1; }
  // The last one that begins at or before a place in the block's shared memory; null: none does.
  [[nodiscard]] const observe::SharedVariable* before(uint64_t place) const;
};

// A kernel (or a really called function) compiled for one shape of block.
class LoadedKernel {
 public:
  jit::PreparedFunction prepared;
  jit::CodeOptions options;
  jit::WarpFunction warp_form = nullptr;
  uint64_t frame_bytes = 0;  // of the host's stack, by the warp form
  double compile_seconds = 0;
  bool can_spin = false;           // has a loop that can wait for another thread
  std::atomic<bool> raced{false};  // a launch had a conflict: later ones run in order
  // The races of earlier launches (block_order.h), with the allocations of that time; the newest last.
  struct KnownRaces {
    std::vector<uint8_t> parameters;
    std::array<uint32_t, 3> grid{};
    uint64_t memory = 0;  // DeviceMemory::changes()
    std::shared_ptr<const analysis::BlockRaces> races;
  };
  std::vector<KnownRaces> known_races;  // under `mutex`
  uint64_t register_bytes = 0;          // of the register file of one call, for the lane-group scheduler
  std::shared_ptr<const KernelInfo> info;
  // Functions that are really called (recursive, or through pointers), by FunctionId; null: not called from here.
  struct Called {
    LoadedKernel* code = nullptr;
    CounterBase counters;
  };
  std::vector<Called> called;
  std::vector<std::unique_ptr<LoadedKernel>> owned;  // the code of `called`
  CounterBase counters;                              // sizes of the counter arrays, called functions included
  // Of code that reports denials: the kernel's shared memory, and SharedLayout::accessed of this function. Null: there
  // are no variables to tell apart.
  const SharedLayout* shared_layout = nullptr;
  const std::vector<uint32_t>* accessed_variables = nullptr;
  // Of a kernel that reports denials; empty: not yet, or a called function.
  analysis::PointerSources pointers;

  std::mutex mutex;
  // The group form is compiled when a warp first needs it.
  jit::PreparedFunction group_prepared;
  std::atomic<jit::GroupFunction> group_form{nullptr};
  uint64_t group_frame_bytes = 0;
};

class LoadedModule : public std::enable_shared_from_this<LoadedModule> {
 public:
  ~LoadedModule();
  std::shared_ptr<const ir::Module> module;
  DeviceMemory* memory = nullptr;
  std::vector<uint64_t> symbols;  // address of every module-scope variable, by SymbolId
  std::vector<uint64_t> owned;    // allocations to free
  std::string identity;           // a digest of the text, for the code cache
  std::mutex mutex;               // of what follows
  // Once, for every block shape.
  std::map<ir::FunctionId, jit::PreparedFunction> analysed;
  std::map<ir::FunctionId, std::shared_ptr<const KernelInfo>> described;
  std::map<ir::FunctionId, bool> waits;       // kernels: see may_wait()
  std::map<ir::FunctionId, bool> workspaces;  // likewise: uses_workspace()
  std::map<ir::FunctionId, bool> pointers;    // likewise: computes_pointers()
  std::map<ir::FunctionId, SharedLayout> shared_layouts;
  using KernelKey =
      std::tuple<ir::FunctionId, uint32_t, uint32_t, uint32_t, bool, CodeForm, uint32_t>;  // load_kernel's
  std::map<KernelKey, std::unique_ptr<LoadedKernel>> kernels;
};

// ---- module_loader.cpp

// Allocates and initialises the module's variables. Fails when one is defined nowhere or memory is used up.
Result<std::shared_ptr<LoadedModule>> load_module(std::shared_ptr<const ir::Module> module, DeviceMemory& memory);

// ---- called_functions.cpp; the module's mutex is held

// The function as analysed for any block shape.
const jit::PreparedFunction& analysed(LoadedModule& module, ir::FunctionId function);
// A kernel and the functions that it really calls, which share its counters.
struct CalledFunctions {
  struct Part {
    ir::FunctionId function = ir::kNone;
    CounterBase counters;
  };
  std::vector<Part> parts;  // the kernel first
  CounterBase counters;     // how many, of all parts
};
CalledFunctions called_functions(LoadedModule& module, ir::FunctionId kernel);

// ---- kernel_info.cpp; the module's mutex is held
std::shared_ptr<const KernelInfo> kernel_info(LoadedModule& module, ir::FunctionId kernel);

// ---- polling_code.cpp; the module's mutex is held
PollingCode polling_code(LoadedModule& module, ir::FunctionId kernel);

// ---- pointer_code.cpp; the module's mutex is held
// Whether the kernel has addresses that are computed from pointers of tables, or matrices of wmma.
bool computes_pointers(LoadedModule& module, ir::FunctionId kernel);

// ---- shared_layout.cpp; the module's mutex is held
const SharedLayout& shared_layout(LoadedModule& module, ir::FunctionId kernel);

// ---- kernel_loader.cpp
// Progress of load_kernel(): functions compiled, and in all.
struct CompileSteps {
  std::atomic<uint32_t> done{0}, total{0};
};
// The kernel for this block shape, compiled now if it is new. `shared_period`: see jit::CodeOptions.
Result<LoadedKernel*> load_kernel(LoadedModule& module, jit::Compiler& compiler, ir::FunctionId function,
                                  const analysis::BlockShape& block, bool counters, const CodeForm& form,
                                  uint32_t shared_period, CompileSteps& steps);
// Whether the kernel, or a function that it really calls, has a loop that can wait for another thread.
bool may_wait(LoadedModule& module, ir::FunctionId kernel);
// Whether it, or such a function, may synchronize its grid in the launch's workspace.
bool uses_workspace(LoadedModule& module, ir::FunctionId kernel);
Status load_group_form(LoadedModule& module, jit::Compiler& compiler, LoadedKernel& kernel);

}  // namespace drywarp::exec
