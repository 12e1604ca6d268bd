#include "cuda/launch/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/support/plural.h"
#include "cuda/launch/fault_messages.h"
#include "model/sm/residency.h"

namespace drywarp::cuda {
namespace {

// Blocks of a cluster that every GPU with clusters runs, and that an H100 runs on request.
constexpr uint64_t kPortableClusterBlocks = 8, kMostClusterBlocks = 16;

using exec::Dim3;

bool within(const Dim3& size, const Device& device, Attribute x, Attribute y, Attribute z) {
  const auto fits = [&](uint32_t side, Attribute attribute) {
    return side >= 1 && int64_t(side) <= device.attribute(attribute);
  };
  return fits(size.x, x) && fits(size.y, y) && fits(size.z, z);
}

uint64_t product(const uint32_t (&size)[3]) {
  return uint64_t(size[0]) * std::max(size[1], 1u) * std::max(size[2], 1u);
}

}  // namespace

const ir::Function& Launcher::code(const Kernel& kernel) { return kernel.image->code().functions[kernel.function]; }

Error Launcher::load(Kernel& kernel) {
  if (kernel.function != ir::kNone) return Error::Success;
  const Error error = kernel.image->load(engine_, device_.compute_capability(), say_);
  if (error != Error::Success) return error;
  const ir::FunctionId function = kernel.image->code().find_function(kernel.name);
  if (function == ir::kNone || !kernel.image->code().functions[function].is_kernel) {
    say_(fmt::format("drywarp: the program's PTX has no kernel named {}", kernel.name));
    return Error::InvalidDeviceFunction;
  }
  kernel.function = function;
  kernel.compiled = kernel.image->compile(function, resources_);
  return Error::Success;
}

Error Launcher::check(const KernelOperation& operation) {
  Kernel& kernel = *operation.kernel;
  const ir::Function& function = code(kernel);
  const uint64_t threads = operation.block.count();
  if (!within(operation.grid, device_, Attribute::MaxGridDimX, Attribute::MaxGridDimY, Attribute::MaxGridDimZ))
    return Error::InvalidConfiguration;
  if (!within(operation.block, device_, Attribute::MaxBlockDimX, Attribute::MaxBlockDimY, Attribute::MaxBlockDimZ))
    return Error::InvalidConfiguration;
  if (threads > uint64_t(device_.attribute(Attribute::MaxThreadsPerBlock))) return Error::InvalidConfiguration;
  if (function.reqntid[0] && Dim3{function.reqntid[0], std::max(function.reqntid[1], 1u),
                                  std::max(function.reqntid[2], 1u)} != operation.block)
    return Error::InvalidValue;
  if (function.maxntid[0] && threads > product(function.maxntid)) return Error::LaunchOutOfResources;

  if (const Error wrong = check_cluster(operation); wrong != Error::Success) return wrong;

  const int64_t shared = int64_t(function.shared_bytes) + operation.dynamic_shared_bytes;
  const int64_t allowed = kernel.max_dynamic_shared < 0 ? device_.attribute(Attribute::MaxSharedMemoryPerBlock)
                                                        : int64_t(function.shared_bytes) + kernel.max_dynamic_shared;
  if (shared > std::max(allowed, device_.attribute(Attribute::MaxSharedMemoryPerBlock))) return Error::InvalidValue;
  if (shared > device_.attribute(Attribute::MaxSharedMemoryPerBlockOptin)) return Error::InvalidValue;

  if (operation.cooperative) {
    const uint64_t fit = resident_blocks(operation);
    if (operation.grid.count() > fit) {
      const auto processors = uint64_t(device_.attribute(Attribute::MultiProcessorCount));
      checks_.grid_too_large(*kernel.compiled.info, operation.grid.count(), fit / processors, processors);
      return Error::CooperativeLaunchTooLarge;
    }
  }
  return Error::Success;
}

std::optional<exec::Dim3> Launcher::cluster(const KernelOperation& operation) {
  const auto& own = code(*operation.kernel).cluster;
  if (own[0] == 0) return operation.cluster;
  return exec::Dim3{own[0], std::max(own[1], 1u), std::max(own[2], 1u)};
}

// As an H100 answers: a launch may not ask for another cluster than the kernel does.
Error Launcher::check_cluster(const KernelOperation& operation) {
  const std::optional<exec::Dim3> size = cluster(operation);
  if (!size) return Error::Success;
  const exec::Dim3& grid = operation.grid;
  const bool divides = grid.x % size->x == 0 && grid.y % size->y == 0 && grid.z % size->z == 0;
  const bool other = operation.cluster && *operation.cluster != *size;
  const bool large = size->count() > most_cluster_blocks(*operation.kernel);
  return divides && !other && !large ? Error::Success : Error::InvalidClusterSize;
}

uint64_t Launcher::most_cluster_blocks(const Kernel& kernel) {
  return kernel.any_cluster_size ? kMostClusterBlocks : kPortableClusterBlocks;
}

uint64_t Launcher::resident_blocks(const KernelOperation& operation) {
  return uint64_t(active_blocks(*operation.kernel, int(operation.block.count()), operation.dynamic_shared_bytes)) *
         uint64_t(device_.attribute(Attribute::MultiProcessorCount));
}

std::vector<Launcher::ParameterSlot> Launcher::parameter_slots(const Kernel& kernel) {
  std::vector<ParameterSlot> out;
  const ir::Module& module = kernel.image->code();
  for (const ir::Parameter& parameter : code(kernel).parameters)
    out.push_back({module.symbols[parameter.symbol].offset, parameter.size});
  return out;
}

Error Launcher::pack(const Kernel& kernel, void* const* pointers, std::vector<uint8_t>& out) {
  out.assign(code(kernel).parameter_bytes, 0);
  const auto slots = parameter_slots(kernel);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!pointers || !pointers[i]) return Error::InvalidValue;
    std::memcpy(out.data() + slots[i].offset, pointers[i], slots[i].size);
  }
  return Error::Success;
}

