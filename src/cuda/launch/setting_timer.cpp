#include "cuda/launch/setting_timer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/device/occupancy_study.h"
#include "base/events/trace_rows.h"
#include "cuda/modules/kernel_resources.h"
#include "cuda/modules/module.h"
#include "language/analysis/passes.h"
#include "model/machine/machine_model.h"
#include "model/sm/residency.h"

namespace drywarp::cuda {
namespace {

constexpr unsigned kMostSteps = 3;  // register counts to try: each lets one block more fit

sm::BlockNeeds needs_of(const RecordedLaunch& launch) {
  return {launch.request.block.count(), launch.request.dynamic_shared_bytes, launch.carveout};
}

// Nothing if no block fits, or if simulating it is beyond the plan's budget.
Result<std::optional<double>> seconds(const machine::MachineModel& model, const TimePlan& plan,
                                      const RecordedLaunch& launch, const CompiledKernel& kernel,
                                      const device::Occupancy& fits, const sm::Watch& watch) {
  if (fits.blocks == 0 || !kernel.machine_code) return std::optional<double>();
  const auto planned = RecordedWork(*launch.trace, *kernel.info, launch.instructions)
                           .simulation(plan, *kernel.info, launch.request.block.count(), fits, model.sms);
  if (!planned) return std::optional<double>();
  auto timed =
      sm::time_launch(model, *kernel.machine_code, *select(launch.trace, planned->rows), planned->launch, watch);
  if (!timed) return timed.problem();
  return std::optional(timed->seconds);
}

int number(const std::string& value) {
  int out = 0;
  std::from_chars(value.data(), value.data() + value.size(), out);
  return out;
}

std::vector<std::string> block_sizes(const device::DeviceSpec& device, const RecordedLaunch& launch) {
  const ir::Function& function = launch.code();
  uint64_t most = device.max_threads_per_block;
  if (function.maxntid[0] != 0)
    most = std::min<uint64_t>(
        most, uint64_t{function.maxntid[0]} * std::max(function.maxntid[1], 1u) * std::max(function.maxntid[2], 1u));
  std::vector<std::string> sizes;
  for (uint32_t threads = 64; threads <= most; threads *= 2)
    if (threads != launch.request.block.count()) sizes.push_back(std::to_string(threads));
  return sizes;
}

std::vector<std::string> register_counts(const device::DeviceSpec& device, const RecordedLaunch& launch) {
  std::vector<std::string> counts;
  device::OccupancyRequest request = sm::occupancy_request(device, *launch.kernel.info, needs_of(launch));
  for (unsigned i = 0; i < kMostSteps; ++i) {
    const auto step = device::next_step(device, request);
    if (!step || !step->registers_per_thread || step->shared_bytes || step->barriers) break;
    request.registers_per_thread = *step->registers_per_thread;
    counts.push_back(std::to_string(request.registers_per_thread));
  }
  return counts;
}

// The carve-out that leaves L1 the most and as many blocks as now, and the one with the most blocks.
std::vector<std::string> carveouts(const device::DeviceSpec& device, const RecordedLaunch& launch) {
  if (device.shared_carveouts.empty()) return {};
  const device::Occupancy now = sm::occupancy_of(device, *launch.kernel.info, needs_of(launch));
  std::string largest_l1, most_blocks;
  uint32_t most = now.blocks;
  const uint64_t all = device.shared_carveouts.back();
  for (const uint64_t capacity : device.shared_carveouts) {
    sm::BlockNeeds needs = needs_of(launch);
    needs.carveout = static_cast<int>(100 * capacity / all);
    const device::Occupancy fits = sm::occupancy_of(device, *launch.kernel.info, needs);
    if (fits.shared_capacity != capacity || capacity == now.shared_capacity) continue;
    if (largest_l1.empty() && fits.blocks == now.blocks && capacity < now.shared_capacity)
      largest_l1 = std::to_string(needs.carveout);
    if (fits.blocks > most) most = fits.blocks, most_blocks = std::to_string(needs.carveout);
  }
  std::vector<std::string> out;
  for (std::string* percent : {&largest_l1, &most_blocks})
    if (!percent->empty()) out.push_back(std::move(*percent));
  return out;
}

std::vector<std::string> nothing(const device::DeviceSpec&, const RecordedLaunch&) { return {}; }

}  // namespace

SettingTimer::Seconds SettingTimer::with_block_size(const std::string& value, const RecordedLaunch& launch,
                                                    const sm::Watch& watch) {
  const auto threads = uint32_t(number(value));
  const exec::LaunchRequest& request = launch.request;
  const bool flat = request.grid.y * request.grid.z * request.block.y * request.block.z == 1;
  if (!flat || request.dynamic_shared_bytes != 0 || request.cooperative) return std::optional<double>();
  if (!analysis::any_block_size(launch.module, launch.code())) return std::optional<double>();
  whatif::TimedLaunch regrouped{{}, {}, *launch.trace, {}};
  regrouped.launch.blocks = request.grid.count();
  regrouped.launch.threads_per_block = static_cast<uint32_t>(request.block.count());
  if (!whatif::regroup(regrouped, threads)) return std::optional<double>();
  exec::LaunchRequest other = request;
  other.block = {threads, 1, 1};
  other.grid = {static_cast<uint32_t>(regrouped.launch.blocks), 1, 1};
  const auto trace = std::make_shared<const LaunchTrace>(std::move(regrouped.trace));
  const RecordedLaunch changed{launch.model, launch.module, launch.parts,    launch.kernel,
                               other,        trace,         launch.carveout, launch.instructions};
  return seconds(launch.model, plan_, changed, launch.kernel,
                 sm::occupancy_of(device_, *launch.kernel.info, needs_of(changed)), watch);
}

SettingTimer::Seconds SettingTimer::with_registers(const std::string& value, const RecordedLaunch& launch,
                                                   const sm::Watch& watch) {
  const auto most = uint32_t(number(value));
  if (most >= launch.kernel.info->registers) return std::optional<double>();
  const CompiledKernel kernel = lowered_again(device_, launch, most);
  // Launch bounds go before -maxrregcount.
  if (kernel.info->registers >= launch.kernel.info->registers) return std::optional<double>();
  return seconds(launch.model, plan_, launch, kernel, sm::occupancy_of(device_, *kernel.info, needs_of(launch)), watch);
}

SettingTimer::Seconds SettingTimer::with_carveout(const std::string& value, const RecordedLaunch& launch,
                                                  const sm::Watch& watch) {
  const device::Occupancy now = sm::occupancy_of(device_, *launch.kernel.info, needs_of(launch));
  sm::BlockNeeds needs = needs_of(launch);
  needs.carveout = number(value);
  const device::Occupancy fits = sm::occupancy_of(device_, *launch.kernel.info, needs);
  if (fits.blocks == now.blocks && fits.shared_capacity == now.shared_capacity) return std::optional<double>();
  return seconds(launch.model, plan_, launch, launch.kernel, fits, watch);
}

SettingTimer::Seconds SettingTimer::on_device(const std::string& name, const RecordedLaunch& launch,
                                              const sm::Watch& watch) {
  const Result<const Gpu*> found = gpu(name);
  if (!found) return found.problem();
  const auto& [device, model] = **found;
  const int built_for = architecture(launch.module), runs = int(device.compute_capability.number());
  if (built_for > runs)
    return no_answer(fmt::format("{} is built for sm_{}, which the {} of sm_{} cannot run",
                                 launch.kernel.info->display_name, built_for, device.name, runs));
  const CompiledKernel kernel = lowered_again(device, launch, 0);
  if (!kernel.machine_code) return no_answer(kernel.info->display_name + " could not be lowered to machine code");
  if (const Status known = machine::can_time(model, machine::classes_of(*kernel.machine_code)); !known)
    return no_answer(known.problem().to_string());
  const device::Occupancy fits = sm::occupancy_of(device, *kernel.info, needs_of(launch));
  if (fits.blocks == 0)
    return no_answer(fmt::format("a block of {} does not fit on the {}", kernel.info->display_name, device.name));
  return seconds(model, plan_, launch, kernel, fits, watch);
}

const SettingTimer::Row& SettingTimer::row(whatif::Setting setting) {
  static constexpr Row kRows[] = {
      // in the order of whatif/settings.def
      {&SettingTimer::with_block_size, block_sizes},
      {&SettingTimer::with_registers, register_counts},
      {&SettingTimer::with_carveout, carveouts},
      {&SettingTimer::on_device, nothing},
  };
  static_assert(std::size(kRows) == whatif::kSettings);
  return kRows[unsigned(setting)];
}

CompiledKernel SettingTimer::lowered_again(const device::DeviceSpec& device, const RecordedLaunch& launch,
                                           uint32_t most) {
  KernelInfo info = *launch.kernel.info;
  info.resources_from = ResourceSource::Estimate;
  info.local_bytes = launch.code().local_bytes;
  return KernelResourceModel(device, nullptr, most).compile(launch.module, launch.parts, std::move(info));
}

Result<const SettingTimer::Gpu*> SettingTimer::gpu(const std::string& name) {
  auto known = gpus_.find(name);
  if (known == gpus_.end()) {
    auto device = device::load_device(name);
    if (!device) return device.problem();
    machine::MachineModel model = machine::machine_model(*device);
    known = gpus_.emplace(name, Gpu{std::move(*device), std::move(model)}).first;
  }
  return &known->second;
}

std::optional<double> SettingTimer::no_answer(const std::string& message) {
  if (complained_.insert(message).second) complain_("drywarp: no what-if: " + message);
  return std::nullopt;
}

Result<std::vector<sm::Alternative>> SettingTimer::answers(const whatif::ChosenSetting& question,
                                                           const RecordedLaunch& launch, const sm::Watch& watch) {
  std::vector<sm::Alternative> found;
  const Row& row = SettingTimer::row(question.setting);
  const auto values =
      question.value.empty() ? row.worth_trying(device_, launch) : std::vector<std::string>{question.value};
  for (const std::string& value : values) {
    const auto seconds = (this->*row.with)(value, launch, watch);
    if (!seconds) return seconds.problem();
    if (*seconds) found.push_back({fmt::format("{}={}", whatif::key(question.setting), value), **seconds});
  }
  return found;
}

}  // namespace drywarp::cuda
