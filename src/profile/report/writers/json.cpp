#include "profile/report/writers/json.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <ostream>

namespace drywarp::report {
namespace {

using Json = nlohmann::ordered_json;

Json number(std::optional<double> v) {
  if (!v || !std::isfinite(*v)) return nullptr;
  if (*v == std::floor(*v) && std::abs(*v) < 9007199254740992.0) return static_cast<int64_t>(*v);
  return *v;
}

Json evidence(const std::vector<advice::Evidence>& all) {
  Json out = Json::object();
  for (const advice::Evidence& e : all) {
    out[e.metric] = {{"value", number(e.value)}, {"unit", e.unit}};
    if (e.range) out[e.metric]["min"] = number(e.range->least), out[e.metric]["max"] = number(e.range->most);
  }
  return out;
}

Json limiter_json(const advice::Verdict* v) {
  if (!v) return nullptr;
  return {{"kind", advice::key(v->limiter)},
          {"unit", v->unit.empty() ? Json() : Json(v->unit)},
          {"saturated", v->saturated},
          {"class", "modelled"},
          {"text", v->text},
          {"evidence", evidence(v->evidence)}};
}

Json advice_json(const advice::Advice& a) {
  const advice::Finding& f = a.finding;
  const advice::ItemText& item = advice::text(a.rule->item);
  const auto or_null = [](std::string_view text) { return text.empty() ? Json() : Json(text); };
  Json lines = Json::array();
  for (const advice::EvidenceLine& l : f.lines)
    lines.push_back({{"file", l.file},
                     {"line", l.line},
                     {"source", l.source},
                     {"what", l.what},
                     {"excess_share", number(l.excess_share)},
                     {"total_share", number(l.total_share)},
                     {"of", l.of}});
  Json gain;
  if (a.gain)
    gain = {{"factor", a.gain->factor},
            {"class", "modelled"},
            {"change", a.rule->scenario ? Json(whatif::key(*a.rule->scenario)) : Json()},
            {"launches", a.gain->launches},
            {"of_launches", a.gain->all_launches}};
  return {{"rule", a.rule->key},
          {"headline", f.headline},
          {"observation", f.observation},
          {"cure", or_null(f.cure)},
          {"sketch", f.sketch},
          {"gain", std::move(gain)},
          {"not_estimated", a.gain ? Json() : Json(a.not_estimated)},
          {"at_most", number(a.at_most)},
          {"item",
           {{"key", item.key},
            {"title", item.title},
            {"compute", or_null(item.compute)},
            {"memory", or_null(item.memory)}}},
          {"threshold", a.rule->source},
          {"evidence", evidence(f.evidence)},
          {"lines", std::move(lines)},
          {"explain", or_null(f.explain)}};
}

Json advice_json(const std::vector<advice::Advice>& all) {
  Json out = Json::array();
  for (const advice::Advice& a : all) out.push_back(advice_json(a));
  return out;
}

// Conventions of the modelled times; null without times.
Json timing_json(const ReportModel& model) {
  if (!model.any_time()) return nullptr;
  const sm::Summary& s = *model.any_time();
  return {{"class", "modelled"},
          {"caches", "cold"},
          {"kernels", "alone"},
          {"launch_overhead", "included"},
          {"launch_overhead_seconds", number(s.launch_overhead_ns * 1e-9)},
          {"sm_clock_hz", number(s.sm_clock_hz)},
          {"multiprocessors", number(s.sms)},
          {"peaks",
           {{"hp_flops", number(s.peak_hp_flops)},
            {"sp_flops", number(s.peak_sp_flops)},
            {"dp_flops", number(s.peak_dp_flops)},
            {"dram_bytes_per_second", number(s.peak_dram_bytes)},
            {"l2_bytes_per_second", number(s.peak_l2_bytes)},
            {"l1_bytes_per_second", number(s.peak_l1_bytes)}}}};
}

Json part_time_json(const PartTime& part) {
  Json stalls = Json::object();
  for (unsigned k = 0; k < sm::kStalls; ++k)
    if (part.stalls[k] > 0) stalls[sm::name(static_cast<sm::Stall>(k))] = number(part.stalls[k]);
  return {{"share", part.share},
          {"seconds", part.seconds},
          {"instructions", part.issued},
          {"warp_cycles", number(part.warp_cycles())},
          {"stalls", std::move(stalls)}};
}

Json kernel_time_json(const KernelModel& kernel) {
  if (!kernel.time) return nullptr;
  const KernelTime& t = *kernel.time;
  Json out = {{"seconds", t.seconds.total},
              {"min", t.seconds.min},
              {"max", t.seconds.max},
              {"avg", t.seconds.avg()},
              {"share", t.share},
              {"calls", t.seconds.count},
              {"simulated_calls", t.simulated},
              {"blocks", number(t.summary.blocks)},
              {"simulated_blocks", number(t.summary.simulated_blocks)},
              {"sms", number(t.summary.sms)},
              {"simulated_sms", number(t.summary.simulated_sms)},
              {"class", "modelled"}};
  Json stand_ins = Json::array();
  for (const machine::StandIn& s : t.stand_ins) stand_ins.push_back({{"number", s.number}, {"by", s.by}});
  out["stand_ins"] = std::move(stand_ins);
  const Json parts = part_time_json(t.parts);
  out["warp_cycles"] = parts["warp_cycles"];
  out["stalls"] = parts["stalls"];
  return out;
}

Json launch_time_json(const LaunchModel& launch) {
  if (!launch.record->time) return nullptr;
  const sm::Summary& s = launch.record->time->summary;
  return {{"seconds", number(s.duration_ns * 1e-9)},
          {"simulated", launch.simulated},
          {"blocks", number(s.blocks)},
          {"simulated_blocks", number(s.simulated_blocks)},
          {"sms", number(s.sms)},
          {"simulated_sms", number(s.simulated_sms)},
          {"class", "modelled"}};
}

Json rooflines_json(const KernelModel& kernel) {
  Json all = Json::array();
  if (!kernel.time) return all;
  for (const Roofline& r : kernel.time->rooflines) {
    Json levels = Json::array();
    for (const RooflineLevel& l : r.levels)
      levels.push_back({{"level", l.key},
                        {"bytes", number(l.bytes)},
                        {"flops_per_byte", l.bytes > 0 ? number(l.intensity) : Json()},
                        {"peak_bytes_per_second", number(l.peak_bytes)},
                        {"ridge_flops_per_byte", number(l.ridge)},
                        {"roof_flops_per_second", number(l.roof)}});
    all.push_back({{"precision", r.key},
                   {"flops", number(r.flops)},
                   {"flops_per_second", number(r.achieved)},
                   {"peak_flops_per_second", number(r.peak)},
                   {"class", "modelled"},
                   {"levels", std::move(levels)}});
  }
  return all;
}

Json metric(const metrics::Metric& m, std::optional<double> value, metrics::MetricClass klass) {
  return {{"value", number(value)}, {"unit", m.unit}, {"class", metrics::name(klass)}};
}

Json extent_json(const record::Extent& e) { return Json::array({e.x, e.y, e.z}); }

// The metrics of a part of a kernel that are not zero.
Json part_metrics(const ReportModel& model, const metrics::Sums& sums) {
  Json all = Json::object();
  for (const metrics::Selected& s : model.selection) {
    const auto value = s.metric->evaluate(sums, {});
    if (value && *value != 0) all[std::string(s.name)] = metric(*s.metric, value, s.metric->klass);
  }
  return all;
}

Json kernel_json(const ReportModel& model, const KernelModel& k) {
  Json totals = Json::object();
  for (size_t i = 0; i < model.selection.size(); ++i) {
    const metrics::Metric& of = *model.selection[i].metric;
    Json m = metric(of, k.totals[i], of.klass_from(k.registers_from));
    const metrics::Spread& spread = k.spreads[i];
    const bool any = spread.launches != 0;
    m["min"] = any ? number(spread.min) : Json();
    m["max"] = any ? number(spread.max) : Json();
    m["avg"] = any ? number(spread.avg()) : Json();
    totals[std::string(model.selection[i].name)] = std::move(m);
  }
  Json lines = Json::array();
  for (const LineModel& l : k.lines)
    lines.push_back({{"file", l.file},
                     {"line", l.line},
                     {"source", l.source},
                     {"cost", l.cost},
                     {"time", k.time ? part_time_json(l.time) : Json()},
                     {"metrics", part_metrics(model, l.sums)}});
  Json regions = Json::array();
  for (const RegionModel& r : k.regions)
    regions.push_back({{"name", r.name},
                       {"file", r.file},
                       {"first_line", r.first_line},
                       {"last_line", r.last_line},
                       {"time", k.time ? part_time_json(r.time) : Json()},
                       {"metrics", part_metrics(model, r.sums)}});
  Json barriers = Json::array();
  for (const BarrierOfLine& b : k.barriers)
    barriers.push_back({{"file", b.file},
                        {"line", b.line},
                        {"ptx_line", b.ptx_line},
                        {"kind", key(b.note.kind)},
                        {"times", b.note.times},
                        {"block", b.note.block},
                        {"warp", b.note.kind == BarrierNote::Kind::DivergentWarp ? Json(b.note.warp) : Json()},
                        {"waited", b.note.waited},
                        {"absent", b.note.absent},
                        {"text", what_happened(b.note)}});
  Json untimed = Json::object();
  for (const auto& [why, launches] : k.untimed) untimed[why] = launches;
  Json out = {{"name", k.name},
              {"mangled", k.mangled},
              {"calls", k.calls},
              {"counted", k.counted},
              {"faults", k.faults},
              {"registers", k.registers == 0 ? Json() : Json(k.registers)},
              {"registers_from", k.registers == 0 ? Json() : Json(name(k.registers_from))},
              {"static_shared_bytes", k.static_shared_bytes},
              {"local_bytes", k.local_bytes},
              {"host_seconds", k.host_seconds.total},
              {"warp_instructions_share", k.instructions_share},
              {"time", kernel_time_json(k)},
              {"untimed", std::move(untimed)},
              {"limiter", limiter_json(k.time && k.time->limiter ? &*k.time->limiter : nullptr)},
              {"advice", advice_json(k.advice)},
              {"barriers", std::move(barriers)},
              {"roofline", rooflines_json(k)},
              {"totals", std::move(totals)},
              {"regions", std::move(regions)},
              {"lines", std::move(lines)}};
  if (!k.instructions.empty()) {
    Json instructions = Json::array();
    for (const InstructionModel& i : k.instructions)
      instructions.push_back({{"ptx_line", i.ptx_line},
                              {"text", i.text},
                              {"file", i.file},
                              {"line", i.line},
                              {"time", k.time ? part_time_json(i.time) : Json()},
                              {"metrics", part_metrics(model, i.sums)}});
    out["instructions"] = std::move(instructions);
  }
  return out;
}

std::string text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // names come from programs and need not be UTF-8
}

// The metrics of different launches differ only in their values and in the source of registers: the text around the
// values is built once.
class LaunchMetrics {
 public:
  explicit LaunchMetrics(const std::vector<metrics::Selected>& selection) {
    for (const metrics::Selected& s : selection) {
      before_.push_back((before_.empty() ? "{" : ",") + text(s.name) + ":{\"value\":");
      const auto after = [&](ResourceSource source) {
        return ",\"unit\":" + text(s.metric->unit) + ",\"class\":" + text(metrics::name(s.metric->klass_from(source))) +
               "}";
      };
      estimated_.push_back(after(ResourceSource::Estimate));
      compiled_.push_back(after(ResourceSource::Cubin));
    }
  }
  [[nodiscard]] std::string object(const std::vector<std::optional<double>>& values, ResourceSource source) const {
    const std::vector<std::string>& after = is_compiled(source) ? compiled_ : estimated_;
    std::string all = before_.empty() ? "{" : "";
    for (size_t i = 0; i < values.size(); ++i) all.append(before_[i]).append(text(number(values[i]))).append(after[i]);
    return all + "}";
  }

