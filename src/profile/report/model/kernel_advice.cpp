#include "profile/report/model/kernel_advice.h"

#include <fmt/format.h>

#include "profile/advice/address_base.h"
#include "profile/advice/rules/advise.h"

namespace drywarp::report {
namespace {

// Metrics that need times cover the launches that have one.
std::optional<double> metric_of(const KernelModel& kernel, const record::Extent& block, const std::string& name) {
  const metrics::Metric* metric = metrics::find_metric(name);
  if (!metric || kernel.counted == 0) return std::nullopt;
  metrics::Facts launch;
  launch.block_threads = static_cast<double>(block.count());
  const auto value = metric->evaluate(kernel.total, launch);
  if (value || !kernel.time) return value;
  metrics::Facts facts;
  facts.time = &kernel.time->summary;
  return metric->evaluate(kernel.time->sums, facts);
}

// Launches may differ in what limits their occupancy, and a mean of limits is none.
void set_occupancy(advice::LimiterFacts& facts, const sm::Summary& costliest) {
  metrics::Facts launch;
  launch.time = &costliest;
  const advice::LimiterFacts one = advice::limiter_facts_of({}, launch);
  for (auto member : {&advice::LimiterFacts::theoretical_occupancy, &advice::LimiterFacts::limit_blocks,
                      &advice::LimiterFacts::limit_registers, &advice::LimiterFacts::limit_shared,
                      &advice::LimiterFacts::limit_warps})
    facts.*member = one.*member;
}

advice::Facts facts_of(const KernelModel& kernel, const AdviceInput& input) {
  advice::Facts facts;
  metrics::Facts timed;
  if (kernel.time) timed.time = &kernel.time->summary;
  facts.limiter = advice::limiter_facts_of(kernel.time ? kernel.time->sums : kernel.total, timed, input.sizes);
  const record::LaunchRecord& launch = *kernel.costliest;
  if (launch.time) set_occupancy(facts.limiter, launch.time->summary);
  facts.metric = [&kernel, block = launch.block](const std::string& name) { return metric_of(kernel, block, name); };
  if (kernel.time) facts.verdict = kernel.time->limiter;
  facts.kernel = kernel.name;
  facts.grid = launch.grid, facts.block = launch.block;
  facts.shared_bytes = kernel.static_shared_bytes + launch.dynamic_shared_bytes;
  facts.launches = kernel.counted;
  facts.registers = kernel.registers, facts.registers_from = kernel.registers_from;
  if (kernel.time) facts.set_resources(kernel.time->summary);
  for (const InstructionModel& i : kernel.instructions)
    if (i.sums.all().warps != 0)
      facts.instructions.push_back({i.info, i.file, i.sums, {i.time.issued, i.time.stalls}, i.sample, {}, false});
  for (const LineModel& line : kernel.lines)
    facts.lines.push_back({line.file, line.line, line.source, line.sums, line.time.share});
  facts.source = input.source;
  advice::find_address_bases(facts);
  return facts;
}

}  // namespace

void KernelGains::add(const sm::LaunchTime& time) {
  ++launches_;
  for (const sm::Alternative& a : time.alternatives) {
    Change& change = changes_[a.change];
    ++change.launches;
    change.seconds += time.summary.duration_ns * 1e-9, change.changed += a.seconds;
  }
}

std::optional<advice::Gain> KernelGains::of(whatif::Scenario scenario) const {
  const auto change = changes_.find(whatif::key(scenario));
  if (change == changes_.end() || change->second.changed <= 0) return std::nullopt;
  return advice::Gain{change->second.seconds / change->second.changed, change->second.launches, launches_};
}

std::vector<advice::Advice> kernel_advice(const KernelModel& kernel, const AdviceInput& input) {
  if (!kernel.costliest) return {};
  return advice::advise(facts_of(kernel, input), [&](whatif::Scenario scenario) -> advice::GainAnswer {
    if (!kernel.time) return {std::nullopt, "no time was modelled"};
    if (auto gain = input.gains->of(scenario)) return {gain, {}};
    return {std::nullopt, fmt::format("not timed again: drywarp what-if --change {} does it", whatif::key(scenario))};
  });
}

}  // namespace drywarp::report
