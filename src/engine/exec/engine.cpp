#include "engine/exec/engine.h"

#include <algorithm>
#include <thread>

#include "engine/exec/block_schedule.h"
#include "engine/exec/compilation.h"
#include "engine/exec/launch_setup.h"
#include "engine/exec/teams.h"
#include "engine/exec/workspace.h"

namespace drywarp::exec {
namespace {

EngineOptions with_workers(EngineOptions options) {
  if (options.workers == 0) options.workers = std::max(1u, std::thread::hardware_concurrency());
  return options;
}

Fault fault_of(const LoadedModule& module, const LaunchRequest& request, FaultKind kind, std::string message) {
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.kernel = module.module->functions[request.function].name;
  return fault;
}

// Tells the observers that want to know.
void tell_order(const LaunchCode& code, const analysis::BlockRaces& races, bool independent, uint64_t grid_barrier,
                const Dim3& cluster, std::span<observe::Observer* const> observers) {
  if (!code.observed) return;
  const std::vector<uint32_t>& numbers = code.observed->prepared.numbers.access;
  const auto accesses = [&](const std::vector<uint8_t>& instructions) {
    std::vector<uint32_t> all;
    for (size_t i = 0; i < instructions.size(); ++i)
      if (instructions[i] != 0 && numbers[i] != ir::kNone) all.push_back(numbers[i]);
    return all;
  };
  const std::vector<uint32_t> unwritten = accesses(races.unwritten),
                              writes = independent ? accesses(races.same_stores) : std::vector<uint32_t>{};
  // In functions that are really called, too.
  const auto tests_reads = [](const jit::PreparedFunction& f) {
    return std::ranges::any_of(f.tests, [](const auto& test) { return test.second.told_behind == ir::kNone; });
  };
  const bool tests = tests_reads(code.observed->prepared) ||
                     std::ranges::any_of(code.observed->owned, [&](const auto& f) { return tests_reads(f->prepared); });
  for (observe::Observer* observer : observers)
    if (observer->wants_order())
      observer->starts({independent, writes, unwritten, grid_barrier, tests, {cluster.x, cluster.y, cluster.z}});
}

}  // namespace

struct Engine::Impl {
  Impl(EngineOptions o, DeviceMemory& m)
      : options(with_workers(std::move(o))), memory(m), compilers(options), workspaces(m), teams(options.workers) {}

  const EngineOptions options;
  DeviceMemory& memory;
  TextureTable textures;
  KernelCompiler compilers;
  Workspaces workspaces;
  Teams teams;
  std::atomic<bool> interrupted{false}, abandoned{false};
  std::atomic<uint64_t> launches{0};

