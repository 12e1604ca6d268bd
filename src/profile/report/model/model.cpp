#include "profile/report/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "profile/advice/run/advise_run.h"
#include "profile/report/model/kernel_advice.h"
#include "profile/report/model/parts.h"

namespace drywarp::report {
namespace {

using metrics::Sums;

struct LineParts {
  Sums sums;
  PartTime time;
};

// Sums over the launches of a kernel. Ordered maps, so that equal input gives equal output.
struct KernelParts {
  std::map<std::pair<std::string, uint32_t>, LineParts> lines;
  std::vector<RegionModel> regions;  // between barriers, then requested ranges of lines
  std::vector<const sm::Summary*> times;
  std::vector<advice::LaunchSize> sizes;                                      // of the timed launches
  std::map<std::pair<uint32_t, std::string>, InstructionModel> instructions;  // by PTX line and text
  KernelGains gains;
};

const std::string& file_name(const KernelInfo& kernel, uint32_t file) {
  static const std::string none;
  return file < kernel.files.size() ? kernel.files[file] : none;
}

uint64_t sectors(const Sums& s) {
  uint64_t n = 0;
  for (const Memory m : {Memory::Global, Memory::Local})
    for (const auto& access : s.accesses[static_cast<size_t>(m)]) n += access.units;
  return n;
}

uint64_t wavefronts(const Sums& s) {
  uint64_t n = 0;
  for (const auto& access : s.accesses[static_cast<size_t>(Memory::Shared)]) n += access.units;
  return n;
}

bool costs_more(const record::LaunchRecord& a, const record::LaunchRecord& b) {
  const auto cost = [](const record::LaunchRecord& r) {
    return std::pair(r.time ? r.time->summary.duration_ns : 0, r.grid.count());
  };
  return cost(a) > cost(b);
}

class Builder {
 public:
  Builder(const record::Profile& profile, const ModelOptions& options) : profile_(profile), options_(options) {
    model_.profile = &profile;
    model_.selection = options.selection;
    // A later sample of the same instruction is a costlier one.
    for (const record::SampleRecord& s : profile.samples)
      if (s.launch < profile.launches.size())
        samples_[{profile.launches[s.launch].kernel, s.sample.access}] = &s.sample;
  }

  ReportModel build() {
    for (const record::LaunchRecord& launch : profile_.launches) add_launch(launch);
    for (size_t k = 0; k < model_.kernels.size(); ++k) finish_kernel(model_.kernels[k], parts_[k]);
    order_kernels();
    add_times_of_all();
    add_transfers();
    add_api();
    if (!options_.kernel) model_.time_line = record::time_line(profile_);
    if (options_.advice && !options_.kernel) model_.advice = advice::advise_run(advice::run_facts(profile_));
    return std::move(model_);
  }

 private:
  uint32_t kernel_of(const KernelInfo& info) {
    const auto [entry, is_new] = kernel_index_.try_emplace(info.name, uint32_t(model_.kernels.size()));
    if (is_new) {
      KernelModel kernel;
      kernel.name = info.display_name.empty() ? info.name : info.display_name;
      kernel.mangled = info.name;
      kernel.registers = info.registers;
      kernel.registers_from = info.resources_from;
      kernel.static_shared_bytes = info.static_shared_bytes;
      kernel.local_bytes = info.local_bytes;
      kernel.spreads.resize(model_.selection.size());
      model_.kernels.push_back(std::move(kernel));
      parts_.emplace_back();
    }
    return entry->second;
  }

  void add_launch(const record::LaunchRecord& record) {
    const KernelInfo& info = *profile_.kernels[record.kernel];
    if (options_.kernel && !options_.kernel(info.display_name.empty() ? info.name : info.display_name)) return;
    const uint32_t index = kernel_of(info);
    KernelModel& kernel = model_.kernels[index];
    ++kernel.calls;
    kernel.faults += !record.fault.empty();
    kernel.host_seconds.add(record.host_seconds);
    metrics::Facts facts =
        metrics::facts(info, {record.grid.count(), record.block.count(), record.dynamic_shared_bytes});
    facts.time = record.time ? &record.time->summary : nullptr;
    const Sums sums = record.counted ? metrics::sum_launch(info, record.counts) : Sums{};

    LaunchModel launch{&record, size_t(&record - profile_.launches.data()), index, &info, {}, false, nullptr};
    launch.values.reserve(model_.selection.size());
    for (size_t i = 0; i < model_.selection.size(); ++i) {
      const metrics::Metric& metric = *model_.selection[i].metric;
      const bool known = record.counted || metric.group == metrics::Group::Launch || facts.time != nullptr;
      launch.values.push_back(known ? metric.evaluate(sums, facts) : std::nullopt);
      kernel.spreads[i].add(launch.values.back());
    }
    if (record.time) add_time(launch, sums, facts);
    if (!record.untimed.empty()) ++kernel.untimed[record.untimed];
    model_.launches.push_back(std::move(launch));
    if (!record.counted) return;

    ++kernel.counted;
    kernel.warp_instructions.add(static_cast<double>(sums.all().warps));
    kernel.total += sums;
    add_barriers(kernel.barriers, info, record.counts.barrier_notes);
    if (options_.lines)
      for (const metrics::LineSums& line : metrics::sum_lines(info, record.counts))
        parts_[index].lines[{file_name(info, line.file), line.line}].sums += line.sums;
    if (options_.lines) add_regions(parts_[index], info, record);
    if (options_.instructions || options_.advice) add_instructions(parts_[index], info, record);
    if (!kernel.costliest || costs_more(record, *kernel.costliest)) kernel.costliest = &record;
  }

