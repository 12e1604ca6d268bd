#include "profile/advice/launch_facts.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "profile/advice/address_base.h"

namespace drywarp::advice {
namespace {

const std::string& file_of(const KernelInfo& kernel, uint32_t file) {
  static const std::string none;
  return file < kernel.files.size() ? kernel.files[file] : none;
}

double warp_cycles(const sm::InstructionTiming& time) {
  return std::accumulate(time.stalls.begin(), time.stalls.end(), 0.0);
}

void add_instructions(Facts& facts, const LaunchInput& input) {
  const KernelInfo& kernel = *input.kernel;
  std::map<uint32_t, const AccessSample*> samples;
  for (const AccessSample& s : input.samples) samples[s.access] = &s;
  const std::vector<metrics::Sums> sums = metrics::sum_instructions(kernel, *input.counts);
  for (size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].all().warps == 0) continue;
    const InstructionInfo& info = kernel.instructions[i];
    InstructionFacts& to = facts.instructions.emplace_back();
    to.info = &info, to.file = file_of(kernel, info.file), to.sums = sums[i];
    if (input.time && i < input.time->instructions.size()) to.time = input.time->instructions[i];
    if (const auto sample = samples.find(info.access); sample != samples.end()) to.sample = sample->second;
  }
}

void add_lines(Facts& facts) {
  double all = 0;
  for (const InstructionFacts& i : facts.instructions) all += warp_cycles(i.time);
  for (const InstructionFacts& i : facts.instructions) {
    auto line = std::ranges::find_if(facts.lines,
                                     [&](const LineFacts& l) { return l.line == i.info->line && l.file == i.file; });
    if (line == facts.lines.end())
      line = facts.lines.insert(facts.lines.end(), LineFacts{i.file, i.info->line, {}, {}, 0});
    line->sums += i.sums;
    if (all > 0) line->time_share += warp_cycles(i.time) / all;
  }
}

}  // namespace

Facts facts_of(const LaunchInput& input) {
  const metrics::Sums sums = metrics::sum_launch(*input.kernel, *input.counts);
  metrics::Facts known =
      metrics::facts(*input.kernel, {input.grid.count(), input.block.count(), input.dynamic_shared_bytes});
  if (input.time) known.time = &input.time->summary;
  Facts facts;
  facts.limiter = limiter_facts_of(sums, known);
  facts.metric = [sums, known](const std::string& name) -> std::optional<double> {
    const metrics::Metric* metric = metrics::find_metric(name);
    return metric ? metric->evaluate(sums, known) : std::nullopt;
  };
  facts.verdict = limiter_of(sums, known);
  facts.kernel = input.kernel->display_name;
  facts.grid = input.grid, facts.block = input.block;
  facts.shared_bytes = input.kernel->static_shared_bytes + input.dynamic_shared_bytes;
  facts.registers = input.kernel->registers, facts.registers_from = input.kernel->resources_from;
  if (input.time) facts.set_resources(input.time->summary);
  add_instructions(facts, input);
  add_lines(facts);
  find_address_bases(facts);
  return facts;
}

}  // namespace drywarp::advice
