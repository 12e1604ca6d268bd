#include "engine/exec/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "base/events/counts.h"
#include "base/support/plural.h"
#include "engine/exec/block_order.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/blocks/warp.h"
#include "engine/exec/blocks/worker_threads.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/accesses.h"

namespace drywarp::exec {
namespace {

constexpr uint64_t kCallStack = 256 * 1024;  // local memory a thread for really called functions
constexpr uint64_t kSharesAWorker = 32, kLargestShare = 16;

// thread_index of Launch: the lanes' tid, warp by warp.
std::vector<uint32_t> thread_indices(const Dim3& block, uint32_t warps) {
  std::vector<uint32_t> index(size_t{warps} * 3 * kWarpSize + 16);
  for (uint32_t w = 0; w < warps; ++w) {
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const uint32_t t = w * kWarpSize + lane;
      uint32_t* at = &index[size_t{w} * 3 * kWarpSize + lane];
      at[0] = t % block.x, at[kWarpSize] = t / block.x % block.y, at[2 * kWarpSize] = t / block.x / block.y;
    }
  }
  return index;
}

std::string shape_text(const Dim3& size) {
  std::string text = std::to_string(size.x);
  if (size.y > 1 || size.z > 1) text += fmt::format("x{}", size.y);
  if (size.z > 1) text += fmt::format("x{}", size.z);
  return text;
}

LaunchCounts counts_of(Worker& worker) {
  flush_sites(worker);
  LaunchCounts counts;
  counts.blocks_run = worker.blocks_run, counts.warps_run = worker.warps_run, counts.threads_run = worker.threads_run;
  counts.blocks.assign(worker.blocks.begin(), worker.blocks.end());
  counts.predicates.assign(worker.predicates.begin(), worker.predicates.end());
  counts.branches.assign(worker.branches.begin(), worker.branches.end());
  for (const jit::AccessSite& site : worker.sites) counts.accesses.push_back(site.total);
  return counts;
}

}  // namespace

struct Engine::Impl {
  EngineOptions options;
  DeviceMemory& memory;
  std::unique_ptr<jit::Compiler> compiler;
  std::string compiler_problem;
  std::unique_ptr<WorkerThreads> threads;
  std::atomic<bool> interrupted{false}, abandoned{false};
  std::mutex mutex;  // of what follows and `compiler`
  uint64_t launches = 0;
  unsigned running = 0;  // launches
  bool threads_taken = false;
  uint64_t clock = 0;                                    // of the device, after the launches so far
  std::vector<std::future<Result<LoadedKernel*>>> late;  // compilations that took too long
  using Fibers = std::vector<std::vector<std::unique_ptr<Fiber>>>;
  Fibers fibers;           // a worker: stacks for its next launch; a launch takes them all
  uint64_t workspace = 0;  // for the next cooperative launch

  Impl(EngineOptions o, DeviceMemory& m) : options(std::move(o)), memory(m) {
    if (options.workers == 0) options.workers = std::max(1u, std::thread::hardware_concurrency());
  }

  // LLVM takes time to start, so only when the first kernel needs it.
  jit::Compiler* start_compiler() {
    const std::lock_guard hold(mutex);
    if (compiler || !compiler_problem.empty()) return compiler.get();
    auto cpu = jit::host_cpu(options.cpu);
    if (!cpu) {
      compiler_problem = cpu.problem().to_string();
      return nullptr;
    }
    auto made = jit::Compiler::create(*cpu, runtime_symbols(), options.code_cache,
                                      options.compile_budget.value_or(jit::kCompileBudget));
    if (made) {
      compiler = std::move(*made);
    } else {
      compiler_problem = made.problem().to_string();
    }
    return compiler.get();
  }

  // The code, or null after the time limit: then `work` continues in the background with what it owns.
  Result<LoadedKernel*> in_time(std::function<Result<LoadedKernel*>()> work) {
    if (options.timeout_seconds <= 0) return work();
    std::future<Result<LoadedKernel*>> code = std::async(std::launch::async, std::move(work));
    if (code.wait_for(std::chrono::duration<double>(options.timeout_seconds)) == std::future_status::ready)
      return code.get();
    const std::lock_guard hold(mutex);
    late.push_back(std::move(code));
    return nullptr;
  }

  uint64_t next_grid_id() {
    const std::lock_guard hold(mutex);
    return ++launches;
  }