  void add_time(LaunchModel& launch, const Sums& sums, const metrics::Facts& facts) {
    const record::LaunchRecord& record = *launch.record;
    const auto [known, is_new] = limiters_.try_emplace(record.time.get());
    if (is_new)
      if (auto verdict = advice::limiter_of(sums, facts))
        known->second = std::make_shared<const advice::Verdict>(std::move(*verdict));
    launch.limiter = known->second, launch.simulated = is_new;
    KernelModel& kernel = model_.kernels[launch.kernel];
    KernelParts& parts = parts_[launch.kernel];
    if (!kernel.time) kernel.time.emplace();
    for (const machine::StandIn& s : record.time->stand_ins)
      if (std::ranges::find(kernel.time->stand_ins, s) == kernel.time->stand_ins.end())
        kernel.time->stand_ins.push_back(s);
    kernel.time->seconds.add(record.time->summary.duration_ns * 1e-9);
    kernel.time->simulated += is_new;
    kernel.time->sums += sums;
    parts.times.push_back(&record.time->summary);
    parts.sizes.push_back({*facts.blocks, record.time->summary.waves});
    parts.gains.add(*record.time);
    const KernelInfo& info = *launch.info;
    const auto& times = record.time->instructions;
    for (size_t i = 0; i < std::min(times.size(), info.instructions.size()); ++i) {
      if (times[i].issued == 0) continue;
      kernel.time->parts += times[i];
      const InstructionInfo& at = info.instructions[i];
      const bool placed = at.line != 0 && at.file < info.files.size();
      if (options_.lines) parts.lines[{placed ? info.files[at.file] : "", placed ? at.line : 0}].time += times[i];
    }
  }

  // Regions begin at the start and after each barrier, in PTX order; stalls at a barrier belong to the region before
  // it.
  void add_regions(KernelParts& parts, const KernelInfo& info, const record::LaunchRecord& record) const {
    const auto barriers = uint64_t(std::ranges::count_if(info.instructions, &InstructionInfo::barrier));
    const size_t between = barriers == 0 ? 0 : barriers + 1;
    if (between + options_.regions.size() == 0) return;
    if (parts.regions.empty()) {
      parts.regions.resize(between + options_.regions.size());
      for (size_t r = 0; r < between; ++r)
        parts.regions[r].name = fmt::format("{} to {}", r == 0 ? std::string("start") : fmt::format("barrier {}", r),
                                            r + 1 == between ? std::string("end") : fmt::format("barrier {}", r + 1));
      for (size_t r = 0; r < options_.regions.size(); ++r) {
        const LineRange& range = options_.regions[r];
        parts.regions[between + r].name = fmt::format("{}:{}-{}", range.file, range.first, range.last);
      }
    }
    if (parts.regions.size() != between + options_.regions.size()) return;  // another kernel of the same name
    size_t region = 0;
    for (size_t i = 0; i < info.instructions.size(); ++i) {
      const InstructionInfo& at = info.instructions[i];
      const auto add = [&](RegionModel& to) {
        metrics::add_instruction(to.sums, at, record.counts);
        if (record.time && i < record.time->instructions.size()) to.time += record.time->instructions[i];
        if (at.line == 0 || at.file >= info.files.size()) return;
        if (to.file.empty()) to.file = info.files[at.file], to.first_line = to.last_line = at.line;
        if (to.file != info.files[at.file]) return;
        to.first_line = std::min(to.first_line, at.line), to.last_line = std::max(to.last_line, at.line);
      };
      if (between != 0) add(parts.regions[region]);
      for (size_t r = 0; r < options_.regions.size(); ++r)
        if (options_.regions[r].contains(file_name(info, at.file), at.line)) add(parts.regions[between + r]);
      region += at.barrier;
    }
  }

