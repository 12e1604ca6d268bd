#include "faces/explain/dram_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "model/memory/cache.h"
#include "model/memory/dram.h"

namespace drywarp::explain {
namespace {

constexpr uint32_t kBurstBytes = 64;  // of the model; the results are ratios of times, independent of it
constexpr uint32_t kMost = 1024;
constexpr size_t kQueue = 256;  // requests in a channel's queue

memory::DramParameters parameters(const TimelineQuery& query) {
  memory::DramParameters p;
  p.channels = query.channels;
  p.banks = query.banks;
  p.row_bytes = p.burst_bytes = kBurstBytes;
  p.bytes_per_cycle = kBurstBytes / query.transfer;
  p.activate = query.latency;
  p.row_cycle = query.latency + query.transfer;  // a bank starts its next access after the burst of the last
  return p;
}

// A channel's controller. It starts the oldest access whose bank is free, at most one per transfer time, so that bursts
// do not collide on the bus.
class Controller {
 public:
  Controller(memory::Dram& dram, const TimelineQuery& query, uint32_t channel)
      : dram_(dram), query_(query), channel_(channel), free_(query.banks) {}

  void ask(uint64_t burst) { queue_.push_back(burst); }
  [[nodiscard]] bool full() const { return queue_.size() >= kQueue; }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  [[nodiscard]] uint32_t bank_of(uint64_t burst) const {
    return static_cast<uint32_t>(burst / query_.channels % query_.banks);
  }

  TimelineAccess serve() {
    size_t best = 0;
    double begin = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < queue_.size() && begin > next_; ++i) {
      const double possible = std::max(next_, free_[bank_of(queue_[i])]);
      if (possible < begin) begin = possible, best = i;
    }
    const uint64_t burst = queue_[best];
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(best));
    const uint32_t bank = bank_of(burst);
    const double end = dram_.read(channel_, bank, ++row_, kBurstBytes, begin);
    next_ = begin + query_.transfer;
    free_[bank] = end;
    return {burst, channel_, bank, begin, end - query_.transfer, end};
  }

 private:
  memory::Dram& dram_;
  const TimelineQuery& query_;
  uint32_t channel_;
  std::deque<uint64_t> queue_;
  std::vector<double> free_;  // time at which each bank is free
  double next_ = 0;
  uint64_t row_ = 0;
};

struct Run {
  std::vector<TimelineAccess> accesses;  // by begin
  double utilization = 0;
  std::vector<uint64_t> by_channel;
  uint64_t conflicts = 0;  // requests to the bank of the request before them in their channel
};

Run run(const TimelineQuery& query, uint64_t bursts) {
  memory::Dram dram(parameters(query));
  std::vector<Controller> controllers;
  controllers.reserve(query.channels);
  for (uint32_t c = 0; c < query.channels; ++c) controllers.emplace_back(dram, query, c);
  Run out;
  out.by_channel.resize(query.channels);
  std::vector<std::optional<uint32_t>> last_bank(query.channels);
  // A program requests the bursts in order; a full queue blocks the following ones.
  const auto serve = [&](Controller& c) { out.accesses.push_back(c.serve()); };
  for (uint64_t i = 0; i < bursts; ++i) {
    const uint64_t burst = query.pattern.at(i, bursts);
    const auto channel = static_cast<size_t>(burst % query.channels);
    ++out.by_channel[channel];
    Controller& controller = controllers[channel];
    const uint32_t bank = controller.bank_of(burst);
    out.conflicts += std::exchange(last_bank[channel], bank) == bank;
    while (controller.full()) serve(controller);
    controller.ask(burst);
  }
  for (Controller& c : controllers)
    while (!c.empty()) serve(c);
  std::ranges::sort(out.accesses, {}, [](const TimelineAccess& a) { return std::pair(a.begin, a.channel); });

  // Measure the second half: without the start, and over whole rounds of the banks.
  std::vector<double> ends;
  for (const TimelineAccess& access : out.accesses) ends.push_back(access.end);
  std::ranges::sort(ends);
  const size_t middle = ends.size() / 2;
  const double time = ends.back() - ends[middle - 1];
  out.utilization = static_cast<double>(ends.size() - middle) * query.transfer / (time * query.channels);
  return out;
}

// Whole rounds over channels and banks, so that both halves are equal.
uint64_t long_run(const TimelineQuery& query) {
  const uint64_t round = 2 * uint64_t{query.banks} * query.channels;
  return round * std::max<uint64_t>(8, (512 + round - 1) / round);
}

