#include "faces/explain/source_access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <set>

#include "profile/report/model/parts.h"

namespace drywarp::explain {
namespace {

// Finds the launch in which the access cost most.
void find_launch(const record::Profile& profile, uint32_t kernel, uint32_t entry, SourceAccess& out) {
  for (size_t i = 0; i < profile.launches.size(); ++i) {
    const record::LaunchRecord& launch = profile.launches[i];
    if (launch.kernel != kernel || !launch.counted || entry >= launch.counts.accesses.size()) continue;
    const AccessCounts& counts = launch.counts.accesses[entry];
    if (counts.requests == 0) continue;
    ++out.launches;
    if (out.launches > 1 && counts.units <= out.counts.units) continue;
    out.launch = i, out.grid = launch.grid, out.block = launch.block, out.counts = counts;
  }
}

void add_sample(const record::Profile& profile, const std::vector<LaunchSample>& samples, uint32_t kernel,
                uint32_t access, SourceAccess& out) {
  // A later sample of the same instruction is a costlier one.
  for (const LaunchSample& s : samples)
    if (s.sample.access == access && s.sample.memory == out.memory && s.launch < profile.launches.size() &&
        profile.launches[s.launch].kernel == kernel)
      out.sample = s;
  if (!out.sample) return;
  const AccessSample& sample = out.sample->sample;
  LaneAccesses lanes;
  lanes.active = sample.lanes;
  lanes.addresses = sample.addresses;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    lanes.index[lane] = static_cast<int64_t>(sample.addresses[lane] / sample.size);
  if (out.memory == Memory::Global) out.sectors = warp_access(lanes, sample.size, sample.block, sample.warp);
  if (out.memory == Memory::Shared)
    out.banks = warp_banks(lanes, sample.size, sample.op, sample.banks, sample.block, sample.warp);
  out.step = lane_step(sample);
  if (out.banks) out.longer = find_longer_step(sample);
}

}  // namespace

const char* memory_name(Memory memory) {
  static constexpr const char* kNames[] = {"global", "shared", "local"};
  return kNames[static_cast<unsigned>(memory)];
}

Result<std::vector<LaunchSample>> parse_samples(std::string_view text) {
  std::vector<LaunchSample> samples;
  for (unsigned number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    // A program that was killed may have left an incomplete line.
    if (end == text.size()) break;
    LaunchSample sample;
    const auto [behind, problem] = std::from_chars(line.data(), line.data() + line.size(), sample.launch);
    const auto parsed = parse_access_sample(line.substr(static_cast<size_t>(behind - line.data())));
    if (problem != std::errc() || !parsed) return error(fmt::format("line {} of the samples is damaged", number));
    sample.sample = *parsed;
    samples.push_back(sample);
    text.remove_prefix(end + 1);
  }
  return samples;
}

Result<LineExplanation> explain_line(const record::Profile& profile, const std::vector<LaunchSample>& samples,
                                     const std::string& file, uint32_t line, std::optional<Memory> only) {
  const auto explain = [&](uint32_t kernel, const InstructionInfo& i) {
    std::vector<SourceAccess> accesses;
    if (i.access == InstructionInfo::kNone) return accesses;
    for (unsigned m = 0; m < (i.generic ? kMemories : 1); ++m) {
      SourceAccess access;
      access.memory = i.generic ? static_cast<Memory>(m) : i.memory;
      if (access.memory != only.value_or(access.memory)) continue;
      access.load = i.load, access.store = i.store, access.atomic = i.atomic;
      access.bytes = i.access_bytes;
      find_launch(profile, kernel, i.access + m, access);
      if (access.launches == 0) continue;
      if (i.line == line) add_sample(profile, samples, kernel, i.access, access);
      accesses.push_back(std::move(access));
    }
    return accesses;
  };
  LineSearch<SourceAccess> search = search_line<SourceAccess>(profile, file, line, explain);
  if (search.found.empty())
    return error(fmt::format("no kernel that ran accesses {}memory at {}:{}",
                             only ? fmt::format("{} ", memory_name(*only)) : "", file, line),
                 search.others.empty() ? "compile with -lineinfo, and name a file with kernels that run"
                                       : fmt::format("these lines of it do: {}", fmt::join(search.others, ", ")));
  return LineExplanation{file, line, report::SourceLines().get(search.path, line), std::move(search.found)};
}

}  // namespace drywarp::explain