  // Compiles what the launch needs: null code and a fault if that fails.
  struct Plan {
    LaunchCode code;
    std::shared_ptr<const analysis::BlockRaces> races = std::make_shared<const analysis::BlockRaces>();
    bool independent = false;  // blocks, if an observer wants to know
    unsigned workers = 1;
    bool block_turns = false, lane_turns = false;  // Launch's
    uint64_t wave = 0;                             // likewise
    jit::Compiler* compiler = nullptr;
    std::optional<Fault> fault;
  };
  Plan plan(LoadedModule& module, const LaunchRequest& request);
};

Engine::Impl::Plan Engine::Impl::plan(LoadedModule& module, const LaunchRequest& request) {
  Plan plan;
  Compilation compilation(compilers, options, module, request);
  const auto load = [&](LoadedKernel*& code, const CodeForm& form) {
    code = compilation.load(form);
    if (!code) plan.fault = compilation.fault();
    return code != nullptr;
  };
  if (!load(plan.code.plain, {})) return plan;
  plan.compiler = compilation.compiler();
  RunEvents events;
  for (const observe::Observer* observer : request.observers) events = events | observer->events();
  const observe::BlockRange observed = next_observed(request.observers, 0, request.grid.count());
  if (observed.first < observed.end && !load(plan.code.observed, {.events = events.of_code()})) return plan;
  // Blocks that can observe each other run in one order (block_order.h), so that counts are the same every time.
  const LoadedKernel& kernel = *plan.code.plain;
  const bool clusters = request.cluster && request.cluster->count() > 1 && module.module->uses_clusters;
  // A block of one warp has nobody to let go first.
  const bool turns = std::ranges::all_of(request.observers, [](const auto* o) { return o->takes_turns(); });
  plan.block_turns = turns && request.block.count() > kWarpSize;
  plan.lane_turns = turns;
  plan.wave = clusters || !turns ? 0 : wave_of(module, *plan.code.plain, request, memory);
  const bool ordered = clusters || request.cooperative || request.resident_blocks != 0 || plan.wave != 0 ||
                       kernel.prepared.order_sensitive;
  plan.workers = ordered ? 1 : static_cast<unsigned>(std::min<uint64_t>(options.workers, request.grid.count()));
  const bool told = std::ranges::any_of(request.observers, [](const auto* o) { return o->wants_order(); });
  if (ordered || (plan.workers == 1 && !told)) return plan;
  plan.races = races_of(module, *plan.code.plain, request, memory);
  plan.independent = !plan.races->possible;
  if (plan.independent || plan.workers == 1) return plan;
  if (!can_be_watched(kernel, *plan.races, request, plan.workers))
    plan.workers = 1;
  else
    load(plan.code.watched, {.watched = true});
  return plan;
}

Engine::Engine(EngineOptions options, DeviceMemory& memory)
    : impl_(std::make_unique<Impl>(std::move(options), memory)) {}
Engine::~Engine() = default;

TextureTable& Engine::textures() { return impl_->textures; }

Result<std::shared_ptr<LoadedModule>> Engine::load(std::shared_ptr<const ir::Module> module) {
  return load_module(std::move(module), impl_->memory);
}

const ir::Module& Engine::module_of(const LoadedModule& loaded) { return *loaded.module; }

std::optional<Engine::GlobalVariable> Engine::global(const LoadedModule& loaded, const std::string& name) {
  const ir::SymbolId id = loaded.module->find_symbol(name);
  if (id == ir::kNone || loaded.symbols[id] == 0) return std::nullopt;
  return GlobalVariable{loaded.symbols[id], loaded.module->symbols[id].size};
}

std::shared_ptr<const KernelInfo> Engine::describe(LoadedModule& module, ir::FunctionId kernel) {
  const std::lock_guard hold(module.mutex);
  return kernel_info(module, kernel);
}

PollingCode Engine::polling_code(LoadedModule& module, ir::FunctionId kernel) {
  const std::lock_guard hold(module.mutex);
  return exec::polling_code(module, kernel);
}

const ir::Function& Engine::code(LoadedModule& module, ir::FunctionId function) {
  const std::lock_guard hold(module.mutex);
  return analysed(module, function).code;
}

std::vector<analysis::CodePart> Engine::parts(LoadedModule& module, ir::FunctionId kernel) {
  const std::lock_guard hold(module.mutex);
  std::vector<const ir::Function*> functions;
  for (const CalledFunctions::Part& part : called_functions(module, kernel).parts)
    functions.push_back(&analysed(module, part.function).code);
  return analysis::number_parts(functions);
}

bool Engine::may_wait(LoadedModule& module, ir::FunctionId function) { return exec::may_wait(module, function); }

bool Engine::uses_workspace(LoadedModule& module, ir::FunctionId function) {
  return exec::uses_workspace(module, function);
}

LaunchResult Engine::launch(LoadedModule& module, const LaunchRequest& request) {
  LaunchResult result;
  const auto asked = std::chrono::steady_clock::now();
  Impl::Plan plan = impl_->plan(module, request);
  if (plan.fault) {
    result.fault = std::move(plan.fault);
    return result;
  }
  const bool wanted = request.cooperative || request.resident_blocks != 0;
  const Workspaces::Lease workspace(impl_->workspaces, wanted);
  if (wanted && workspace.address() == 0) {
    result.fault = fault_of(module, request, FaultKind::OutOfHostMemory,
                            "no device memory for the workspace in which blocks synchronize their grid");
    return result;
  }
  const Teams::Claim claim(impl_->teams, plan.workers);
  Launch launch;
  const std::vector<uint8_t> parameters = parameters_of(request, *plan.code.plain);
  set_up(launch, module, *plan.code.plain, plan.code.observed, request, impl_->options);
  launch.compiler = plan.compiler;
  launch.memory = &impl_->memory;
  launch.textures = impl_->textures.snapshot();
  launch.parameters = parameters.data();
  if (const LoadedKernel* observed = plan.code.observed)
    launch.followed.start(observed->pointers, parameters.data(), observed->prepared.code.parameter_bytes,
                          launch.symbols, impl_->memory);
  launch.workspace = workspace.address();
  const uint64_t grid_barrier = launch.workspace == 0 ? 0 : launch.workspace + Workspaces::kGridBarrier;
  if (!request.cooperative) launch.ordinary_barrier = grid_barrier;
  launch.block_turns = plan.block_turns;
  launch.lane_turns = plan.lane_turns;
  launch.wave = plan.wave;
  // Blocks of a cluster start together.
  launch.shares_at_atomics =
      !plan.independent && !launch.in_clusters() &&
      std::ranges::any_of(request.observers, [](const auto* o) { return o->shares_at_atomics(); });
  launch.grid_id = ++impl_->launches;
  launch.interrupted = &impl_->interrupted;
  launch.abandoned = &impl_->abandoned;
  // The host or another launch may write what warps wait for at any time.
  launch.concurrent = request.waits || !claim.alone();
  launch.started = std::chrono::steady_clock::now();
  result.started = true;
  result.compile_seconds = std::chrono::duration<double>(launch.started - asked).count();
  {
    const ProgressReporter running(impl_->options.progress, [&launch, &plan] {
      return Progress{"running",
                      plan.code.plain->info->display_name,
                      "",
                      launch.blocks_done.load(std::memory_order_relaxed),
                      launch.grid.count(),
                      "blocks"};
    });
    tell_order(plan.code, *plan.races, plan.independent, grid_barrier, launch.cluster, request.observers);
    result.took_turns = launch.wave != 0 || (launch.block_turns && races_in_block(*plan.code.plain));
    BlockSchedule(launch, impl_->teams, plan.code, *plan.races, claim.workers()).run(request.observers, result);
  }
  result.counts.wavefront_bytes = request.shared_banks.row_bytes();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - launch.started).count();
  if (impl_->options.print)
    for (const auto& [block, text] : launch.printed) impl_->options.print(text.data(), text.size());
  for (auto& [block, made] : launch.launches) std::ranges::move(made, std::back_inserter(result.launches));
  result.fault = std::move(launch.fault);
  result.denied = std::move(launch.denied);
  for (Launch::GridBarrier& barrier : launch.grid_barriers) result.grid_barriers.push_back(std::move(barrier.use));
  for (auto& [place, use] : launch.undefined_uses) result.undefined_uses.push_back(std::move(use));
  return result;
}

void Engine::interrupt() { impl_->interrupted = true; }
bool Engine::interrupted() const { return impl_->interrupted; }
bool Engine::compiles_late() const { return impl_->compilers.compiles_late(); }
void Engine::abandon_waiting(bool yes) { impl_->abandoned = yes; }

}  // namespace drywarp::exec
