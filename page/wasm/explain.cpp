// drywarp's explanations for the page: `drywarp explain` compiled to WebAssembly, so that pictures whose inputs a
// reader moves show what the profiler counts. One question, one answer, both JSON:
//
//   {"topic": "access", "index": "a[2 * tid]", "block": [64], "device": {...}}
//   what `drywarp explain access --format json` prints, or {"error": {"message", "hint", "where", "column"}}
#include <__verbose_abort>
#include <algorithm>
#include <string_view>

#include "device.h"
#include "faces/explain/draw/json_parts.h"
#include "input.h"

namespace drywarp::page {
namespace {

using Answer = Result<std::string>;

template <class T>
Answer answer(const Result<T>& explained) {
  if (!explained) return explained.problem();
  return explain::to_json(*explained);
}

explain::LaunchConfiguration launch_of(Input& in, uint32_t threads = kWarpSize) {
  return {in.extent("block", {threads, 1, 1}), in.extent("grid", {1, 1, 1})};
}

Result<explain::Pattern> pattern_of(Input& in) {
  explain::PatternText text;
  text.index = in.text("index");
  text.stride = in.number("stride", text.stride);
  text.offset = in.number("offset", text.offset);
  text.extents = in.text("array");
  text.condition = in.text("if");
  text.definitions = in.texts("let");
  text.launch = launch_of(in);
  text.bytes = in.number("bytes", text.bytes);
  text.base = in.number("base", text.base);
  if (in.problem()) return *in.problem();
  return explain::parse_pattern(text);
}

Answer explain_access(Input& in, const device::DeviceSpec& device) {
  const auto block = in.number<uint64_t>("in_block", 0);
  const auto warp = in.number<uint32_t>("warp", 0);
  const Result<explain::Pattern> pattern = pattern_of(in);
  if (!pattern) return pattern.problem();
  return answer(explain::explain_access(*pattern, device, block, warp));
}

Answer explain_banks(Input& in, const device::DeviceSpec& device) {
  const auto block = in.number<uint64_t>("in_block", 0);
  const auto warp = in.number<uint32_t>("warp", 0);
  const bool eight_bytes = in.flag("eight_byte_banks");
  const Result<SharedOp> op = explain::parse_shared_op(in.text("op", "load"));
  if (!op) return op.problem();
  const Result<explain::Pattern> pattern = pattern_of(in);
  if (!pattern) return pattern.problem();
  return answer(explain::explain_banks(*pattern, *op, device, block, warp, eight_bytes));
}

Answer explain_warps(Input& in, const device::DeviceSpec&) {
  const explain::LaunchConfiguration launch = launch_of(in);
  if (in.problem()) return *in.problem();
  return answer(explain::explain_warps(launch));
}

Answer explain_reduction(Input& in) {
  const Result<explain::Reduction> reduction = explain::parse_reduction(in.text("reduction"));
  if (!reduction) return reduction.problem();
  const explain::LaunchConfiguration launch = launch_of(in, 128);
  const auto elements = in.number<uint64_t>("elements", 0);
  if (in.problem()) return *in.problem();
  if (launch.threads() != launch.block[0]) return error("these reductions need one-dimensional blocks");
  return answer(explain::explain_reduction(*reduction, launch.threads(), elements));
}

Answer explain_divergence(Input& in, const device::DeviceSpec&) {
  using explain::BranchKind;
  if (in.has("reduction")) return explain_reduction(in);
  explain::DivergenceText text;
  static constexpr std::pair<const char*, BranchKind> kKinds[] = {
      {"if", BranchKind::Condition}, {"switch", BranchKind::Switch}, {"loop", BranchKind::Loop}};
  for (const auto& [key, kind] : kKinds)
    if (in.has(key)) text.expression = in.text(key), text.kind = kind;
  text.definitions = in.texts("let");
  text.launch = launch_of(in);
  if (in.problem()) return *in.problem();
  return answer(explain::explain_divergence(text));
}

Answer explain_rows(Input& in, const explain::StreamPattern& pattern) {
  explain::RowsQuery query;
  query.precharge = in.number("precharge", query.precharge);
  query.activate = in.number("activate", query.activate);
  query.read = in.number("read", query.read);
  query.transfer = in.number("transfer", query.transfer);
  query.banks = in.number("banks", query.banks);
  query.channels = in.number("channels", query.channels);
  query.row_bursts = in.number("row_bursts", query.row_bursts);
  query.pattern = pattern;
  if (in.problem()) return *in.problem();
  return answer(explain::explain_rows(query));
}

// Of a device's own DRAM.
Answer explain_stream(Input& in, const explain::StreamPattern& pattern, const device::DeviceSpec& device) {
  explain::StreamQuery query;
  query.pattern = pattern;
  query.bytes = in.number("bytes", query.bytes);
  if (in.has("size")) query.elements = in.number<uint64_t>("size", 0) / std::max(1u, query.bytes);
  if (in.has("banks")) query.banks = in.number<uint32_t>("banks", 0);
  if (in.has("channels")) query.channels = in.number<uint32_t>("channels", 0);
  if (in.problem()) return *in.problem();
  return answer(explain::explain_stream(query, device));
}

Answer explain_caches(Input& in, const device::DeviceSpec& device) {
  const Result<explain::StreamPattern> pattern = explain::parse_stream_pattern(in.text("pattern", "sequential"));
  if (!pattern) return pattern.problem();
  explain::CacheQuery query;
  query.pattern = *pattern;
  query.size = in.number("size", query.size);
  query.bytes = in.number("bytes", query.bytes);
  query.passes = in.number("passes", query.passes);
  query.multiprocessors = in.number("sms", query.multiprocessors);
  if (in.problem()) return *in.problem();
  return answer(explain::explain_caches(query, device));
}

Answer explain_dram(Input& in, const device::DeviceSpec& device) {
  const Result<explain::StreamPattern> pattern = explain::parse_stream_pattern(in.text("pattern", "sequential"));
  if (!pattern) return pattern.problem();
  if (in.flag("of_device")) return explain_stream(in, *pattern, device);
  for (const char* key : {"row_bursts", "precharge", "activate", "read"})
    if (in.has(key)) return explain_rows(in, *pattern);
  explain::TimelineQuery query;
  query.latency = in.number("latency", query.latency);
  query.transfer = in.number("transfer", query.transfer);
  query.banks = in.number("banks", query.banks);
  query.channels = in.number("channels", query.channels);
  query.bus_bits = in.number("bus_bits", query.bus_bits);
  query.clock_ghz = in.number("clock", query.clock_ghz);
  query.wanted_gbs = in.numbers<double>("bandwidth");
  if (query.wanted_gbs.empty()) query.wanted_gbs = {32, 128, 256};
  query.pattern = *pattern;
  if (in.problem()) return *in.problem();
  return answer(explain::explain_timeline(query));
}

// A recorded access: `lanes` is a mask, `addresses` has 32.
Result<explain::LaneAccesses> recorded_lanes(Input& in, unsigned bytes) {
  explain::LaneAccesses out;
  out.active = in.number<LaneMask>("lanes", ~LaneMask{0});
  const std::vector<uint64_t> addresses = in.numbers<uint64_t>("addresses");
  if (in.problem()) return *in.problem();
  if (addresses.size() != kWarpSize || !std::has_single_bit(bytes) || bytes > 16)
    return error("a recorded access has 32 addresses, and elements of 1, 2, 4, 8 or 16 bytes");
  std::ranges::copy(addresses, out.addresses.begin());
  return out;
}

std::string finish_warp(const char* topic, Json warp) {
  Json json = explain::start(topic);
  json["warp"] = std::move(warp);
  return explain::finish(json);
}

Answer explain_recorded_access(Input& in, const device::DeviceSpec&) {
  const auto bytes = in.number<unsigned>("bytes", 4);
  const Result<explain::LaneAccesses> lanes = recorded_lanes(in, bytes);
  if (!lanes) return lanes.problem();
  const explain::WarpAccess warp = explain::warp_access(*lanes, bytes, 0, 0);
  Json json = explain::warp_json(warp);
  json["verdict"] = name(explain::verdict_of(warp, bytes));
  return finish_warp("recorded_access", std::move(json));
}

// Padding: a gap of `pad_bytes` after every `row_bytes` of the array, whose first byte is at `origin`.
Answer explain_recorded_banks(Input& in, const device::DeviceSpec& device) {
  const auto bytes = in.number<unsigned>("bytes", 4);
  const Result<SharedOp> op = explain::parse_shared_op(in.text("op", "load"));
  if (!op) return op.problem();
  const auto origin = in.number<uint64_t>("origin", 0), row = in.number<uint64_t>("row_bytes", 128),
             pad = in.number<uint64_t>("pad_bytes", 0);
  Result<explain::LaneAccesses> lanes = recorded_lanes(in, bytes);
  if (!lanes) return lanes.problem();
  if (row == 0 || pad % bytes != 0) return error("a row has bytes, and its padding is of whole elements");
  for (uint64_t& address : lanes->addresses)
    if (address >= origin) address += (address - origin) / row * pad;
  const SharedBanks banks = shared_banks(device, in.flag("eight_byte_banks"));
  return finish_warp("recorded_banks", explain::warp_json(explain::warp_banks(*lanes, bytes, *op, banks, 0, 0)));
}

constexpr struct {
  std::string_view topic;
  Answer (*explain)(Input& in, const device::DeviceSpec& device);
} kTopics[] = {
    {"access", explain_access},
    {"banks", explain_banks},
    {"warps", explain_warps},
    {"divergence", explain_divergence},
    {"dram", explain_dram},
    {"caches", explain_caches},
    {"recorded_access", explain_recorded_access},
    {"recorded_banks", explain_recorded_banks},
};

Answer explain_question(std::string_view text) {
  const Json question = Json::parse(text, nullptr, false);
  if (!question.is_object()) return error("the question is not a JSON object");
  Input in(question);
  const std::string topic = in.text("topic");
  const device::DeviceSpec device = device_of(question.contains("device") ? question["device"] : Json());
  for (const auto& known : kTopics)
    if (known.topic == topic) return known.explain(in, device);
  return error(fmt::format("there is no topic '{}'", topic));
}

std::string error_text(const Diagnostic& problem) {
  const SourceLocation& place = problem.location;
  return explain::finish({{"error",
                           {{"message", problem.message},
                            {"hint", problem.hint},
                            {"where", place.file},
                            {"column", place.known() ? Json(place.column) : Json()}}}});
}

// The question and the answer, between calls: JavaScript writes the one and reads the other.
std::string question, latest_answer;

}  // namespace
}  // namespace drywarp::page

// A broken invariant traps; the C++ library's own message would need a console.
void std::__libcpp_verbose_abort(const char*, ...) { __builtin_trap(); }

#define DW_EXPORT(name) __attribute__((export_name(#name))) extern "C"

// Memory for a question of so many bytes of UTF-8.
DW_EXPORT(question) char* question(uint32_t bytes) {
  drywarp::page::question.resize(bytes);
  return drywarp::page::question.data();
}
// Answers the question that is in that memory; returns the answer's length in bytes.
DW_EXPORT(explain) uint32_t explain() {
  using namespace drywarp::page;
  const auto found = explain_question(drywarp::page::question);
  latest_answer = found ? *found : error_text(found.problem());
  return static_cast<uint32_t>(latest_answer.size());
}
DW_EXPORT(answer) const char* answer() { return drywarp::page::latest_answer.data(); }
