// A profile: how the run came about, its kernels, launches, copies and calls.
#include <map>

#include "profile/document/parts.h"
#include "profile/report/model/parts.h"

namespace drywarp::document {
namespace {

constexpr size_t kMostCalls = 20'000;  // API calls one by one; their sums cover all

Json transfers_json(const record::Profile& profile) {
  Json all = Json::array();
  for (const record::TransferRecord& t : profile.transfers) all.push_back(report::transfer_json(t));
  return all;
}

void add_api(const Subject& s, Json& out) {
  std::map<std::string_view, size_t> places;
  out["api"] = Json::array();
  for (const report::ApiModel& a : s.model.api) {
    places[a.name] = out["api"].size();
    out["api"].push_back(report::api_json(a));
  }
  Json calls = Json::array();
  for (const record::ApiRecord& call : s.profile.api_calls) {
    if (calls.size() == kMostCalls) break;
    calls.push_back({places.at(call.name), call.start_seconds, call.host_seconds});
  }
  out["api_calls_cut"] = calls.size() < s.profile.api_calls.size();
  out["api_calls"] = std::move(calls);
}

}  // namespace

Json sources_json(const Subject& s) {
  if (!s.profile.kept.sources.empty()) return s.profile.kept.sources;
  Json all = Json::object();
  for (const report::KernelModel& kernel : s.model.kernels)
    for (const report::LineModel& line : kernel.lines)
      if (!line.file.empty() && !all.contains(line.file)) all[line.file] = report::read_source(line.file);
  return all;
}

Json profile_json(const Subject& s, const std::string& title) {
  const record::Profile& p = s.profile;
  Json out = {{"title", title},
              {"program", p.program},
              {"command", report::text_or_null(p.kept.command)},
              {"created", report::text_or_null(p.kept.created)},
              {"drywarp_version", p.drywarp_version},
              {"exit_code", p.exit_code},
              {"signal", p.signal != 0 ? Json(p.signal) : Json()},
              {"complete", p.complete},
              {"output", p.kept.output},
              {"output_cut", p.kept.output_cut},
              {"device", device_json(s)},
              {"moves", report::text_or_null(p.moves)},
              {"timing", report::timing_json(s.model)},
              {"stand_ins", report::stand_ins_json(s.model.stand_ins)},
              {"advice", report::advice_json(s.model.advice)},
              {"checks", p.checks ? checks::checks_json(*p.checks) : Json()}};
  Json kernels = Json::array();
  for (const report::KernelModel& kernel : s.model.kernels) kernels.push_back(kernel_json(s, kernel));
  out["kernels"] = std::move(kernels);
  out["launches"] = launches_json(s);
  out["transfers"] = transfers_json(p);
  add_api(s, out);
  out["timeline"] = timeline_json(s);
  out["sources"] = sources_json(s);
  return out;
}

}  // namespace drywarp::document