  void run(Launch& launch, unsigned workers, LaunchCounts& counts) {
    std::vector<Worker> team(workers);
    const CounterBase& sizes = launch.kernel->counters;
    std::unique_lock hold(mutex);
    Fibers mine = std::exchange(fibers, {});
    const uint64_t now = clock;
    hold.unlock();
    if (mine.size() < workers) mine.resize(workers);
    for (size_t i = 0; i < team.size(); ++i) {
      Worker& w = team[i];
      w.launch = &launch;
      w.fibers = &mine[i];
      w.clock = now;
      w.log = launch.watch ? &launch.watch->log(static_cast<unsigned>(i)) : nullptr;
      w.may_leave = i > 0;
      w.blocks.resize(sizes.blocks);
      w.predicates.resize(sizes.predicates);
      w.branches.resize(sizes.branches);
      w.sites.resize(sizes.accesses);
    }
    launch.running = workers;
    if (workers == 1) {
      run_worker(team[0]);
    } else {
      if (!threads) threads = std::make_unique<WorkerThreads>(options.workers);
      threads->run(team.size(), [&](size_t i) { run_worker(team[i]); });
    }
    hold.lock();
    for (const Worker& w : team) clock = std::max(clock, w.clock);
    if (fibers.size() < mine.size()) fibers = std::move(mine);
    hold.unlock();
    if (launch.counters)
      for (Worker& w : team) counts += counts_of(w);
    for (const BarrierNote& note : std::exchange(launch.barrier_notes, {})) add(counts.barrier_notes, note);
  }
};

namespace {

constexpr uint64_t kWorkspace = 4096;

}  // namespace