 private:
  std::vector<std::string> before_, estimated_, compiled_;
};

std::string launch_text(const ReportModel& model, size_t index, const LaunchMetrics& layout) {
  const LaunchModel& launch = model.launches[index];
  const record::LaunchRecord& r = *launch.record;
  const Json facts = {
      {"index", launch.index},
      {"name", model.kernels[launch.kernel].name},
      {"mangled", model.kernels[launch.kernel].mangled},
      {"grid", extent_json(r.grid)},
      {"block", extent_json(r.block)},
      {"registers", launch.info->registers == 0 ? Json() : Json(launch.info->registers)},
      {"registers_from", launch.info->registers == 0 ? Json() : Json(name(launch.info->resources_from))},
      {"shared", launch.info->static_shared_bytes + r.dynamic_shared_bytes},
      {"static_shared", launch.info->static_shared_bytes},
      {"dynamic_shared", r.dynamic_shared_bytes},
      {"stream", r.stream},
      {"range", r.range},
      {"start_seconds", r.start_seconds},
      {"host_seconds", r.host_seconds},
      {"counted", r.counted},
      {"time", launch_time_json(launch)},
      {"untimed", r.untimed.empty() ? Json() : Json(r.untimed)},
      {"limiter", limiter_json(launch.limiter.get())},
      {"fault", r.fault.empty() ? Json() : Json(r.fault)}};
  std::string all = text(facts);
  all.pop_back();
  return all + ",\"metrics\":" + layout.object(launch.values, launch.info->resources_from) + "}";
}

// One element per line: readable, diffable, and no tree of the whole file in memory.
template <class Items, class Make>
void write_array(std::ostream& out, const char* key, const Items& items, bool last, Make make) {
  out << "  \"" << key << "\": [";
  const char* separator = "\n    ";
  for (const auto& item : items) {
    out << separator << make(item);
    separator = ",\n    ";
  }
  out << (items.empty() ? "]" : "\n  ]") << (last ? "\n" : ",\n");
}

void write_field(std::ostream& out, const char* key, const Json& value) {
  out << "  \"" << key << "\": " << text(value) << ",\n";
}

}  // namespace

