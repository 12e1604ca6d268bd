#include "session/timer.h"

#include <fmt/format.h>

#include "analysis/split_blocks.h"
#include "device/carveout.h"
#include "ir/inline_calls.h"
#include "lowering/lower.h"
#include "metrics/sums.h"
#include "session/kernel_resources.h"
#include "store/codec.h"
#include "timing/timing.h"

namespace drywarp::session {

Timer::Timer(const device::DeviceSpec& device, TimeMode mode, std::function<void(const std::string&)> complain)
    : device_(device), complain_(std::move(complain)), mode_(mode), plan_(mode) {
  if (mode != TimeMode::Off) model_ = timing::machine_model(device);
}

std::string Timer::complain(const Diagnostic& problem) {
  if (mode_ == TimeMode::All && complained_.insert(problem.message).second)
    complain_("drywarp: no times: " + problem.to_string());
  return problem.message;
}

const Timer::Lowered& Timer::lowered(const ir::Module& module, ir::FunctionId function,
                                     const std::shared_ptr<const KernelInfo>& info) {
  const auto [known, is_new] = kernels_.try_emplace(fmt::format("{}/{}", fmt::ptr(&module), function));
  Lowered& entry = known->second;
  if (!is_new) return entry;
  entry.info = info;
  const ir::Function code = analysis::split_at_waits(module, ir::inline_calls(module, module.functions[function]));
  const uint32_t capability = std::max(device_.compute_capability.number(), lowering::kOldest);
  auto result = lowering::lower(module, code, {.compute_capability = capability}, info.get());
  const Status known_numbers = result ? timing::can_time(*model_, timing::classes_of(*result)) : result.problem();
  if (known_numbers)
    entry.code = std::move(*result);
  else
    entry.problem = complain(known_numbers.problem());
  return entry;
}

device::Occupancy Timer::occupancy(const KernelInfo& kernel, const exec::LaunchRequest& request, int carveout) const {
  auto wanted =
      occupancy_request(device_, kernel, static_cast<uint32_t>(request.block.count()), request.dynamic_shared_bytes);
  if (carveout >= 0) wanted.carveout_percent = static_cast<uint32_t>(carveout);
  device::Occupancy fits = device::occupancy(device_, wanted);
  // What the L1 is left with depends on what the driver makes shared memory, not on what it could.
  fits.shared_capacity = static_cast<uint32_t>(device::drivers_carveout(device_, wanted, fits));
  return fits;
}

TraceRequest Timer::plan(const ir::Module& module, const std::shared_ptr<const KernelInfo>& kernel,
                         const exec::LaunchRequest& request, int carveout) {
  planned_ = nullptr;
  if (!model_) return {};
  planned_ = &lowered(module, request.function, kernel);
  if (!planned_->code) return {};
  shape_ = {kernel.get(), request.grid, request.block, request.dynamic_shared_bytes, carveout};
  if (!plan_.records(shape_)) return {};
  return plan_.record(request.grid.count());
}

Timer::Timed Timer::time(const exec::LaunchRequest& request, const exec::LaunchResult& result, int carveout) {
  if (mode_ == TimeMode::Off || !request.counted || result.fault || !result.kernel) return {};
  if (!planned_) return {};
  if (!planned_->code) return {nullptr, planned_->problem};
  const machine::MachineKernel& code = *planned_->code;
  std::string counts = store::encode(result.counts);
  if (auto known = plan_.ran(shape_, counts)) return {std::move(known), {}};
  const uint64_t instructions = metrics::sum_launch(*result.kernel, result.counts).all().warps;
  plan_.executed(instructions);
  if (!result.trace) return {nullptr, plan_.reason(false)};
  const device::Occupancy fits = occupancy(*result.kernel, request, carveout);
  const uint64_t grid = request.grid.count(), recorded = result.trace->blocks.size();
  const double a_block = static_cast<double>(instructions) / static_cast<double>(grid);
  const TimePlan::Part part = plan_.part(recorded, grid, fits.blocks, model_->sms, a_block);
  if (part.blocks == 0 && grid != 0 && fits.blocks != 0) return {nullptr, plan_.reason(true)};
  const timing::LaunchShape shape = {.blocks = grid,
                                     .threads_per_block = static_cast<uint32_t>(request.block.count()),
                                     .blocks_per_sm = fits.blocks,
                                     .shared_capacity = fits.shared_capacity,
                                     .instructions = static_cast<uint32_t>(result.kernel->instructions.size()),
                                     .sms = part.sms,
                                     .simulated = part.blocks};
  auto timed = timing::time_launch(*model_, code, *result.trace, shape);
  if (!timed) return {nullptr, complain(timed.problem())};
  auto time = std::make_shared<const timing::LaunchTime>(timing::launch_time(*timed, *model_, device_, code, fits));
  plan_.simulated(shape_, std::move(counts), static_cast<double>(part.blocks) * a_block,
                  static_cast<double>(instructions), time);
  return {std::move(time), {}};
}

}  // namespace drywarp::session