// Zeroed device memory in which the blocks of a cooperative launch synchronize.
struct Engine::Workspace {
  Workspace(Impl& e, bool wanted) : engine(e) {
    if (!wanted) return;
    {
      const std::lock_guard hold(engine.mutex);
      address = std::exchange(engine.workspace, 0);
    }
    if (address == 0) address = engine.memory.allocate(kWorkspace, MemoryKind::Device).value_or(0);
    if (address != 0) std::fill_n(reinterpret_cast<uint8_t*>(address), kWorkspace, uint8_t{0});
  }
  ~Workspace() {
    if (address == 0) return;
    const std::lock_guard hold(engine.mutex);
    if (engine.workspace != 0) engine.memory.free(std::exchange(engine.workspace, 0));
    engine.workspace = address;
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  Impl& engine;
  uint64_t address = 0;
};

// The threads that run a launch's blocks. One launch at a time has them; a concurrent launch runs on its own thread.
struct Engine::WorkerClaim {
  WorkerClaim(Impl& e, unsigned wanted) : engine(e) {
    const std::lock_guard hold(engine.mutex);
    alone = engine.running++ == 0;
    if (wanted > 1 && !std::exchange(engine.threads_taken, true)) workers = wanted;
  }
  ~WorkerClaim() {
    const std::lock_guard hold(engine.mutex);
    --engine.running;
    if (workers > 1) engine.threads_taken = false;
  }
  WorkerClaim(const WorkerClaim&) = delete;
  WorkerClaim& operator=(const WorkerClaim&) = delete;
  Impl& engine;
  unsigned workers = 1;
  bool alone = true;  // no other launch ran when this one began
};

Engine::Engine(EngineOptions options, DeviceMemory& memory)
    : impl_(std::make_unique<Impl>(std::move(options), memory)) {}
Engine::~Engine() = default;

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

const ir::Function& Engine::code(LoadedModule& module, ir::FunctionId function) {
  const std::lock_guard hold(module.mutex);
  return analysed(module, function).code;
}

bool Engine::may_wait(LoadedModule& module, ir::FunctionId function) { return exec::may_wait(module, function); }

LaunchResult Engine::launch(LoadedModule& module, const LaunchRequest& request) {
  LaunchResult result;
  auto fail = [&](FaultKind kind, std::string message) {
    Fault fault;
    fault.kind = kind;
    fault.message = std::move(message);
    fault.kernel = module.module->functions[request.function].name;
    result.fault = std::move(fault);
    return result;
  };
  jit::Compiler* compiler = impl_->start_compiler();
  if (!compiler) return fail(FaultKind::CompileFailed, impl_->compiler_problem);
  const bool counters = impl_->options.counters && request.counted;
  const auto before = std::chrono::steady_clock::now();
  const auto steps = std::make_shared<CompileSteps>();
  const auto load = [&](CodeVariant form) {
    return impl_->in_time([=, loaded = module.shared_from_this(), function = request.function,
                           block = analysis::BlockShape{request.block.x, request.block.y, request.block.z},
                           period = request.shared_banks.period()] {
      return load_kernel(*loaded, *compiler, function, block, counters, form, period, *steps);
    });
  };
  // The result of the launch if load() gave no code.
  const auto failed = [&](const Result<LoadedKernel*>& code) {
    if (code)
      return fail(FaultKind::Timeout,
                  fmt::format("compiling the kernel for {} blocks took longer than {}", shape_text(request.block),
                              plural_real(impl_->options.timeout_seconds, "second")));
    // A problem with a location is the program's: an instruction that cannot be run.
    const Diagnostic& problem = code.problem();
    fail(problem.location.known() ? FaultKind::IllegalInstruction : FaultKind::CompileFailed, problem.message);
    result.fault->location = problem.location;
    return result;
  };
  std::optional<ProgressReporter> compiling(std::in_place, impl_->options.progress, [&] {
    return Progress{"compiling kernel",
                    display_name(module.module->functions[request.function].name),
                    fmt::format("for {} blocks", shape_text(request.block)),
                    steps->done,
                    steps->total > 1 ? steps->total.load() : 0,
                    "functions"};
  });
  const auto usable = [](const Result<LoadedKernel*>& code) { return code && *code; };
  auto kernel = load(CodeVariant::Plain);
  if (!usable(kernel)) return failed(kernel);
  LoadedKernel& k = **kernel;
  LoadedKernel* traced = nullptr;
  if (request.trace.blocks != 0 || request.sampled) {
    auto code = load(CodeVariant::Traced);
    if (!usable(code)) return failed(code);
    traced = *code;
  }

  Launch launch;
  launch.module = module.module.get();
  launch.loaded = &module;
  launch.compiler = compiler;
  launch.kernel = &k;
  launch.memory = &impl_->memory;
  launch.grid = request.grid;
  launch.block = request.block;
  launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
  launch.static_shared_bytes = static_cast<uint32_t>(ir::dynamic_shared_offset(k.prepared.code));
  launch.shared_bytes = request.dynamic_shared_bytes != 0
                            ? uint64_t{launch.static_shared_bytes} + request.dynamic_shared_bytes
                            : k.prepared.code.shared_bytes;
  launch.program_shared_bytes = static_cast<uint32_t>(launch.shared_bytes);
  if (k.prepared.uses_reserved_shared)
    launch.shared_bytes = (launch.shared_bytes + kLineBytes - 1) / kLineBytes * kLineBytes + jit::kReservedShared;
  launch.local_stride = (k.prepared.code.local_bytes + (k.owned.empty() ? 0 : kCallStack) + 15) & ~uint64_t{15};
  launch.warps_per_block = static_cast<uint32_t>((request.block.count() + kWarpSize - 1) / kWarpSize);
  launch.cooperative = request.cooperative;
  launch.counters = counters;
  std::vector<uint8_t> parameters = request.parameters;
  parameters.resize(std::max<size_t>(parameters.size(), k.prepared.code.parameter_bytes) + 64);
  launch.parameters = parameters.data();
  launch.symbols = module.symbols.data();
  launch.grid_id = impl_->next_grid_id();
  launch.timeout_seconds = impl_->options.timeout_seconds;
  launch.divergent_barriers = impl_->options.divergent_barriers;
  launch.clock_khz = std::max(1u, impl_->options.clock_khz);
  launch.shared_banks = request.shared_banks;
  launch.thread_index = thread_indices(request.block, launch.warps_per_block);
  launch.interrupted = &impl_->interrupted;
  launch.abandoned = &impl_->abandoned;
  launch.waits = request.waits ? &request.waits : nullptr;
  const Workspace workspace(*impl_, request.cooperative);
  if (request.cooperative && workspace.address == 0)
    return fail(FaultKind::OutOfHostMemory, "no device memory for the workspace of a cooperative launch");
  launch.workspace = workspace.address;
  // Blocks that can observe each other run in one order (block_order.h), so that counts are the same every time.
  const bool ordered = request.cooperative || k.prepared.order_sensitive;
  unsigned wanted =
      ordered ? 1 : static_cast<unsigned>(std::min<uint64_t>(impl_->options.workers, request.grid.count()));
  auto found = std::make_shared<const analysis::BlockRaces>();
  if (wanted > 1) found = races_of(module, k, request, impl_->memory);
  const analysis::BlockRaces& races = *found;
  LoadedKernel* watched = nullptr;
  if (races.possible) {
    if (can_be_watched(k, races, request, wanted)) {
      auto code = load(CodeVariant::Watched);
      if (!usable(code)) return failed(code);
      watched = *code;
    } else {
      wanted = 1;
    }
  }
  compiling.reset();
  const WorkerClaim claim(*impl_, wanted);
  const unsigned workers = claim.workers;
  // The host or another launch may write what warps wait for at any time.
  launch.concurrent = request.waits || !claim.alone;
  launch.started = std::chrono::steady_clock::now();
  result.started = true;
  result.compile_seconds = std::chrono::duration<double>(launch.started - before).count();
  {
    const ProgressReporter running(impl_->options.progress, [&launch] {
      return Progress{"running",
                      launch.kernel->info->display_name,
                      "",
                      launch.blocks_done.load(std::memory_order_relaxed),
                      launch.grid.count(),
                      "blocks"};
    });
    auto run_blocks = [&](LoadedKernel& code, uint64_t first, uint64_t end, unsigned team, LaunchCounts& counts) {
      launch.kernel = &code;
      launch.code = code.warp_form;
      launch.next_block = first, launch.end_block = end;
      // Small enough for balance, large enough that workers seldom contend.
      launch.share = launch.ends_when_recorded
                         ? 1
                         : std::clamp<uint64_t>((end - first) / (uint64_t{team} * kSharesAWorker), 1, kLargestShare);
      impl_->run(launch, team, counts);
    };
    // If blocks may race, recorded blocks run in order and the others watched.
    const unsigned team = races.possible ? 1 : workers;
    auto run = [&](LoadedKernel& code, uint64_t first, uint64_t end) {
      run_blocks(code, first, end, team, result.counts);
      result.workers = team;
    };
    auto run_rest = [&](uint64_t first, uint64_t end) {
      if (watched && workers > 1) {
        result.workers = workers;
        first = run_watched(launch, workers, races, k.raced, first, end, result.counts,
                            [&](uint64_t begin, uint64_t part_end, LaunchCounts& counts) {
                              run_blocks(*watched, begin, part_end, workers, counts);
                            });
      }
      if (first < end && !launch.fault) run(k, first, end);
    };
    uint64_t begun = 0;
    if (traced) {
      // Blocks that can wait for each other must all be in flight together.
      const bool together = request.cooperative || k.can_spin;
      const bool all_sampled = request.samples_all_blocks();
      begun = together || all_sampled ? request.grid.count() : std::min(request.trace.blocks, request.grid.count());
      observe::Tracer tracer(request.trace, *k.info, request.grid.count(), launch.warps_per_block);
      if (all_sampled)
        tracer.sample_all();
      else if (request.sampled)
        tracer.sample_traced();
      launch.tracer = &tracer;
      launch.ends_when_recorded = !together && !all_sampled;
      run(*traced, 0, begun);
      begun = std::min(begun, launch.next_block.load());
      launch.ends_when_recorded = false;
      for (uint32_t i = 0; i < request.trace.sample_blocks && !all_sampled && !launch.fault; ++i) {
        const uint64_t sample_block = request.trace.sample_block(i, request.grid.count());
        if (sample_block < begun) continue;
        launch.tracer = nullptr;
        if (begun < sample_block) run_rest(begun, sample_block);
        launch.tracer = &tracer;
        if (!launch.fault) run(*traced, sample_block, sample_block + 1);
        begun = sample_block + 1;
      }
      launch.tracer = nullptr;
      if (!all_sampled) result.trace = tracer.take();
      if (request.sampled) result.samples = tracer.take_samples();
    }
    if (begun < request.grid.count() && !launch.fault) run_rest(begun, request.grid.count());
  }
  result.counts.wavefront_bytes = request.shared_banks.row_bytes();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - launch.started).count();
  if (impl_->options.print)
    for (const auto& [block, text] : launch.printed) impl_->options.print(text.data(), text.size());
  result.fault = std::move(launch.fault);
  return result;
}

void Engine::interrupt() { impl_->interrupted = true; }
bool Engine::interrupted() const { return impl_->interrupted; }
bool Engine::compiles_late() const {
  const std::lock_guard hold(impl_->mutex);
  return !impl_->late.empty();
}
void Engine::abandon_waiting(bool yes) { impl_->abandoned = yes; }

}  // namespace drywarp::exec