Error Launcher::run(const KernelOperation& operation, LaunchContext context) {
  const Kernel& kernel = *operation.kernel;
  PreparedLaunch launch = prepare(operation, context);
  // Permissions of its own are in the device's memory meanwhile: no other launch may begin.
  if (launch.checks.has_permissions) context.lock = nullptr;
  if (context.lock) context.lock->unlock();
  ObservedRun run =
      run_observed(engine_, kernel.image->loaded(), *kernel.compiled.info, launch.request, launch.observed);
  if (context.lock) context.lock->lock();
  Timer::Outcome time;
  if (launch.request.counted) time = this->time(launch.plan, kernel, launch.request, run);
  if (model_clock_ && !time.time) say_untimed(kernel, time);
  if (launch.number && run.result.took_turns) say_turns(kernel);
  const std::shared_ptr<const sm::LaunchTime> modelled = time.in_program ? time.in_program : time.time;
  if (context.launches) *context.launches = std::move(run.result.launches);
  const bool reported =
      checks_.end(launch.checks, launch.request, run.result, launch.number.has_value(), context.moment);
  const uint32_t place = record(kernel, std::move(launch), run, std::move(time));
  if (context.ran) context.ran(modelled.get(), place);
  if (!run.result.fault)
    return run.result.denied && !checks_.keeps_context() ? error_of(run.result.denied->kind) : Error::Success;
  if (!reported) say_(describe(*run.result.fault));
  return error_of(run.result.fault->kind);
}

