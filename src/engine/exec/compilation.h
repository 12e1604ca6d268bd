// Compiles the kernel of a launch, within the time limit.
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/support/progress.h"
#include "engine/exec/blocks/fault.h"
#include "engine/exec/engine.h"
#include "engine/exec/kernels/loaded_module.h"

namespace drywarp::exec {

// Of one engine. Thread-safe.
class KernelCompiler {
 public:
  explicit KernelCompiler(const EngineOptions& options) : options_(options) {}

  // LLVM takes time to start, so only when the first kernel needs it. Null: it does not run here, and problem() says
  // why.
  jit::Compiler* start();
  [[nodiscard]] const std::string& problem() const { return problem_; }
  // The code, or null after the time limit: then `work` continues in the background with what it owns.
  Result<LoadedKernel*> in_time(std::function<Result<LoadedKernel*>()> work);
  // Whether some work continues in the background.
  [[nodiscard]] bool compiles_late() const;

 private:
  const EngineOptions& options_;
  mutable std::mutex mutex_;  // of what follows
  std::unique_ptr<jit::Compiler> compiler_;
  std::string problem_;
  std::vector<std::future<Result<LoadedKernel*>>> late_;
};

// Of one launch, in as many forms as it needs. Reports progress until it is destroyed.
class Compilation {
 public:
  Compilation(KernelCompiler& compilers, const EngineOptions& options, LoadedModule& module,
              const LaunchRequest& request);
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  // Null: fault() says why.
  LoadedKernel* load(const CodeForm& form);
  [[nodiscard]] jit::Compiler* compiler() const { return compiler_; }
  [[nodiscard]] const Fault& fault() const { return fault_; }

 private:
  void fail(FaultKind kind, std::string message);

  KernelCompiler& compilers_;
  const EngineOptions& options_;
  LoadedModule& module_;
  const LaunchRequest& request_;
  jit::Compiler* const compiler_;
  const std::shared_ptr<CompileSteps> steps_ = std::make_shared<CompileSteps>();
  Fault fault_;
  ProgressReporter reporter_;
};

}  // namespace drywarp::exec
