#include "cuda/launch/time_cache.h"

#include <fmt/format.h>

#include <charconv>

#include "model/machine/code_codec.h"
#include "profile/store/codec.h"
#include "profile/store/drawing_codec.h"

namespace drywarp::cuda {
namespace {

constexpr const char *kTime = ".time", *kTimeline = ".timeline";  // ends of files' names

// File format: a line with the sizes of four parts, then the parts.
std::string encode(const sm::LaunchTime& time) {
  const std::string parts[] = {store::encode(time.summary), store::encode(time.instructions),
                               store::encode(time.stand_ins), store::encode(time.alternatives)};
  return fmt::format("{} {} {} {}\n{}{}{}{}", parts[0].size(), parts[1].size(), parts[2].size(), parts[3].size(),
                     parts[0], parts[1], parts[2], parts[3]);
}

std::optional<sm::LaunchTime> decode(std::string_view bytes) {
  size_t sizes[4] = {};
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  for (size_t& size : sizes) {
    const auto [after, problem] = std::from_chars(at, end, size);
    if (problem != std::errc() || after == end) return std::nullopt;
    at = after + 1;
  }
  std::string_view rest(at, end);
  std::string_view parts[4];
  for (unsigned i = 0; i < std::size(parts); ++i) {
    if (sizes[i] > rest.size()) return std::nullopt;
    parts[i] = rest.substr(0, sizes[i]);
    rest.remove_prefix(sizes[i]);
  }
  auto summary = store::decode_time(parts[0]);
  auto instructions = store::decode_instruction_times(parts[1]);
  if (!rest.empty() || !summary || !instructions) return std::nullopt;
  return sm::LaunchTime{*summary, std::move(*instructions), store::decode_stand_ins(parts[2]),
                        store::decode_alternatives(parts[3])};
}

template <class... T>
void add_numbers(Digester& digester, const T&... numbers) {
  digester.add(fmt::format("{}", fmt::join(std::initializer_list<uint64_t>{uint64_t(numbers)...}, " ")));
}

}  // namespace

std::string TimeCache::key(const device::DeviceSpec& device, const machine::MachineKernel& code,
                           const LaunchTrace& trace, const sm::SimulatedLaunch& launch,
                           const device::Occupancy& occupancy, std::string_view what_if) const {
  if (!files_.any()) return {};
  Digester digester = files_.name();
  digester.add(device.id).add(device.name).add(device.architecture);
  digester.add(what_if);
  for (const auto& [path, text] : device.texts) digester.add(path).add(text);
  machine::add(digester, code);
  const auto& [blocks, threads, blocks_per_sm, shared_capacity, instructions, sms, simulated, work, held] = launch;
  add_numbers(digester, blocks, threads, blocks_per_sm, shared_capacity, instructions, sms, simulated);
  const auto& [resident, warps, fraction, limits, carveout] = occupancy;
  add_numbers(digester, resident, warps, carveout);
  for (const uint32_t limit : limits) add_numbers(digester, limit);
  digester.add(fmt::format("{} {}", fraction, work));
  digester.add(held);
  add_numbers(digester, trace.blocks_in_grid, trace.blocks.size());
  for (const BlockTrace& block : trace.blocks) {
    if (simulated != 0 && &block - trace.blocks.data() >= static_cast<ptrdiff_t>(simulated)) break;
    add_numbers(digester, block.block, block.warps.size());
    for (const WarpTrace& warp : block.warps) {
      digester.add(warp.steps).add(warp.accesses).add(warp.lines).add(warp.objects);
      for (const AwaitedWrite& a : warp.awaited)
        add_numbers(digester, a.access, a.write.block, a.write.warp, a.write.access);
    }
  }
  for (const auto& [write, before] : trace.built)
    add_numbers(digester, write.block, write.warp, write.access, before.block, before.warp, before.access);
  for (const BlockLines& sample : trace.sample_blocks) {
    add_numbers(digester, sample.block, sample.place);
    digester.add(sample.lines);
  }
  return digester.hex();
}

std::optional<sm::LaunchTime> TimeCache::find(const std::string& key) const {
  const auto bytes = files_.find(key, kTime);
  return bytes ? decode(*bytes) : std::nullopt;
}

void TimeCache::keep(const std::string& key, const sm::LaunchTime& time) const {
  if (!key.empty()) files_.keep(key, kTime, encode(time));
}

std::optional<sm::Timeline> TimeCache::find_timeline(const std::string& key) const {
  const auto bytes = files_.find(key, kTimeline);
  if (!bytes) return std::nullopt;
  auto timeline = store::decode_timeline(*bytes);
  return timeline ? std::optional(std::move(*timeline)) : std::nullopt;
}

void TimeCache::keep_timeline(const std::string& key, const sm::Timeline& timeline) const {
  if (!key.empty()) files_.keep(key, kTimeline, store::encode(timeline));
}

}  // namespace drywarp::cuda
