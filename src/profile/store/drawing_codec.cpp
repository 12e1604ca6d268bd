#include "profile/store/drawing_codec.h"

#include <algorithm>
#include <cmath>

#include "base/support/coder.h"
#include "profile/store/codec.h"
#include "profile/store/compression.h"

namespace drywarp::store {

using namespace coding;

namespace {

constexpr double kTicks = 16;                       // a cycle
constexpr uint64_t kMostTicks = uint64_t{1} << 52;  // a double holds them exactly
constexpr uint32_t kMostUnits = 1u << 16;           // of a device's SMs, channels ...: likewise

// The difference to an earlier value, small in both directions.
template <class Coder, class T>
void difference(Coder& coder, T& value, uint64_t before) {
  uint64_t folded = 0;
  if constexpr (!Coder::reads) {
    const auto delta = static_cast<int64_t>(static_cast<uint64_t>(value) - before);
    folded = static_cast<uint64_t>(delta) << 1 ^ static_cast<uint64_t>(delta >> 63);
  }
  field(coder, folded);
  if constexpr (Coder::reads) value = static_cast<T>(before + (folded >> 1 ^ (~(folded & 1) + 1)));
}

uint64_t ticks(memory::Cycles cycles) {
  return static_cast<uint64_t>(std::llround(std::clamp(cycles * kTicks, 0.0, static_cast<double>(kMostTicks))));
}

// A time, as its difference to another.
template <class Coder, class T>
void time(Coder& coder, T& cycles, memory::Cycles before) {
  uint64_t at = Coder::reads ? 0 : ticks(cycles);
  difference(coder, at, ticks(before));
  if constexpr (Coder::reads) cycles = static_cast<double>(std::min(at, kMostTicks)) / kTicks;
}

template <class Coder, class Blocks>
void fields_of_blocks(Coder& coder, Blocks& blocks) {
  sm::Timeline::Block before;
  list(coder, blocks, [&](auto& k, auto& b) {
    all(k, b.sm, b.slot);
    difference(k, b.block, before.block);
    time(k, b.start, before.start);
    time(k, b.end, b.start);
    before = b;
  });
}

template <class Coder, class Warps>
void fields_of_warps(Coder& coder, Warps& warps) {
  uint64_t block = 0;
  memory::Cycles start = 0;
  list(coder, warps, [&](auto& k, auto& w) {
    all(k, w.scheduler, w.slot, w.warp);
    difference(k, w.block, block);
    time(k, w.start, start);
    time(k, w.end, w.start);
    memory::Cycles at = w.start;
    list(k, w.segments, [&](auto& c, auto& s) {
      field(c, s.reason);
      time(c, s.start, at);
      time(c, s.end, s.start);
      at = s.end;
    });
    block = w.block, start = w.start;
  });
}

// The issues of each warp, in order: consecutive ones are mostly of consecutive instructions.
using Issues = std::vector<std::vector<sm::Timeline::Issue>>;

template <class Coder, class ByWarp>
void fields_of_issues(Coder& coder, ByWarp& by_warp, const std::vector<sm::Timeline::Warp>& warps) {
  for (size_t w = 0; w < by_warp.size(); ++w) {
    memory::Cycles cycle = warps[w].start;
    uint64_t instruction = 0;
    list(coder, by_warp[w], [&](auto& k, auto& i) {
      time(k, i.cycle, cycle);
      difference(k, i.instruction, instruction);
      field(k, i.second);
      if constexpr (Coder::reads) i.warp = static_cast<uint32_t>(w);
      cycle = i.cycle, instruction = i.instruction;
    });
  }
}

Issues issues_by_warp(const sm::Timeline& timeline) {
  Issues by_warp(timeline.warps.size());
  for (const sm::Timeline::Issue& i : timeline.issues)
    if (i.warp < by_warp.size()) by_warp[i.warp].push_back(i);
  return by_warp;
}

std::vector<sm::Timeline::Issue> in_order_of_time(const Issues& by_warp) {
  std::vector<sm::Timeline::Issue> issues;
  for (const auto& of_warp : by_warp) issues.insert(issues.end(), of_warp.begin(), of_warp.end());
  std::ranges::stable_sort(issues, {}, &sm::Timeline::Issue::cycle);
  return issues;
}

template <class Coder, class Accesses>
void fields_of_dram(Coder& coder, Accesses& accesses) {
  memory::DramAccess before;
  list(coder, accesses, [&](auto& k, auto& a) {
    all(k, a.channel, a.bank, a.write, a.row_hit);
    difference(k, a.row, before.row);
    time(k, a.reached, before.reached);
    time(k, a.data, a.reached);
    time(k, a.opened, a.data);
    time(k, a.end, a.data);
    before = a;
  });
}

template <class Coder, class Timeline>
void fields_of_timeline(Coder& coder, Timeline& t) {
  all(coder, t.sms, t.schedulers, t.channels, t.banks, t.sm);
  time(coder, t.end, 0);
  time(coder, t.blocks_until, 0);
  time(coder, t.warps_until, 0);
  time(coder, t.dram_until, 0);
  fields_of_blocks(coder, t.blocks);
  fields_of_warps(coder, t.warps);
  fields_of_dram(coder, t.dram);
}

template <class Coder, class Listing>
void fields_of_listing(Coder& coder, Listing& listing) {
  list(coder, listing.regions, [](auto& k, auto& path) { list(k, path, [](auto& c, auto& block) { all(c, block); }); });
  uint64_t instruction = 0, file = 0, line = 0;
  list(coder, listing.instructions, [&](auto& k, auto& i) {
    all(k, i.text, i.operation, i.pipe, i.region);
    difference(k, i.instruction, instruction);
    difference(k, i.file, file);
    difference(k, i.line, line);
    instruction = i.instruction, file = i.file, line = i.line;
  });
}

template <class Coder, class Steps>
void fields_of_steps(Coder& coder, Steps& steps) {
  field(coder, steps.block);
  list(coder, steps.warps, [](auto& k, auto& w) {
    field(k, w.cut);
    list(k, w.steps, [](auto& c, auto& s) { all(c, s.block, s.lanes, s.repeats); });
    list(k, w.barriers, [](auto& c, auto& b) { all(c, b.step, b.number); });
  });
}

// The names of the stalls, by the writer's numbers.
template <class Coder>
std::vector<std::string> stall_names(Coder& coder) {
  std::vector<std::string> names;
  if constexpr (!Coder::reads)
    for (unsigned k = 0; k < sm::kStalls; ++k) names.emplace_back(sm::name(static_cast<sm::Stall>(k)));
  list(coder, names, [](auto& c, auto& name) { all(c, name); });
  return names;
}

// From a writer's numbers to this reader's. False: a number has no name.
bool rename_stalls(sm::Timeline& timeline, const std::vector<std::string>& names) {
  std::vector<sm::Stall> known;
  for (const std::string& text : names) {
    unsigned stall = 0;
    while (stall < sm::kStalls && text != sm::name(static_cast<sm::Stall>(stall))) ++stall;
    known.push_back(stall < sm::kStalls ? static_cast<sm::Stall>(stall) : sm::Stall::Misc);
  }
  for (sm::Timeline::Warp& warp : timeline.warps)
    for (sm::Timeline::Segment& segment : warp.segments) {
      if (unsigned(segment.reason) >= known.size()) return false;
      segment.reason = known[unsigned(segment.reason)];
    }
  return true;
}

bool is_in_range(const sm::Timeline& t) {
  using Timeline = sm::Timeline;
  const auto ordered = [](const auto& span) { return span.start <= span.end; };
  return std::ranges::max({t.sms, t.schedulers, t.channels, t.banks}) <= kMostUnits &&
         (t.sm < t.sms || t.warps.empty()) &&
         std::ranges::all_of(
             t.blocks, [&](const Timeline::Block& b) { return b.sm < t.sms && b.slot < kMostUnits && ordered(b); }) &&
         std::ranges::all_of(t.warps,
                             [&](const Timeline::Warp& w) {
                               return w.scheduler < t.schedulers && w.slot < kMostUnits && ordered(w) &&
                                      std::ranges::all_of(w.segments, ordered);
                             }) &&
         std::ranges::all_of(t.issues,
                             [&](const Timeline::Issue& i) { return i.instruction < t.instructions.size(); }) &&
         std::ranges::all_of(t.dram, [&](const memory::DramAccess& a) {
           return a.channel < t.channels && a.bank < t.banks && a.reached <= a.data && a.opened <= a.data &&
                  a.data <= a.end;
         });
}

bool is_in_range(const record::MachineListing& listing, const KernelInfo& kernel) {
  const auto inside = [](uint32_t index, size_t size) { return index == machine::kNone || index < size; };
  return std::ranges::all_of(listing.instructions, [&](const record::ListedInstruction& i) {
    return i.region < listing.regions.size() && inside(i.instruction, kernel.instructions.size()) &&
           inside(i.file, kernel.files.size());
  });
}

bool is_in_range(const BlockSteps& steps) {
  return std::ranges::all_of(steps.warps, [](const BlockSteps::Warp& w) {
    return std::ranges::all_of(w.barriers, [&](const BlockSteps::Barrier& b) { return b.step < w.steps.size(); });
  });
}

}  // namespace

std::string encode(const record::MachineListing& listing) {
  Encoder coder;
  fields_of_listing(coder, listing);
  return compress(coder.bytes);
}

Result<record::MachineListing> decode_listing(std::string_view bytes, const KernelInfo& kernel) {
  const Result<std::string> plain = decompress(bytes);
  if (!plain) return plain.problem();
  Decoder coder(*plain);
  record::MachineListing listing;
  fields_of_listing(coder, listing);
  if (auto s = coder.status(); !s) return s.problem();
  if (!is_in_range(listing, kernel)) return error("a record is damaged");
  return listing;
}

std::string encode(const sm::Timeline& timeline) {
  Encoder coder;
  stall_names(coder);
  fields_of_timeline(coder, timeline);
  const Issues issues = issues_by_warp(timeline);
  fields_of_issues(coder, issues, timeline.warps);
  coder.text(encode(timeline.instructions));
  return compress(coder.bytes);
}

Result<sm::Timeline> decode_timeline(std::string_view bytes) {
  const Result<std::string> plain = decompress(bytes);
  if (!plain) return plain.problem();
  Decoder coder(*plain);
  sm::Timeline timeline;
  const std::vector<std::string> stalls = stall_names(coder);
  fields_of_timeline(coder, timeline);
  Issues issues(timeline.warps.size());
  fields_of_issues(coder, issues, timeline.warps);
  auto instructions = decode_instruction_times(coder.text());
  if (auto s = coder.status(); !s) return s.problem();
  if (!instructions) return instructions.problem();
  timeline.instructions = std::move(*instructions);
  timeline.issues = in_order_of_time(issues);
  if (!rename_stalls(timeline, stalls) || !is_in_range(timeline)) return error("a record is damaged");
  return timeline;
}

std::string encode(const BlockSteps& steps) {
  Encoder coder;
  fields_of_steps(coder, steps);
  return compress(coder.bytes);
}

Result<BlockSteps> decode_steps(std::string_view bytes) {
  const Result<std::string> plain = decompress(bytes);
  if (!plain) return plain.problem();
  Decoder coder(*plain);
  BlockSteps steps;
  fields_of_steps(coder, steps);
  if (auto s = coder.status(); !s) return s.problem();
  if (!is_in_range(steps)) return error("a record is damaged");
  return steps;
}

}  // namespace drywarp::store