Launcher::PreparedLaunch Launcher::prepare(const KernelOperation& operation, LaunchContext& context) {
  const Kernel& kernel = *operation.kernel;
  PreparedLaunch launch;
  exec::LaunchRequest& request = launch.request;
  request.function = kernel.function;
  request.grid = operation.grid;
  request.block = operation.block;
  request.cluster = cluster(operation);
  request.dynamic_shared_bytes = operation.dynamic_shared_bytes;
  request.cooperative = operation.cooperative;
  request.parameters = operation.parameters;
  request.shared_banks = shared_banks(device_.spec(), kernel.eight_byte_banks.value_or(eight_byte_banks_));
  const device::MatrixNumbers& matrix = device_.spec().timing.matrix;
  request.matrix = {static_cast<unsigned>(matrix.fraction_bits.value_or(0)),
                    static_cast<unsigned>(matrix.step_bytes.value_or(0)), matrix.quad_pairs.value_or(false),
                    static_cast<unsigned>(matrix.group_float8_bits.value_or(0))};
  request.wave = resident_blocks(operation);
  request.shared_unit = std::max(device_.spec().shared_allocation_unit, 1u);
  request.waits = std::move(context.waits);
  if (!request.cooperative && context.has_workspace && runs_ordinary_grid_barriers_ &&
      exec::Engine::uses_workspace(kernel.image->loaded(), kernel.function))
    request.resident_blocks = resident_blocks(operation);
  // The blocks that do not fit wait for those that wait for them: that ends nowhere else.
  const bool too_many = request.resident_blocks != 0 && request.grid.count() > request.resident_blocks;
  if (too_many || checks_.looks_for(CheckTool::Synccheck)) request.stuck = std::move(context.stuck);
  launch.number = recorder_.should_count(*kernel.compiled.info, context.stream, context.range);
  request.counted = launch.number.has_value() || model_clock_;
  const auto start = Clock::now();
  if (request.counted) launch.plan = timer_.plan(kernel.compiled, request, kernel.carveout);
  launch.plan.reported = launch.number.has_value();
  launch.observed = {launch.plan.trace, request.counted && samples_.wants(launch.plan.trace), {}};
  launch.checks = checks_.begin(*kernel.compiled.info, request, launch.number.has_value(), operation.permissions.get());
  launch.observed.others = launch.checks.observers();
  launch.record =
      recorder_.launch_begins(*kernel.compiled.info, request, context.stream, std::move(context.range), start);
  launch.record.carveout = kernel.carveout;
  return launch;
}

void Launcher::say_untimed(const Kernel& kernel, const Timer::Outcome& time) {
  const std::string& name = kernel.compiled.info->display_name;
  if (without_time_.insert(name).second)
    say_(fmt::format("drywarp: {} has no modelled time, and events leave it out: {}", name,
                     time.reason.empty() ? "it did not complete" : time.reason));
}

void Launcher::say_turns(const Kernel& kernel) {
  const std::string& name = kernel.compiled.info->display_name;
  if (in_turns_.insert(name).second)
    say_(fmt::format(
        "drywarp: {}: how often loops run depends on the order of warps, which take turns in them; on a GPU "
        "it varies from run to run",
        name));
}

uint32_t Launcher::record(const Kernel& kernel, PreparedLaunch launch, const ObservedRun& run, Timer::Outcome time) {
  if (!launch.number) time = {};
  const uint32_t place = recorder_.launch_ended(kernel.compiled.info, std::move(launch.record), launch.number,
                                                run.result, std::move(time));
  samples_.add(*kernel.compiled.info, run.samples.get());
  for (const std::string& message : stray_messages_.new_ones(*kernel.compiled.info, run.result.counts.stray_accesses))
    say_(message);
  std::vector<exec::UndefinedUse> uses = run.result.undefined_uses;
  if (checks_.looks_for(CheckTool::Synccheck))  // which has found them
    std::erase_if(uses, [](const auto& use) { return use.of == exec::UndefinedUse::Of::BarrierObject; });
  if (run.result.fault)  // as of lines that no access can follow
    std::erase_if(uses, [](const auto& use) { return use.of == exec::UndefinedUse::Of::MatrixLines; });
  for (const std::string& message : stray_messages_.new_ones(*kernel.compiled.info, uses)) say_(message);
  if (!checks_.looks_for(CheckTool::Synccheck))
    for (const std::string& message : barrier_messages_.new_ones(*kernel.compiled.info, run.result.grid_barriers))
      say_(message);
  if (allows_divergent_barriers_ || checks_.looks_for(CheckTool::Synccheck)) return place;
  for (const std::string& message : barrier_messages_.new_ones(*kernel.compiled.info, run.result.counts.barrier_notes))
    say_(message);
  return place;
}