  void finish_time(KernelModel& kernel, const KernelParts& parts) {
    if (!kernel.time) return;
    KernelTime& time = *kernel.time;
    time.summary = sm::combine(parts.times);
    time.rooflines = rooflines(time.sums, time.summary);
    metrics::Facts facts;
    facts.time = &time.summary;
    time.limiter = advice::limiter_of(time.sums, facts, parts.sizes);
    const auto [fewest, most] =
        std::ranges::minmax(parts.times, {}, [](const sm::Summary* s) { return s->simulated_sms; });
    time.simulated_sms = {fewest->simulated_sms, most->simulated_sms};
    time.parts.finish(time.parts.warp_cycles(), time.seconds.total);
  }

  // Metrics that need times cover the launches that have one.
  static std::optional<double> total(const metrics::Metric& metric, const KernelModel& kernel) {
    if (kernel.counted == 0 || metric.group == metrics::Group::Launch) return std::nullopt;
    const auto value = metric.evaluate(kernel.total, {});
    if (value || !kernel.time) return value;
    metrics::Facts facts;
    facts.time = &kernel.time->summary;
    return metric.evaluate(kernel.time->sums, facts);
  }

  void add_instructions(KernelParts& parts, const KernelInfo& info, const record::LaunchRecord& record) const {
    const std::vector<Sums> sums = metrics::sum_instructions(info, record.counts);
    for (size_t i = 0; i < sums.size(); ++i) {
      const InstructionInfo& from = info.instructions[i];
      InstructionModel& to = parts.instructions[{from.ptx_line, from.text}];
      to.ptx_line = from.ptx_line, to.text = from.text, to.line = from.line, to.file = file_name(info, from.file);
      to.info = &from;
      if (const auto sample = samples_.find({record.kernel, from.access}); sample != samples_.end())
        to.sample = sample->second;
      to.sums += sums[i];
      if (record.time && i < record.time->instructions.size()) to.time += record.time->instructions[i];
    }
  }

  void finish_kernel(KernelModel& kernel, KernelParts& parts) {
    finish_time(kernel, parts);
    for (const metrics::Selected& s : model_.selection) kernel.totals.push_back(total(*s.metric, kernel));
    const double cycles = kernel.time ? kernel.time->parts.warp_cycles() : 0;
    const double seconds = kernel.time ? kernel.time->seconds.total : 0;
    for (auto& [place, instruction] : parts.instructions) {
      instruction.time.finish(cycles, seconds);
      kernel.instructions.push_back(std::move(instruction));
    }
    for (auto& [place, line] : parts.lines) {
      kernel.lines.push_back(line_model(place.first, place.second, line.sums, kernel.total));
      kernel.lines.back().time = line.time;
      kernel.lines.back().time.finish(cycles, seconds);
    }
    kernel.regions = std::move(parts.regions);
    for (RegionModel& region : kernel.regions) region.time.finish(cycles, seconds);
    std::sort(kernel.lines.begin(), kernel.lines.end(), [](const LineModel& a, const LineModel& b) {
      return a.cost != b.cost ? a.cost > b.cost : std::tie(a.file, a.line) < std::tie(b.file, b.line);
    });
    if (options_.advice)
      kernel.advice = kernel_advice(kernel, {parts.sizes, &parts.gains, [this](const std::string& file, uint32_t line) {
                                               return source(file, line);
                                             }});
    if (!options_.instructions) kernel.instructions.clear();
  }

  std::string source(const std::string& file, uint32_t line) {
    return options_.source ? options_.source(file, line) : files_.get(file, line);
  }

  LineModel line_model(const std::string& file, uint32_t number, const Sums& sums, const Sums& all) {
    LineModel line;
    line.file = file, line.line = number, line.sums = sums;
    line.source = source(file, number);
    unsigned kinds = 0;
    const auto share = [&](uint64_t part, uint64_t whole) {
      kinds += whole != 0;
      const double s = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
      line.cost += s;
      return s;
    };
    line.instructions_share = share(sums.all().warps, all.all().warps);
    line.sectors_share = share(sectors(sums), sectors(all));
    line.wavefronts_share = share(wavefronts(sums), wavefronts(all));
    line.divergent_share = share(sums.divergent, all.divergent);
    line.cost /= std::max(1u, kinds);
    return line;
  }

