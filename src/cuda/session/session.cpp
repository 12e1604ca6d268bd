#include "cuda/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "cuda/launch/call_sites.h"

namespace drywarp::cuda {

void LastErrors::note(Error error) {
  if (error == Error::Success) return;
  const std::lock_guard hold(mutex_);
  if (is_sticky(error) && sticky_ == Error::Success) sticky_ = error;
  last_[std::this_thread::get_id()] = error;
}

Error LastErrors::sticky() const {
  const std::lock_guard hold(mutex_);
  return sticky_;
}

Error LastErrors::peek() const {
  const Error sticky = this->sticky();
  return sticky != Error::Success ? sticky : mine();
}

Error LastErrors::mine() const {
  const std::lock_guard hold(mutex_);
  const auto mine = last_.find(std::this_thread::get_id());
  return mine == last_.end() ? Error::Success : mine->second;
}

void LastErrors::restore(Error mine) {
  const std::lock_guard hold(mutex_);
  last_[std::this_thread::get_id()] = mine;
}

Error LastErrors::take() {
  const Error error = peek();
  const std::lock_guard hold(mutex_);
  last_.erase(std::this_thread::get_id());
  return error;
}

namespace {

// Reports a file that cannot be read, and continues without it.
KernelResourceModel resource_model(const Options& options, const Hooks& hooks, const device::DeviceSpec& device) {
  auto compiled = read_compiled(options.compiled);
  if (!compiled) hooks.message("drywarp: " + compiled.problem().to_string());
  auto table = std::make_shared<fatbin::CompiledTable>(compiled ? std::move(*compiled) : fatbin::CompiledTable());
  return KernelResourceModel(device, std::move(table), 0, options.drawings, options.code_cache);
}

ReportProgress progress(const Options& options, const Hooks& hooks) {
  return options.progress ? hooks.progress : ReportProgress();
}

exec::EngineOptions engine_options(const Options& options, const Hooks& hooks, const device::DeviceSpec& device) {
  exec::EngineOptions out;
  out.clock_khz = device.sm_clock_khz;
  out.workers = options.workers;
  out.counters = options.counters;
  out.timeout_seconds = options.timeout_seconds;
  // What CUDA leaves undefined runs as on a GPU.
  out.divergent_barriers = options.divergent_barriers || !options.strict;
  out.stray_accesses = !options.strict;
  out.undefined_uses = !options.strict;
  out.stops_at_bad_arrivals = !LaunchChecks::looks_for(options, CheckTool::Synccheck);
  out.stops_at_bad_objects = options.strict && out.stops_at_bad_arrivals;
  out.code_cache = options.code_cache;
  out.cpu = options.cpu;
  if (options.quick_code) out.compile_budget = 0;
  out.print = hooks.print;
  out.progress = progress(options, hooks);
  return out;
}

}  // namespace

Session::Machine::Machine(Session& session, Device spec)
    : device(std::move(spec)),
      device_memory(device.memory_bytes(), LaunchChecks::looks_for(session.options_, CheckTool::Memcheck)
                                               ? exec::Placement::Apart
                                               : exec::Placement::Close),
      resources(resource_model(session.options_, session.hooks_, device.spec())),
      engine(engine_options(session.options_, session.hooks_, device.spec()), device_memory),
      memory(device_memory),
      virtual_memory(device_memory),
      interprocess(device_memory),
      recorder(session.options_, device.spec(), session.hooks_.message),
      log(device.spec(), recorder, session.options_.model_clock),
      checks(session.options_, device_memory, session.hooks_.message),
      launcher(device, resources, engine, recorder, checks, session.options_, session.hooks_.message,
               progress(session.options_, session.hooks_)),
      graphs(memory),
      backlog(session.mutex_,
              [&session](Work& work, SessionLock& lock) {
                if (const Error sticky = session.errors_.sticky(); sticky != Error::Success) return sticky;
                Background background{work, lock};
                const check::OperationMoment* const moment = work.moment ? &*work.moment : nullptr;
                const Error error = session.run(*work.stream, work.operation, &background, moment);
                if (work.late) session.machine_->checks.operations()->ran_host_functions(*moment);
                return error;
              }),
      streams({[&session](Stream& stream, const Operation& operation, const check::OperationMoment* moment) {
                 return session.run(stream, operation, nullptr, moment);
               },
               may_wait, [&session] { return session.recorder().open_ranges(); }},
              backlog, memory, log) {
  if (session.options_.model_clock) streams.use_model_clock();
  streams.tell(checks.operations());
  if (checks.looks_for(CheckTool::Leakcheck)) memory.objects().watch([] { return callers_of_library(); });
}

Session::Session(Options options, Hooks hooks) : options_(std::move(options)), hooks_(std::move(hooks)) {}

Session::~Session() {
  const auto hold = lock();
  drain();
}

SessionLock Session::try_lock_idle() {
  SessionLock hold(mutex_, std::try_to_lock);
  if (hold.owns_lock() && machine_ && !machine_->backlog.empty()) hold.unlock();
  return hold;
}

Error Session::ready() {
  if (const Error sticky = errors_.sticky(); sticky != Error::Success) return sticky;
  return start();
}

Error Session::start() {
  if (machine_ || start_error_ != Error::Success) return start_error_;
  auto spec = device::load_device(options_.device);
  if (!spec) {
    hooks_.message("drywarp: " + spec.problem().to_string());
    return start_error_ = Error::NoDevice;
  }
  if (!options_.started.empty()) std::ofstream(options_.started).flush();
  machine_ = std::make_unique<Machine>(*this, Device(std::move(*spec)));
  engine_ = &machine_->engine;
  settings_.take_defaults(device().spec());
  return load_managed_variables();
}

Error Session::initialise_managed_variables() {
  const bool any =
      std::ranges::any_of(modules_.images(), [](const auto& image) { return image->has_managed_variables(); });
  if (!any) return Error::Success;
  if (const Error error = start(); error != Error::Success) return error;
  return load_managed_variables();
}

Error Session::load_managed_variables() {
  for (const auto& [host, variable] : modules_.variables()) {
    if (!variable.managed) continue;
    uint64_t address = 0, size = 0;
    if (const Error error = symbol(host, address, size); error != Error::Success) return error;
    *variable.managed = reinterpret_cast<void*>(address);
  }
  for (const auto& image : modules_.images()) {
    if (image->is_loaded() || !image->has_managed_variables()) continue;
    if (const Error error = image->load(machine_->engine, device().compute_capability(), hooks_.message);
        error != Error::Success)
      return error;
  }
  return Error::Success;
}

Error Session::symbol(const void* host, uint64_t& address, uint64_t& size) {
  const Variable* variable = modules_.find_variable(host);
  if (!variable) return Error::InvalidSymbol;
  if (const Error error = variable->image->load(machine_->engine, device().compute_capability(), hooks_.message);
      error != Error::Success)
    return error;
  const auto found = exec::Engine::global(variable->image->loaded(), variable->name);
  if (!found) return Error::InvalidSymbol;
  address = found->address;
  size = found->size;
  return Error::Success;
}

Error Session::load_image(std::vector<uint8_t> bytes, std::string name, Image*& out, std::string& log) {
  out = nullptr;
  auto image = std::make_unique<Image>(std::move(bytes), std::move(name));
  const auto say = [&](const std::string& text) {
    hooks_.message(text);
    log += text + "\n";
  };
  if (const Error error = image->load(machine_->engine, device().compute_capability(), say); error != Error::Success)
    return error;
  out = modules_.add(std::move(image));
  return Error::Success;
}

Error Session::unload_image(Image* image) {
  if (!modules_.is_live(image)) return Error::InvalidResourceHandle;
  streams().finish_all();
  modules_.unregister(image);
  return Error::Success;
}

void Session::drain() {
  if (!machine_ || machine_->backlog.empty()) return;
  draining_ = true;
  machine_->engine.abandon_waiting(true);
  machine_->streams.finish_all();
  machine_->engine.abandon_waiting(false);
  draining_ = false;
}

void Session::reset() {
  if (!machine_) return;
  drain();
  machine_->streams.reset();
  machine_->checks.leaked(machine_->memory.unfreed(), machine_->memory.objects().left());
  machine_->memory.objects().clear();
  machine_->checks.resetting(true);
  machine_->memory.reset();
  machine_->virtual_memory.reset();
  machine_->interprocess.reset();
  machine_->checks.resetting(false);
  textures_.clear(texture_table());
  settings_ = Settings{};
  settings_.take_defaults(device().spec());
  for (const auto& image : modules_.images()) image->forget_loaded();
}

void Session::interrupt() {
  if (exec::Engine* engine = engine_.load()) engine->interrupt();
}

bool Session::compiles_late() const { return machine_ && machine_->engine.compiles_late(); }

void Session::finish(int exit_code) {
  if (!machine_) return;
  // Does not wait for another thread's kernel: the process ends anyway.
  if (const SessionLock hold(mutex_, std::try_to_lock); hold.owns_lock()) drain();
  machine_->checks.leaked(machine_->memory.unfreed(), machine_->memory.objects().left());
  machine_->checks.finish();
  machine_->recorder.finish(exit_code);
}

}  // namespace drywarp::cuda