double utilization_with(TimelineQuery query, uint32_t banks) {
  query.banks = banks, query.channels = 1, query.pattern = {};
  return run(query, long_run(query)).utilization;
}

// The smallest number of banks that keeps the bus busy, by binary search: more are never worse.
uint32_t find_banks_needed(const TimelineQuery& query) {
  const auto enough = [&](uint32_t banks) { return utilization_with(query, banks) > 1 - 1e-6; };
  uint32_t most = 1;
  while (!enough(most)) {
    if (most >= 16 * kMost) return 0;
    most *= 2;
  }
  uint32_t least = most / 2;  // not enough
  while (most - least > 1) {
    const uint32_t middle = least + (most - least) / 2;
    (enough(middle) ? most : least) = middle;
  }
  return most;
}

}  // namespace

uint64_t StreamPattern::at(uint64_t index, uint64_t units) const {
  switch (kind) {
    case Kind::Sequential:
      return index;
    case Kind::Stride:
      return index * stride;
    case Kind::Random:
      break;
  }
  return memory::pick(memory::hash_line(index + 1), std::max<uint64_t>(1, units));
}

Result<StreamPattern> parse_stream_pattern(std::string_view text) {
  if (text == "sequential") return StreamPattern{};
  if (text == "random") return StreamPattern{StreamPattern::Kind::Random, 1};
  constexpr std::string_view kStride = "stride";
  if (text.starts_with(kStride) && text.size() > kStride.size() + 1 &&
      std::string_view(" :=").find(text[kStride.size()]) != std::string_view::npos) {
    const std::string_view number = text.substr(kStride.size() + 1);
    StreamPattern pattern{StreamPattern::Kind::Stride, 0};
    const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), pattern.stride);
    if (failure == std::errc() && end == number.data() + number.size() && pattern.stride > 0 &&
        pattern.stride <= 1u << 30)
      return pattern;
  }
  return error(fmt::format("'{}' is not an access pattern", text), "sequential, stride N (from 1 to 2^30), random");
}

std::string to_string(const StreamPattern& pattern) {
  if (pattern.kind == StreamPattern::Kind::Random) return "random";
  return pattern.kind == StreamPattern::Kind::Sequential ? "sequential" : fmt::format("stride {}", pattern.stride);
}

Result<DramTimeline> explain_timeline(const TimelineQuery& query) {
  const auto positive = [](double v) { return std::isfinite(v) && v > 0; };
  if (!positive(query.latency) || !positive(query.transfer) || query.latency / query.transfer > 1e4)
    return error(fmt::format("latency {} and transfer {}: both must be positive, and at most 10000 to 1", query.latency,
                             query.transfer));
  if (!positive(query.bus_bits) || !positive(query.clock_ghz))
    return error(fmt::format("a bus of {} bits at {} GHz moves nothing", query.bus_bits, query.clock_ghz));
  if (query.banks == 0 || query.channels == 0 || query.banks > kMost || query.channels > kMost)
    return error(fmt::format("{} banks and {} channels: from 1 to {} of each", query.banks, query.channels, kMost));

  DramTimeline out;
  out.query = query;
  Run all = run(query, long_run(query));
  out.utilization = all.utilization;
  for (const uint64_t bursts : all.by_channel)
    out.channel_share.push_back(static_cast<double>(bursts) / static_cast<double>(all.accesses.size()));
  // Two rounds over the banks of every channel show the repetition.
  const double shown = 2 * (query.latency + query.transfer) + query.transfer * std::min(query.banks, 64u);
  for (const TimelineAccess& access : all.accesses)
    if (access.end <= shown + 1e-9) out.accesses.push_back(access);
  out.conflict_share = static_cast<double>(all.conflicts) / static_cast<double>(all.accesses.size());
  out.one_bank_utilization = utilization_with(query, 1);
  out.banks_needed = find_banks_needed(query);
  out.channel_gbs = query.bus_bits / 8 * 2 * query.clock_ghz;
  out.gbs = out.utilization * out.channel_gbs * query.channels;
  out.one_bank_gbs = out.one_bank_utilization * out.channel_gbs;
  for (const double gbs : query.wanted_gbs) {
    if (!positive(gbs) || gbs > 1e9) return error(fmt::format("{} GB/s is not a possible bandwidth", gbs));
    out.wanted.push_back({gbs, static_cast<uint32_t>(std::ceil(gbs / out.channel_gbs - 1e-9))});
  }
  return out;
}

}  // namespace drywarp::explain
