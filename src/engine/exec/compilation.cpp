#include "engine/exec/compilation.h"

#include <fmt/format.h>

#include "base/support/plural.h"
#include "engine/exec/blocks/runtime_functions.h"

namespace drywarp::exec {
namespace {

std::string shape_text(const Dim3& size) {
  std::string text = std::to_string(size.x);
  if (size.y > 1 || size.z > 1) text += fmt::format("x{}", size.y);
  if (size.z > 1) text += fmt::format("x{}", size.z);
  return text;
}

}  // namespace

jit::Compiler* KernelCompiler::start() {
  const std::lock_guard hold(mutex_);
  if (compiler_ || !problem_.empty()) return compiler_.get();
  const auto cpu = jit::host_cpu(options_.cpu);
  if (!cpu) {
    problem_ = cpu.problem().to_string();
    return nullptr;
  }
  auto made = jit::Compiler::create(*cpu, runtime_symbols(), options_.code_cache,
                                    options_.compile_budget.value_or(jit::kCompileBudget));
  if (made)
    compiler_ = std::move(*made);
  else
    problem_ = made.problem().to_string();
  return compiler_.get();
}

Result<LoadedKernel*> KernelCompiler::in_time(std::function<Result<LoadedKernel*>()> work) {
  if (options_.timeout_seconds <= 0) return work();
  std::future<Result<LoadedKernel*>> code = std::async(std::launch::async, std::move(work));
  if (code.wait_for(std::chrono::duration<double>(options_.timeout_seconds)) == std::future_status::ready)
    return code.get();
  const std::lock_guard hold(mutex_);
  late_.push_back(std::move(code));
  return nullptr;
}

bool KernelCompiler::compiles_late() const {
  const std::lock_guard hold(mutex_);
  return !late_.empty();
}

Compilation::Compilation(KernelCompiler& compilers, const EngineOptions& options, LoadedModule& module,
                         const LaunchRequest& request)
    : compilers_(compilers),
      options_(options),
      module_(module),
      request_(request),
      compiler_(compilers.start()),
      reporter_(options.progress, [this] {
        return Progress{"compiling kernel",
                        display_name(module_.module->functions[request_.function].name),
                        fmt::format("for {} blocks", shape_text(request_.block)),
                        steps_->done,
                        steps_->total > 1 ? steps_->total.load() : 0,
                        "functions"};
      }) {
  fault_.kernel = module.module->functions[request.function].name;
}

void Compilation::fail(FaultKind kind, std::string message) { fault_.kind = kind, fault_.message = std::move(message); }

LoadedKernel* Compilation::load(const CodeForm& form) {
  if (!compiler_) return fail(FaultKind::CompileFailed, compilers_.problem()), nullptr;
  // After the time limit the work goes on without this object.
  const auto code =
      compilers_.in_time([form, compiler = compiler_, steps = steps_, loaded = module_.shared_from_this(),
                          function = request_.function, counters = options_.counters && request_.counted,
                          block = analysis::BlockShape{request_.block.x, request_.block.y, request_.block.z},
                          period = request_.shared_banks.period()] {
        return load_kernel(*loaded, *compiler, function, block, counters, form, period, *steps);
      });
  if (code && *code) return *code;
  if (code) {
    fail(FaultKind::Timeout, fmt::format("compiling the kernel for {} blocks took longer than {}",
                                         shape_text(request_.block), plural_real(options_.timeout_seconds, "second")));
    return nullptr;
  }
  // A problem with a location is the program's: an instruction that cannot be run.
  const Diagnostic& problem = code.problem();
  fail(problem.location.known() ? FaultKind::IllegalInstruction : FaultKind::CompileFailed, problem.message);
  fault_.location = problem.location;
  return nullptr;
}

}  // namespace drywarp::exec
