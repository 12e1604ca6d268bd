#include "session/timer.h"

#include <fmt/format.h>

#include "analysis/split_blocks.h"
#include "ir/inline_calls.h"
#include "lowering/lower.h"
#include "timing/timing.h"

namespace drywarp::session {
namespace {

// What is recorded of a launch: enough waves of blocks to see the steady state, within this memory.
constexpr uint64_t kTraceBytes = uint64_t{1} << 30;
constexpr uint64_t kWaves = 4;

}  // namespace

Timer::Timer(const device::DeviceSpec& device, bool wanted, std::function<void(const std::string&)> complain)
    : device_(device), complain_(std::move(complain)) {
  if (!wanted) return;
  auto model = timing::machine_model(device);
  if (model)
    model_ = std::move(*model);
  else
    complain_once(model.problem().to_string());
}

void Timer::complain_once(const std::string& what) {
  if (!std::exchange(complained_, true)) complain_("drywarp: no times: " + what);
}

const machine::MachineKernel* Timer::lowered(const ir::Module& module, ir::FunctionId function,
                                             const std::shared_ptr<const KernelInfo>& info) {
  const auto [known, is_new] = kernels_.try_emplace(fmt::format("{}/{}", fmt::ptr(&module), function));
  Lowered& entry = known->second;
  if (is_new) {
    entry.info = info;
    const ir::Function code = analysis::split_at_waits(module, ir::inline_calls(module, module.functions[function]));
    auto result =
        lowering::lower(module, code, {.compute_capability = device_.compute_capability.number()}, info.get());
    if (result)
      entry.code = std::move(*result);
    else
      complain_once(result.problem().to_string());
  }
  return entry.code ? &*entry.code : nullptr;
}

device::Occupancy Timer::occupancy(const machine::MachineKernel& code, const exec::LaunchRequest& request,
                                   uint64_t static_shared, int carveout) const {
  device::OccupancyRequest wanted;
  wanted.registers_per_thread = code.registers;
  wanted.threads_per_block = static_cast<uint32_t>(request.block.count());
  wanted.static_shared_bytes = static_shared;
  wanted.dynamic_shared_bytes = request.dynamic_shared_bytes;
  if (carveout >= 0) wanted.carveout_percent = static_cast<uint32_t>(carveout);
  device::Occupancy fits = device::occupancy(device_, wanted);
  // The block runs with what registers there are for it: ours are an estimate.
  while (fits.blocks == 0 && fits.limit[unsigned(device::OccupancyLimiter::Registers)] == 0 &&
         wanted.registers_per_thread > 1) {
    --wanted.registers_per_thread;
    fits = device::occupancy(device_, wanted);
  }
  return fits;
}

TraceRequest Timer::plan(const ir::Module& module, const std::shared_ptr<const KernelInfo>& kernel,
                         const exec::LaunchRequest& request, int carveout) {
  planned_ = nullptr;
  if (!model_) return {};
  planned_ = lowered(module, request.function, kernel);
  if (!planned_) return {};
  const device::Occupancy fits = occupancy(*planned_, request, kernel->static_shared_bytes, carveout);
  const uint64_t wave = std::max<uint64_t>(uint64_t{fits.blocks} * model_->sms, 1);
  return {std::min(kWaves * wave + 1, request.grid.count()), kTraceBytes};
}

std::shared_ptr<const timing::LaunchTime> Timer::time(const exec::LaunchRequest& request,
                                                      const exec::LaunchResult& result, int carveout) {
  if (!planned_ || !result.trace || result.fault) return nullptr;
  const device::Occupancy fits = occupancy(*planned_, request, result.kernel->static_shared_bytes, carveout);
  auto timed = timing::time_launch(*model_, *planned_, *result.trace,
                                   {.blocks = request.grid.count(),
                                    .threads_per_block = static_cast<uint32_t>(request.block.count()),
                                    .blocks_per_sm = fits.blocks,
                                    .shared_capacity = fits.shared_capacity,
                                    .instructions = static_cast<uint32_t>(result.kernel->instructions.size())});
  if (!timed) {
    complain_once(timed.problem().to_string());
    return nullptr;
  }
  return std::make_shared<const timing::LaunchTime>(timing::launch_time(*timed, *model_, device_, *planned_, fits));
}

}  // namespace drywarp::session