void write_json(std::ostream& out, const ReportModel& model, const ReportOptions&) {
  const record::Profile& p = *model.profile;
  out << "{\n";
  write_field(out, "drywarp_profile", kJsonVersion);
  write_field(out, "drywarp_version", p.drywarp_version);
  write_field(out, "program", p.program);
  write_field(out, "device", p.device);
  write_field(out, "device_moves", p.moves.empty() ? Json() : Json(p.moves));
  write_field(out, "exit_code", p.exit_code);
  write_field(out, "signal", p.signal != 0 ? Json(p.signal) : Json());
  write_field(out, "complete", p.complete);
  write_field(out, "timing", timing_json(model));
  write_field(out, "advice", advice_json(model.advice));
  write_array(out, "kernels", model.kernels, false, [&](const KernelModel& k) { return text(kernel_json(model, k)); });
  const LaunchMetrics layout(model.selection);
  size_t index = 0;
  write_array(out, "launches", model.launches, false,
              [&](const LaunchModel&) { return launch_text(model, index++, layout); });
  write_array(out, "transfers", p.transfers, false, [](const record::TransferRecord& t) {
    return text(Json{{"kind", name(t.kind)},
                     {"bytes", t.bytes},
                     {"stream", t.stream},
                     {"start_seconds", t.start_seconds},
                     {"host_seconds", t.host_seconds},
                     {"gpu_seconds", t.gpu_seconds > 0 ? Json(t.gpu_seconds) : Json()},
                     {"pinned", t.pinned}});
  });
  write_array(out, "api", model.api, true, [](const ApiModel& a) {
    const Tally& t = a.host_seconds;
    return text(Json{{"name", a.name},
                     {"calls", t.count},
                     {"host_seconds", t.total},
                     {"min", t.min},
                     {"max", t.max},
                     {"avg", t.avg()}});
  });
  out << "}\n";
}

}  // namespace drywarp::report
