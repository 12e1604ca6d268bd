// The launches in order of issue, and the modelled time line of the run.
#include <algorithm>
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
  std::map<uint32_t, Json> streams;
  double now = 0;
  for (const Operation& o : operations) {
    Json& spans = streams.try_emplace(o.stream, Json::array()).first->second;
    spans.push_back({now, o.seconds, o.kind, o.index});
    now += o.seconds;
  }
  Json all = Json::array();
  for (auto& [stream, spans] : streams) all.push_back({{"stream", stream}, {"spans", std::move(spans)}});
  return {{"class", "modelled"},
          {"text",
           "Kernels and copies one after another in the order in which the program issued them, each with its modelled "
           "time: no gaps, no overlap of streams. Launches without a modelled time are left out."},
          {"seconds", now},
          {"untimed_launches", std::ranges::count_if(s.model.launches, [](const auto& l) { return !l.record->time; })},
          {"streams", std::move(all)}};
}

}  // namespace drywarp::document
