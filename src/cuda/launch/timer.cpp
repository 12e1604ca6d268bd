#include "cuda/launch/timer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/device/occupancy.h"
#include "base/events/trace_rows.h"
#include "model/sm/residency.h"
#include "model/sm/timing.h"
#include "profile/metrics/sums.h"
#include "profile/store/codec.h"

namespace drywarp::cuda {
Timer::Timer(const device::DeviceSpec& device, TimeMode mode, const std::string& cache, const std::string& what_if,
             bool gains, bool drawings, bool time_line, std::function<void(const std::string&)> complain)
    : device_(device),
      complain_(std::move(complain)),
      mode_(mode),
      plan_(mode),
      cache_(mode == TimeMode::Off ? "" : cache),
      what_if_(what_if),
      gain_questions_(gains && what_if.empty()),
      settings_(device, plan_, complain_),
      drawings_(drawings) {
  if (auto questions = whatif::parse_questions(what_if))
    questions_ = std::move(*questions);
  else
    complain_("drywarp: no what-if: " + questions.problem().to_string());
  if (mode == TimeMode::Off) return;
  model_ = machine::machine_model(device);
  if (model_ && time_line) in_program_.emplace(model_->memory.l2);
}

std::string Timer::complain(const Diagnostic& problem) {
  if (mode_ == TimeMode::All && complained_.insert(problem.message).second)
    complain_("drywarp: no times: " + problem.to_string());
  return problem.message;
}

const std::string& Timer::problem_of(const Code& code) {
  const auto [known, is_new] = problems_.try_emplace(code);
  if (!is_new) return known->second;
  if (!code)
    known->second = complain(error("the kernel could not be lowered to machine code"));
  else if (const Status has_numbers = machine::can_time(*model_, machine::classes_of(*code)); !has_numbers)
    known->second = complain(has_numbers.problem());
  return known->second;
}

Timer::Plan Timer::plan(const CompiledKernel& kernel, const exec::LaunchRequest& request, int carveout) {
  if (!model_) return {};
  Plan plan{kernel, {kernel.info.get(), request.grid, request.block, request.dynamic_shared_bytes, carveout}, {}};
  if (problem_of(kernel.machine_code).empty() && plan_.should_record(plan.configuration))
    plan.trace = plan_.trace_request(request.grid.count(), occupancy(plan, request).blocks, model_->sms);
  // Blocks that work together are recorded together.
  if (request.cooperative || (request.cluster && request.cluster->count() > 1)) plan.trace.widths.clear();
  return plan;
}

Result<std::vector<sm::Alternative>> Timer::alternatives(const whatif::TimedLaunch& launch,
                                                         const RecordedLaunch& recorded, const sm::Watch& watch) {
  std::vector<sm::Alternative> answers;
  for (const whatif::Question& question : questions_) {
    if (const auto* setting = std::get_if<whatif::ChosenSetting>(&question.change)) {
      auto found = settings_.answers(*setting, recorded, watch);
      if (!found) return found.problem();
      std::ranges::move(*found, std::back_inserter(answers));
      continue;
    }
    const auto seconds = whatif::seconds_if(question, launch, *recorded.kernel.info, watch);
    if (!seconds) return seconds.problem();
    if (*seconds) answers.push_back({question.text, **seconds});
  }
  return answers;
}

Result<bool> Timer::add_gains(const std::vector<whatif::Question>& questions, const whatif::TimedLaunch& launch,
                              const KernelInfo& kernel, const sm::Watch& watch, sm::LaunchTime& time) {
  std::vector<sm::Alternative> answers;
  bool any_new = false;
  for (const whatif::Question& question : questions) {
    const auto known = std::ranges::find(time.alternatives, question.text, &sm::Alternative::change);
    if (known != time.alternatives.end()) {
      answers.push_back(*known);
      continue;
    }
    const auto seconds = whatif::seconds_if(question, launch, kernel, watch);
    if (!seconds) return seconds.problem();
    // Without this cost the launch takes as long.
    answers.push_back({question.text, seconds->value_or(time.summary.duration_ns * 1e-9)});
    any_new = true;
  }
  time.alternatives = std::move(answers);
  return any_new;
}

std::shared_ptr<const record::DrawnLaunch> Timer::draw(const machine::MachineKernel& code, const LaunchTrace& trace,
                                                       const sm::SimulatedLaunch& launch, const std::string& key,
                                                       std::optional<sm::Timeline> recorded,
                                                       const sm::Watch& watch) const {
  std::optional<sm::Timeline> cached;
  if (!recorded) cached = cache_.find_timeline(key);
  if (!recorded && !cached)
    if (!sm::time_launch(*model_, code, trace, launch, watch, &recorded.emplace())) return nullptr;
  if (recorded) cache_.keep_timeline(key, *recorded);
  sm::Timeline& timeline = recorded ? *recorded : *cached;
  return std::make_shared<const record::DrawnLaunch>(
      record::DrawnLaunch{0, record::list(code), std::move(timeline), steps_to_draw(trace)});
}

device::Occupancy Timer::occupancy(const Plan& plan, const exec::LaunchRequest& request) const {
  return sm::occupancy_of(device_, *plan.kernel.info,
                          {request.block.count(), request.dynamic_shared_bytes, plan.configuration.carveout});
}

std::shared_ptr<const sm::LaunchTime> Timer::time_in_program(const std::shared_ptr<const sm::LaunchTime>& alone,
                                                             const ProgramTimes::Start& start, const Plan& plan,
                                                             const exec::LaunchRequest& request, const ObservedRun& run,
                                                             const sm::Watch& watch) {
  if (!in_program_) return nullptr;
  if (auto known = in_program_->find(alone, start)) return known;
  const KernelInfo& info = *plan.kernel.info;
  const machine::MachineKernel& code = *plan.kernel.machine_code;
  const device::Occupancy fits = occupancy(plan, request);
  const RecordedWork done(*run.trace, info, metrics::sum_launch(info, run.result.counts).all().warps);
  auto planned = done.simulation(plan_, info, request.block.count(), fits, model_->sms);
  // Large launches, of which a slice of the machine is simulated, spend little of their time on a cold start.
  if (!planned || planned->launch.sms < model_->sms) {
    in_program_->keep(alone, start, alone);
    return alone;
  }
  planned->launch.held = start.held;
  const std::string key = cache_.key(device_, code, *run.trace, planned->launch, fits, "");
  std::optional<sm::LaunchTime> found = cache_.find(key);
  if (!found) {
    const auto timed = sm::time_launch(*model_, code, *run.trace, planned->launch, watch);
    if (!timed) return alone;  // `watch` has stopped it
    found = sm::launch_time(*timed, *model_, device_, code, fits);
    cache_.keep(key, *found);
  }
  auto time = std::make_shared<const sm::LaunchTime>(std::move(*found));
  in_program_->keep(alone, start, time);
  return time;
}

Timer::Outcome Timer::time(const Plan& plan, const ir::Module& module, std::span<const analysis::CodePart> parts,
                           const exec::LaunchRequest& request, const ObservedRun& run, const sm::Watch& watch) {
  const exec::LaunchResult& result = run.result;
  if (mode_ == TimeMode::Off || !request.counted || result.fault || !plan.kernel.info) return {};
  if (const std::string& problem = problem_of(plan.kernel.machine_code); !problem.empty()) return {nullptr, problem};
  const machine::MachineKernel& machine_code = *plan.kernel.machine_code;
  const KernelInfo& info = *plan.kernel.info;
  TimePlan::Work work{store::encode(result.counts)};
  if (run.trace) work.places = digest_of_addresses(*run.trace);
  const ProgramTimes::Start start = in_program_ ? in_program_->begin(run.trace.get()) : ProgramTimes::Start{};
  if (auto known = plan_.find_equal(plan.configuration, work))
    return {known, {}, {}, time_in_program(known, start, plan, request, run, watch)};
  const uint64_t instructions = metrics::sum_launch(info, result.counts).all().warps;
  plan_.add_executed(instructions);
  if (!run.trace) return {nullptr, plan_.reason(false)};
  const device::Occupancy fits = occupancy(plan, request);
  const RecordedWork done(*run.trace, info, instructions);
  const auto planned = done.simulation(plan_, info, request.block.count(), fits, model_->sms);
  if (!planned) return {nullptr, plan_.reason(true)};
  const auto& [simulation, simulated_instructions, rows] = *planned;
  const auto trace = select(run.trace, rows);
  const std::string key = cache_.key(device_, machine_code, *trace, simulation, fits, what_if_);
  std::optional<sm::LaunchTime> launch = cache_.find(key);
  const bool may_draw = drawings_.wanted() && plan.reported;
  std::optional<sm::Timeline> timeline;
  if (!launch) {
    if (may_draw) timeline.emplace();
    auto timed = sm::time_launch(*model_, machine_code, *trace, simulation, watch, timeline ? &*timeline : nullptr);
    if (!timed) return {nullptr, complain(timed.problem())};
    launch = sm::launch_time(*timed, *model_, device_, machine_code, fits);
    if (!questions_.empty()) {
      auto answers = alternatives(
          {*model_, machine_code, *trace, simulation},
          {*model_, module, parts, plan.kernel, request, run.trace, plan.configuration.carveout, instructions}, watch);
      if (!answers) return {nullptr, complain(answers.problem())};
      launch->alternatives = std::move(*answers);
    }
    cache_.keep(key, *launch);
  }
  launch->summary.warp_balance_pct = done.warp_balance(), launch->summary.block_balance_pct = done.block_balance();
  if (const auto asked = gain_questions_.of(plan.kernel.info, request, run, *launch, simulated_instructions);
      !asked.empty()) {
    const auto any_new = add_gains(asked, {*model_, machine_code, *trace, simulation}, info, watch, *launch);
    if (!any_new) return {nullptr, complain(any_new.problem())};
    if (*any_new) cache_.keep(key, *launch);
  } else if (questions_.empty()) {
    launch->alternatives.clear();  // of an earlier run that asked
  }
  Outcome outcome;
  if (may_draw && drawings_.take(info, launch->summary.duration_ns))
    outcome.drawn = draw(machine_code, *trace, simulation, key, std::move(timeline), watch);
  outcome.time = std::make_shared<const sm::LaunchTime>(std::move(*launch));
  plan_.add_simulated(plan.configuration, std::move(work), simulated_instructions, static_cast<double>(instructions),
                      outcome.time);
  outcome.in_program = time_in_program(outcome.time, start, plan, request, run, watch);
  return outcome;
}

}  // namespace drywarp::cuda
