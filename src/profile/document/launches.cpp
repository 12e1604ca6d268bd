// The launches in order of issue, and the modelled time line of the run.
#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "profile/document/parts.h"

namespace drywarp::document {
namespace {

// The document shows it beside the kernel's, which has the evidence.
Json short_limiter(const advice::Verdict* verdict) {
  if (!verdict) return nullptr;
  return {
      {"kind", advice::key(verdict->limiter)}, {"unit", report::text_or_null(verdict->unit)}, {"text", verdict->text}};
}

Json values_json(const std::vector<std::optional<double>>& values) {
  Json all = Json::array();
  for (const auto& value : values) all.push_back(report::number(value));
  return all;
}

struct Operation {
  double start = 0;    // on the host: the order of issue
  double seconds = 0;  // modelled
  uint32_t stream = 0;
  const char* kind = "";
  size_t index = 0;
};

// Spans of one stream that overlap, as branches of a graph do, go into rows of their own.
class Rows {
 public:
  void add(uint32_t stream, double start, double seconds, const char* kind, size_t index) {
    std::vector<Row>& rows = streams_[stream];
    const auto is_free = [&](const Row& row) { return row.end <= start * (1 + 1e-12); };
    auto row = std::ranges::find_if(rows, is_free);
    if (row == rows.end()) row = rows.insert(rows.end(), Row{});
    row->end = start + seconds;
    row->spans.push_back({start, seconds, kind, index});
  }
  [[nodiscard]] Json json() && {
    Json all = Json::array();
    for (auto& [stream, rows] : streams_)
      for (Row& row : rows) all.push_back({{"stream", stream}, {"spans", std::move(row.spans)}});
    return all;
  }

 private:
  struct Row {
    double end = 0;
    Json spans = Json::array();
  };
  std::map<uint32_t, std::vector<Row>> streams_;
};

// Of profiles that know no operations.
Json serial_json(const Subject& s, Json timeline) {
  std::vector<Operation> operations;
  for (size_t i = 0; i < s.model.launches.size(); ++i) {
    const record::LaunchRecord& r = *s.model.launches[i].record;
    if (r.time) operations.push_back({r.start_seconds, r.time->summary.duration_ns * 1e-9, r.stream, "launch", i});
  }
  for (size_t i = 0; i < s.profile.transfers.size(); ++i) {
    const record::TransferRecord& t = s.profile.transfers[i];
    if (t.gpu_seconds > 0) operations.push_back({t.start_seconds, t.gpu_seconds, t.stream, "transfer", i});
  }
  std::ranges::stable_sort(operations, {}, &Operation::start);
  Rows rows;
  double now = 0;
  for (const Operation& o : operations) {
    rows.add(o.stream, now, o.seconds, o.kind, o.index);
    now += o.seconds;
  }
  timeline["text"] =
      "Kernels and copies one after another in the order in which the program issued them, each with its modelled "
      "time: no gaps, no overlap of streams. Launches without a modelled time are left out.";
  timeline["seconds"] = now;
  timeline["summary"] = nullptr;
  timeline["streams"] = std::move(rows).json();
  return timeline;
}

// Shares of a whole, by what takes them.
Json shares_json(const std::array<double, timeline::kKinds>& ns, bool critical) {
  constexpr std::array<const char*, timeline::kKinds> kKeys = {"kernels", "to_device", "to_host", "inside",
                                                               "memsets", "gaps",      "host"};
  Json all = Json::object();
  for (unsigned kind = 0; kind < (critical ? timeline::kKinds : timeline::kGaps); ++kind)
    all[kKeys[kind]] = 1e-9 * ns[kind];
  return all;
}

}  // namespace

Json launches_json(const Subject& s) {
  Json all = Json::array();
  for (const report::LaunchModel& launch : s.model.launches) {
    const record::LaunchRecord& r = *launch.record;
    Json time = report::launch_time_json(launch);
    if (!time.is_null()) time.erase("class");
    all.push_back({{"kernel", launch.kernel},
                   {"grid", report::extent_json(r.grid)},
                   {"block", report::extent_json(r.block)},
                   {"registers", launch.info->registers == 0 ? Json() : Json(launch.info->registers)},
                   {"static_shared", launch.info->static_shared_bytes},
                   {"dynamic_shared", r.dynamic_shared_bytes},
                   {"stream", r.stream},
                   {"range", report::text_or_null(r.range)},
                   {"start_seconds", r.start_seconds},
                   {"host_seconds", r.host_seconds},
                   {"time", std::move(time)},
                   {"untimed", report::text_or_null(r.untimed)},
                   {"fault", report::text_or_null(r.fault)},
                   {"limiter", short_limiter(launch.limiter.get())},
                   {"values", values_json(launch.values)}});
  }
  return all;
}

Json timeline_json(const Subject& s) {
  Json timeline = {
      {"class", "modelled"},
      {"untimed_launches", std::ranges::count_if(s.model.launches, [](const auto& l) { return !l.record->time; })}};
  const auto& line = s.model.time_line;
  if (!line) return serial_json(s, std::move(timeline));
  const auto& operations = s.profile.operations;
  double first = std::numeric_limits<double>::infinity();
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < operations.size(); ++i) {
    if (operations[i].kind != timeline::Kind::Kernel && !is_copy(operations[i].kind)) continue;
    first = std::min(first, line->spans[i].start);
    if (operations[i].subject != timeline::kNone && operations[i].duration_ns > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](uint32_t i) { return line->spans[i].start; });
  Rows rows;
  for (const uint32_t i : order) {
    const timeline::Span& span = line->spans[i];
    rows.add(operations[i].stream, 1e-9 * (span.start - first), 1e-9 * (span.end - span.start),
             operations[i].kind == timeline::Kind::Kernel ? "launch" : "transfer", operations[i].subject);
  }
  const timeline::Totals& t = line->totals;
  timeline["text"] =
      "Kernels and copies as streams, events and engines order them, each with its modelled time: copies of one "
      "direction share an engine, kernels share the SMs. The program's own code on the host takes no time. Launches "
      "without a modelled time are left out.";
  timeline["seconds"] = 1e-9 * t.whole_ns;
  timeline["summary"] = {{"busy_seconds", shares_json(t.busy_ns, false)},
                         {"overlapped_seconds", 1e-9 * t.together_ns},
                         {"overlappable_seconds", 1e-9 * t.possible_ns},
                         {"critical_seconds", shares_json(t.critical_ns, true)}};
  timeline["streams"] = std::move(rows).json();
  return timeline;
}

}  // namespace drywarp::document
