#include "report/model.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "report/source_lines.h"

namespace drywarp::report {
namespace {

using metrics::Sums;

// What grows while launches are added; ordered, so that equal input gives equal output.
struct KernelParts {
  std::map<std::pair<std::string, uint32_t>, Sums> lines;
  std::map<std::pair<uint32_t, std::string>, InstructionModel> instructions;  // by PTX line and text
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

class Builder {
 public:
  Builder(const Profile& profile, const ModelOptions& options) : profile_(profile), options_(options) {
    model_.profile = &profile;
    model_.selection = options.selection;
  }

  ReportModel build() {
    for (const LaunchRecord& launch : profile_.launches) add_launch(launch);
    for (size_t k = 0; k < model_.kernels.size(); ++k) finish_kernel(model_.kernels[k], parts_[k]);
    order_kernels();
    add_transfers();
    add_api();
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
      kernel.static_shared_bytes = info.static_shared_bytes;
      kernel.local_bytes = info.local_bytes;
      kernel.spreads.resize(model_.selection.size());
      model_.kernels.push_back(std::move(kernel));
      parts_.emplace_back();
    }
    return entry->second;
  }

  void add_launch(const LaunchRecord& record) {
    const KernelInfo& info = *profile_.kernels[record.kernel];
    const uint32_t index = kernel_of(info);
    KernelModel& kernel = model_.kernels[index];
    ++kernel.calls;
    kernel.faults += !record.fault.empty();
    kernel.host_seconds.add(record.host_seconds);
    const auto count = [](const Extent& e) { return uint64_t(e.x) * e.y * e.z; };
    metrics::Facts facts = metrics::facts(info, {count(record.grid), count(record.block), record.dynamic_shared_bytes});
    facts.time = record.time ? &record.time->summary : nullptr;
    const Sums sums = record.counted ? metrics::sum_launch(info, record.counts) : Sums{};

    LaunchModel launch{&record, index, &info, {}};
    launch.values.reserve(model_.selection.size());
    for (size_t i = 0; i < model_.selection.size(); ++i) {
      const metrics::Metric& metric = *model_.selection[i].metric;
      const bool known = record.counted || metric.group == metrics::Group::Launch || facts.time != nullptr;
      launch.values.push_back(known ? metric.evaluate(sums, facts) : std::nullopt);
      kernel.spreads[i].add(launch.values.back());
    }
    model_.launches.push_back(std::move(launch));
    if (!record.counted) return;

    ++kernel.counted;
    kernel.warp_instructions.add(static_cast<double>(sums.all().warps));
    kernel.total += sums;
    if (options_.lines)
      for (const metrics::LineSums& line : metrics::sum_lines(info, record.counts))
        parts_[index].lines[{file_name(info, line.file), line.line}] += line.sums;
    if (options_.instructions) add_instructions(parts_[index], info, record.counts);
  }

  static void add_instructions(KernelParts& parts, const KernelInfo& info, const LaunchCounts& counts) {
    const std::vector<Sums> sums = metrics::sum_instructions(info, counts);
    for (size_t i = 0; i < sums.size(); ++i) {
      const InstructionInfo& from = info.instructions[i];
      InstructionModel& to = parts.instructions[{from.ptx_line, from.text}];
      to.ptx_line = from.ptx_line, to.text = from.text, to.line = from.line, to.file = file_name(info, from.file);
      to.sums += sums[i];
    }
  }

  void finish_kernel(KernelModel& kernel, KernelParts& parts) {
    for (const metrics::Selected& s : model_.selection)
      kernel.totals.push_back(kernel.counted == 0 || s.metric->group == metrics::Group::Launch
                                  ? std::nullopt
                                  : s.metric->evaluate(kernel.total, {}));
    for (auto& [place, instruction] : parts.instructions) kernel.instructions.push_back(std::move(instruction));
    for (auto& [place, sums] : parts.lines)
      kernel.lines.push_back(line_model(place.first, place.second, sums, kernel.total));
    std::sort(kernel.lines.begin(), kernel.lines.end(), [](const LineModel& a, const LineModel& b) {
      return a.cost != b.cost ? a.cost > b.cost : std::tie(a.file, a.line) < std::tie(b.file, b.line);
    });
  }

  LineModel line_model(const std::string& file, uint32_t number, const Sums& sums, const Sums& all) {
    LineModel line;
    line.file = file, line.line = number, line.sums = sums;
    line.source = options_.source ? options_.source(file, number) : files_.get(file, number);
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
    const auto weight = [&](uint32_t k) {
      return std::pair(model_.kernels[k].warp_instructions.total, model_.kernels[k].host_seconds.total);
    };
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return weight(a) != weight(b) ? weight(a) > weight(b) : a < b; });
    double all = 0;
    for (const KernelModel& k : model_.kernels) all += k.warp_instructions.total;
    std::vector<KernelModel> sorted;
    std::vector<uint32_t> place(order.size());
    for (const uint32_t k : order) {
      place[k] = static_cast<uint32_t>(sorted.size());
      sorted.push_back(std::move(model_.kernels[k]));
      if (all > 0) sorted.back().instructions_share = sorted.back().warp_instructions.total / all;
    }
    model_.kernels = std::move(sorted);
    for (LaunchModel& launch : model_.launches) launch.kernel = place[launch.kernel];
  }

  void add_transfers() {
    std::map<TransferKind, TransferModel> kinds;
    for (const TransferRecord& t : profile_.transfers) {
      TransferModel& kind = kinds[t.kind];
      kind.kind = t.kind;
      kind.bytes.add(static_cast<double>(t.bytes));
      kind.host_seconds.add(t.host_seconds);
    }
    for (const auto& [kind, transfer] : kinds) model_.transfers.push_back(transfer);
    std::sort(model_.transfers.begin(), model_.transfers.end(), [](const TransferModel& a, const TransferModel& b) {
      return a.bytes.total != b.bytes.total ? a.bytes.total > b.bytes.total : a.kind < b.kind;
    });
  }

  void add_api() {
    std::map<std::string, ApiModel> calls;
    double all = 0;
    for (const ApiRecord& call : profile_.api_calls) {
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

  const Profile& profile_;
  const ModelOptions& options_;
  ReportModel model_;
  std::vector<KernelParts> parts_;
  std::unordered_map<std::string, uint32_t> kernel_index_;
  SourceLines files_;
};

}  // namespace

void Tally::add(double value) {
  min = count == 0 ? value : std::min(min, value);
  max = count == 0 ? value : std::max(max, value);
  total += value;
  ++count;
}

ReportModel build_model(const Profile& profile, const ModelOptions& options) {
  return Builder(profile, options).build();
}

const char* name(TransferKind kind) {
  constexpr std::array<const char*, 5> names = {"HtoD", "DtoH", "DtoD", "HtoH", "memset"};
  return names[static_cast<size_t>(kind)];
}

}  // namespace drywarp::report