Timer::Outcome Launcher::time(const Timer::Plan& plan, const Kernel& kernel, const exec::LaunchRequest& request,
                              const ObservedRun& run) {
  std::atomic<uint64_t> begun{0}, blocks{0};
  const ProgressReporter reporter(
      progress_, [&] { return Progress{"timing", kernel.compiled.info->display_name, "", begun, blocks, ""}; });
  const auto start = Clock::now();
  bool late = false;
  const auto watch = [&](uint64_t now, uint64_t all) {
    begun = now, blocks = all;
    late = timeout_seconds_ > 0 && std::chrono::duration<double>(Clock::now() - start).count() > timeout_seconds_;
    return !late && !engine_.interrupted();
  };
  const auto parts = exec::Engine::parts(kernel.image->loaded(), kernel.function);
  Timer::Outcome time = timer_.time(plan, kernel.image->code(), parts, request, run, watch);
  if (late) {
    time.reason = fmt::format("modelling it took longer than {}", plural_real(timeout_seconds_, "second"));
    say_(fmt::format("drywarp: {} has no time: {}", kernel.compiled.info->display_name, time.reason));
  }
  return time;
}

FunctionFacts Launcher::facts(Kernel& kernel) {
  const ir::Function& function = code(kernel);
  FunctionFacts out;
  out.shared_bytes = function.shared_bytes;
  for (const ir::Symbol& symbol : kernel.image->code().symbols)
    if (symbol.space == AddressSpace::Const) out.constant_bytes += symbol.size;
  out.local_bytes = kernel.compiled.info->local_bytes;
  out.registers = int(kernel.compiled.info->registers);
  out.ptx_version = architecture(kernel.image->code());
  out.binary_version = int(device_.compute_capability());
  out.carveout = kernel.carveout;
  out.max_dynamic_shared = kernel.max_dynamic_shared >= 0 ? kernel.max_dynamic_shared
                                                          : int(device_.attribute(Attribute::MaxSharedMemoryPerBlock)) -
                                                                int(function.shared_bytes);
  unsigned threads = unsigned(device_.attribute(Attribute::MaxThreadsPerBlock));
  if (function.maxntid[0]) threads = std::min<unsigned>(threads, unsigned(product(function.maxntid)));
  if (function.reqntid[0]) threads = std::min<unsigned>(threads, unsigned(product(function.reqntid)));
  out.max_threads = int(threads);
  return out;
}

Error Launcher::set_attribute(Kernel& kernel, FunctionAttribute attribute, int value) {
  if (attribute == FunctionAttribute::Carveout) {
    if (value < -1 || value > 100) return Error::InvalidValue;
    kernel.carveout = value;
    return Error::Success;
  }
  if (attribute == FunctionAttribute::AnyClusterSize) {
    kernel.any_cluster_size = value != 0;
    return Error::Success;
  }
  const int64_t most = device_.attribute(Attribute::MaxSharedMemoryPerBlockOptin) - int64_t(code(kernel).shared_bytes);
  if (value < 0 || value > most) return Error::InvalidValue;
  kernel.max_dynamic_shared = value;
  return Error::Success;
}

device::OccupancyRequest Launcher::occupancy_request(Kernel& kernel, int threads, size_t dynamic_shared) {
  auto request = sm::occupancy_request(device_.spec(), *kernel.compiled.info,
                                       {uint64_t(threads), dynamic_shared, kernel.carveout});
  request.max_dynamic_shared_bytes = uint64_t(std::max(facts(kernel).max_dynamic_shared, 0));
  return request;
}

int Launcher::active_blocks(Kernel& kernel, int threads, size_t dynamic_shared) {
  if (threads <= 0) return 0;
  return int(device::occupancy(device_.spec(), occupancy_request(kernel, threads, dynamic_shared)).blocks);
}

Error Launcher::dynamic_shared_for(Kernel& kernel, int blocks, int threads, size_t& bytes) {
  bytes = 0;
  if (blocks <= 0 || threads <= 0) return Error::InvalidValue;
  const auto most =
      device::available_dynamic_shared(device_.spec(), occupancy_request(kernel, threads, 0), uint32_t(blocks));
  if (!most) return Error::InvalidValue;
  bytes = *most;
  return Error::Success;
}

}  // namespace drywarp::cuda
