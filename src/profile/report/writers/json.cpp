#include "profile/report/writers/json.h"

#include <ostream>

#include "profile/report/json/json_parts.h"

namespace drywarp::report {
namespace {

Json metric(const metrics::Metric& m, std::optional<double> value, metrics::MetricClass klass) {
  return {{"value", number(value)}, {"unit", m.unit}, {"class", metrics::name(klass)}};
}

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
  Json out = kernel_facts_json(k);
  out["totals"] = std::move(totals);
  out["regions"] = std::move(regions);
  out["lines"] = std::move(lines);
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
      {"untimed", text_or_null(r.untimed)},
      {"limiter", limiter_json(launch.limiter.get())},
      {"fault", text_or_null(r.fault)}};
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
  write_field(out, "device_moves", text_or_null(p.moves));
  write_field(out, "exit_code", p.exit_code);
  write_field(out, "signal", p.signal != 0 ? Json(p.signal) : Json());
  write_field(out, "complete", p.complete);
  write_field(out, "timing", timing_json(model));
  write_field(out, "advice", advice_json(model.advice));
  write_field(out, "checks", p.checks ? checks::checks_json(*p.checks) : Json());
  write_array(out, "kernels", model.kernels, false, [&](const KernelModel& k) { return text(kernel_json(model, k)); });
  const LaunchMetrics layout(model.selection);
  size_t index = 0;
  write_array(out, "launches", model.launches, false,
              [&](const LaunchModel&) { return launch_text(model, index++, layout); });
  write_array(out, "transfers", p.transfers, false, [](const auto& t) { return text(transfer_json(t)); });
  write_array(out, "api", model.api, true, [](const ApiModel& a) { return text(api_json(a)); });
  out << "}\n";
}

}  // namespace drywarp::report
