// Runs the example kernels; shared by the benchmarks of the engine and of timing.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/exec/engine.h"
#include "kernel_cases.h"

namespace drywarp::bench {

// An engine with its memory and its loaded modules.
class Machine {
 public:
  Machine(unsigned workers, bool counters, const std::string& code_cache = "");

  // folder/<program>.ptx
  Result<std::shared_ptr<exec::LoadedModule>> load(const std::string& folder, const std::string& program);

  exec::Engine& engine() { return *engine_; }
  exec::DeviceMemory& memory() { return memory_; }

 private:
  exec::DeviceMemory memory_;
  std::unique_ptr<exec::Engine> engine_;
  std::map<std::string, std::shared_ptr<exec::LoadedModule>> modules_;
};

// A case ready to launch on a machine. It owns the buffers, allocated and filled.
class PreparedCase {
 public:
  static Result<std::unique_ptr<PreparedCase>> make(Machine& machine, const std::string& folder, const KernelCase& c);
  ~PreparedCase();
  PreparedCase(const PreparedCase&) = delete;
  PreparedCase& operator=(const PreparedCase&) = delete;

  exec::LaunchResult launch() { return machine_.engine().launch(*module_, request); }
  exec::LoadedModule& module() { return *module_; }
  exec::LaunchRequest request;

 private:
  PreparedCase(Machine& machine, std::shared_ptr<exec::LoadedModule> module)
      : machine_(machine), module_(std::move(module)) {}
  Machine& machine_;
  std::shared_ptr<exec::LoadedModule> module_;
  std::vector<uint64_t> buffers_;
};

// Warp instructions (PTX) of a launch with counters.
uint64_t warp_instructions(const KernelInfo& kernel, const exec::LaunchResult& result);

// Removes "--name=value" from the arguments; without it, `value` is unchanged.
void take_option(int& argc, char** argv, std::string_view name, std::string& value);

}  // namespace drywarp::bench
