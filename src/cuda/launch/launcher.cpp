#include "cuda/launch/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <iterator>

#include "base/support/plural.h"
#include "model/sm/residency.h"

namespace drywarp::cuda {
namespace {

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

using exec::FaultKind;

struct FaultError {
  FaultKind kind;
  Error error;
  const char* title;
};

constexpr FaultError kFaults[] = {
    {FaultKind::IllegalAddress, Error::IllegalAddress, "illegal memory access"},
    {FaultKind::MisalignedAddress, Error::MisalignedAddress, "misaligned memory access"},
    {FaultKind::SharedOutOfRange, Error::IllegalAddress, "shared or local memory access out of range"},
    {FaultKind::IllegalInstruction, Error::IllegalInstruction, "instruction that cannot run"},
    {FaultKind::AssertFailed, Error::Assert, "assertion failed"},
    {FaultKind::Trap, Error::LaunchFailure, "trap"},
    {FaultKind::BarrierDeadlock, Error::LaunchFailure, "barrier that some threads never reach"},
    {FaultKind::StackOverflow, Error::LaunchFailure, "stack overflow"},
    {FaultKind::Timeout, Error::LaunchTimeout, "time limit reached"},
    {FaultKind::Interrupted, Error::LaunchFailure, "interrupted"},
    {FaultKind::Abandoned, Error::Success, "stopped"},
    {FaultKind::OutOfHostMemory, Error::MemoryAllocation, "out of memory on this machine"},
    {FaultKind::CompileFailed, Error::LaunchFailure, "kernel that could not be compiled (a bug in drywarp)"},
};

const FaultError& entry(FaultKind kind) {
  const auto* found = std::ranges::find(kFaults, kind, &FaultError::kind);
  return found == std::end(kFaults) ? kFaults[std::size(kFaults) - 1] : *found;
}

std::string triple(const exec::Dim3& d) { return fmt::format("({},{},{})", d.x, d.y, d.z); }

Error error_of(FaultKind kind) { return entry(kind).error; }

// Several lines, without a final newline:
//   drywarp: illegal memory access in saxpy(int, float, float*, float*)
//     at saxpy.cu:7: st.global.f32 [%rd8], %f4;
//     by thread (31,0,0) of block (2,0,0), at address 0x7f0000001000
//     the address is 12 bytes after an allocation of 4096 bytes
//     the program sees cudaErrorIllegalAddress (700)
std::string describe(const exec::Fault& fault) {
  const FaultError& what = entry(fault.kind);
  std::string text = fmt::format("drywarp: {} in {}", what.title, fault.kernel.empty() ? "a kernel" : fault.kernel);
  const std::string place = fault.location.to_string();
  if (!place.empty() && !fault.instruction.empty())
    text += fmt::format("\n  at {}: {}", place, fault.instruction);
  else if (!place.empty())
    text += "\n  at " + place;
  else if (!fault.instruction.empty())
    text += "\n  at " + fault.instruction;
  if (fault.has_thread) text += fmt::format("\n  by thread {} of block {}", triple(fault.thread), triple(fault.block));
  if (fault.has_address) text += fmt::format("{} address 0x{:x}", fault.has_thread ? ", at" : "\n  at", fault.address);
  if (!fault.message.empty()) {
    // The engine's message may have several lines; indent them all.
    std::string indented;
    for (const char c : fault.message) indented += c == '\n' ? std::string("\n  ") : std::string(1, c);
    text += "\n  " + indented;
  }
  if (fault.kind == FaultKind::Interrupted || fault.kind == FaultKind::Abandoned) return text;  // no error
  return text + fmt::format("\n  the program sees {} ({})", error_name(int(what.error)), int(what.error));
}

}  // namespace

const ir::Function& Launcher::code(const Kernel& kernel) { return kernel.image->code().functions[kernel.function]; }

Error Launcher::prepare(Kernel& kernel) {
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

  const int64_t shared = int64_t(function.shared_bytes) + operation.dynamic_shared_bytes;
  const int64_t allowed = kernel.max_dynamic_shared < 0 ? device_.attribute(Attribute::MaxSharedMemoryPerBlock)
                                                        : int64_t(function.shared_bytes) + kernel.max_dynamic_shared;
  if (shared > std::max(allowed, device_.attribute(Attribute::MaxSharedMemoryPerBlock))) return Error::InvalidValue;
  if (shared > device_.attribute(Attribute::MaxSharedMemoryPerBlockOptin)) return Error::InvalidValue;

  if (operation.cooperative) {
    const int64_t resident = int64_t(active_blocks(kernel, int(threads), operation.dynamic_shared_bytes)) *
                             device_.attribute(Attribute::MultiProcessorCount);
    if (operation.grid.count() > uint64_t(resident)) return Error::CooperativeLaunchTooLarge;
  }
  return Error::Success;
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
  Kernel& kernel = *operation.kernel;
  exec::LaunchRequest request;
  request.function = kernel.function;
  request.grid = operation.grid;
  request.block = operation.block;
  request.dynamic_shared_bytes = operation.dynamic_shared_bytes;
  request.cooperative = operation.cooperative;
  request.parameters = operation.parameters;
  request.shared_banks = shared_banks(device_.spec(), kernel.eight_byte_banks.value_or(eight_byte_banks_));
  const std::optional<uint64_t> reported = recorder_.should_count(*kernel.compiled.info, context.stream, context.range);
  request.counted = reported.has_value() || model_clock_;
  request.waits = std::move(context.waits);
  const auto start = Clock::now();
  Timer::Plan plan;
  if (request.counted) plan = timer_.plan(kernel.compiled, request, kernel.carveout);
  const Observed observed{plan.trace, request.counted && samples_.wants(plan.trace)};
  record::LaunchRecord record =
      recorder_.launch_begins(*kernel.compiled.info, request, context.stream, std::move(context.range), start);
  record.carveout = kernel.carveout;
  if (context.lock) context.lock->unlock();
  const ObservedRun run = run_observed(engine_, kernel.image->loaded(), *kernel.compiled.info, request, observed);
  if (context.lock) context.lock->lock();
  const exec::LaunchResult& result = run.result;
  Timer::Outcome time;
  if (request.counted) time = this->time(plan, kernel, request, run);
  if (model_clock_ && context.modelled) {
    if (time.time)
      context.modelled(time.time->summary.duration_ns);
    else if (without_time_.insert(kernel.compiled.info->display_name).second)
      say_(fmt::format("drywarp: {} has no modelled time, and events leave it out: {}",
                       kernel.compiled.info->display_name, time.reason.empty() ? "it did not complete" : time.reason));
  }
  if (!reported) time = {};
  recorder_.launch_ended(kernel.compiled.info, std::move(record), reported, result, std::move(time));
  samples_.add(*kernel.compiled.info, run.samples.get());
  if (!allows_divergent_barriers_)
    for (const std::string& message : barrier_messages_.new_ones(*kernel.compiled.info, result.counts.barrier_notes))
      say_(message);
  if (!result.fault) return Error::Success;
  say_(describe(*result.fault));
  return error_of(result.fault->kind);
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
  Timer::Outcome time = timer_.time(plan, kernel.image->code(),
                                    exec::Engine::code(kernel.image->loaded(), kernel.function), request, run, watch);
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