  void order_kernels() {
    std::vector<uint32_t> order(model_.kernels.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const bool counted =
        std::ranges::any_of(model_.kernels, [](const KernelModel& k) { return k.warp_instructions.total > 0; });
    // Kernels with equal weight stay in the order of their first launches: host times differ from run to run.
    const auto weight = [&](uint32_t k) {
      const KernelModel& kernel = model_.kernels[k];
      return std::tuple(kernel.time ? kernel.time->seconds.total : 0, kernel.warp_instructions.total,
                        counted ? 0 : kernel.host_seconds.total);
    };
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return weight(a) != weight(b) ? weight(a) > weight(b) : a < b; });
    double all = 0, all_seconds = 0;
    for (const KernelModel& k : model_.kernels) {
      all += k.warp_instructions.total;
      all_seconds += k.time ? k.time->seconds.total : 0;
    }
    std::vector<KernelModel> sorted;
    std::vector<uint32_t> place(order.size());
    for (const uint32_t k : order) {
      place[k] = static_cast<uint32_t>(sorted.size());
      sorted.push_back(std::move(model_.kernels[k]));
      if (all > 0) sorted.back().instructions_share = sorted.back().warp_instructions.total / all;
      if (KernelModel& kernel = sorted.back(); kernel.time && all_seconds > 0)
        kernel.time->share = kernel.time->seconds.total / all_seconds;
    }
    model_.kernels = std::move(sorted);
    for (LaunchModel& launch : model_.launches) launch.kernel = place[launch.kernel];
  }

  // What the kernels' times have in common.
  void add_times_of_all() {
    for (const KernelModel& kernel : model_.kernels) {
      for (const auto& [why, launches] : kernel.untimed) {
        Untimed& untimed = model_.untimed[why];
        untimed.launches += launches, ++untimed.kernels;
      }
      if (!kernel.time) continue;
      for (const machine::StandIn& s : kernel.time->stand_ins)
        if (std::ranges::find(model_.stand_ins, s) == model_.stand_ins.end()) model_.stand_ins.push_back(s);
    }
  }

  void add_transfers() {
    std::map<record::TransferKind, TransferModel> kinds;
    double all = 0;
    for (const record::TransferRecord& t : profile_.transfers) {
      TransferModel& kind = kinds[t.kind];
      kind.kind = t.kind;
      kind.bytes.add(static_cast<double>(t.bytes));
      all += static_cast<double>(t.bytes);
      kind.host_seconds.add(t.host_seconds);
    }
    for (auto& [kind, transfer] : kinds) {
      transfer.share = all > 0 ? transfer.bytes.total / all : 0;
      model_.transfers.push_back(transfer);
    }
    std::sort(model_.transfers.begin(), model_.transfers.end(), [](const TransferModel& a, const TransferModel& b) {
      return a.bytes.total != b.bytes.total ? a.bytes.total > b.bytes.total : a.kind < b.kind;
    });
  }

  void add_api() {
    std::map<std::string, ApiModel> calls;
    double all = 0;
    for (const record::ApiRecord& call : profile_.api_calls) {
      ApiModel& api = calls[call.name];
      api.name = call.name;
      api.host_seconds.add(call.host_seconds);
      all += call.host_seconds;
    }
    for (auto& [name, api] : calls) {
      api.share = all > 0 ? api.host_seconds.total / all : 0;
      model_.api.push_back(std::move(api));
    }
    std::sort(model_.api.begin(), model_.api.end(), [](const ApiModel& a, const ApiModel& b) {
      return a.host_seconds.total != b.host_seconds.total ? a.host_seconds.total > b.host_seconds.total
                                                          : a.name < b.name;
    });
  }

  const record::Profile& profile_;
  const ModelOptions& options_;
  ReportModel model_;
  std::vector<KernelParts> parts_;
  std::unordered_map<std::string, uint32_t> kernel_index_;
  std::unordered_map<const sm::LaunchTime*, std::shared_ptr<const advice::Verdict>> limiters_;
  SourceLines files_{profile_.kept.sources};
  std::map<std::pair<uint32_t, uint32_t>, const AccessSample*> samples_;  // by kernel and access
};

}  // namespace

void Tally::add(double value) {
  min = count == 0 ? value : std::min(min, value);
  max = count == 0 ? value : std::max(max, value);
  total += value;
  ++count;
}

const sm::Summary* ReportModel::any_time() const {
  for (const KernelModel& k : kernels)
    if (k.time) return &k.time->summary;
  return nullptr;
}

ReportModel build_model(const record::Profile& profile, const ModelOptions& options) {
  return Builder(profile, options).build();
}

const char* name(record::TransferKind kind) {
  constexpr std::array<const char*, 5> names = {"HtoD", "DtoH", "DtoD", "HtoH", "memset"};
  return names[static_cast<size_t>(kind)];
}

}  // namespace drywarp::report
