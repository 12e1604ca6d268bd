// The comparison for programs: csv and json.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "profile/compare/writers.h"
#include "profile/report/model/numbers.h"

namespace drywarp::compare {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kCompareVersion = 1;

Json number(std::optional<double> value) { return value && std::isfinite(*value) ? Json(*value) : Json(); }

Json judged(const Values& values) {
  Json numbers = Json::array(), judgements = Json::array();
  for (const auto& value : values.values) numbers.push_back(number(value));
  for (const Judgement j : values.judgements) judgements.push_back(name(j));
  return {{"values", std::move(numbers)}, {"judgements", std::move(judgements)}};
}

Json metrics_json(const std::vector<ComparedMetric>& metrics) {
  Json out = Json::object();
  for (const ComparedMetric& m : metrics) {
    Json values = judged(m.values);
    values["unit"] = m.metric->unit;
    values["class"] = metrics::name(m.metric->klass);
    out[std::string(m.metric->name)] = std::move(values);
  }
  return out;
}

Json line_json(const ComparedLine& line) {
  Json places = Json::array();
  for (const auto& at : line.places)
    places.push_back(at ? Json{{"file", at->file}, {"line", at->line}, {"source", at->source}} : Json());
  return {{"places", std::move(places)}, {"seconds", judged(line.seconds)}, {"metrics", metrics_json(line.metrics)}};
}

// Keys of the rules that say what to change, and with a gain if they have one.
Json rules_of(const std::vector<advice::Advice>& all) {
  Json rules = Json::array();
  for (const advice::Advice& a : all)
    if (a.is_worth_it()) rules.push_back(a.rule->key);
  return rules;
}

Json kernel_json(const ComparedKernel& kernel) {
  Json kernels = Json::array(), speedups = Json::array();
  for (size_t p = 0; p < kernel.kernels.size(); ++p) {
    const report::KernelModel* k = kernel.kernels[p];
    const std::string limiter = limiter_of(k);
    kernels.push_back(k ? Json{{"name", k->name},
                               {"match", kernel.kernels[0] ? Json(name(kernel.matches[p])) : Json()},
                               {"calls", k->calls},
                               {"limiter", limiter.empty() ? Json() : Json(limiter)},
                               {"limiter_moved", bool(kernel.limiter_moved[p])},
                               {"advice", rules_of(k->advice)}}
                        : Json());
    speedups.push_back(number(kernel.speedups[p]));
  }
  Json lines = Json::array();
  for (const ComparedLine& line : kernel.lines) lines.push_back(line_json(line));
  return {{"kernels", std::move(kernels)},
          {"seconds", judged(kernel.seconds)},
          {"speedups", std::move(speedups)},
          {"metrics", metrics_json(kernel.metrics)},
          {"lines", std::move(lines)}};
}

// The rows of one kernel or line.
class CsvRows {
 public:
  CsvRows(std::ostream& out, const Comparison& c, std::string place) : out_(out), c_(c), place_(std::move(place)) {}
  void add(std::string_view metric, std::string_view unit, std::string_view klass, const Values& values) {
    for (size_t p = 1; p < values.values.size(); ++p)
      row(p, metric, unit, klass, report::full(values.values[0]), report::full(values.values[p]),
          name(values.judgements[p]));
  }
  void row(size_t profile, std::string_view metric, std::string_view unit, std::string_view klass,
           const std::string& first, const std::string& value, std::string_view judgement) {
    out_ << fmt::format("{},{},{},{},{},{},{},{}\n", place_, report::csv_cell(c_.profiles[profile].name), metric, unit,
                        klass, report::csv_cell(first), report::csv_cell(value), judgement);
  }

 private:
  std::ostream& out_;
  const Comparison& c_;
  std::string place_;
};

std::string kernel_name(const ComparedKernel& kernel) {
  for (const report::KernelModel* k : kernel.kernels)
    if (k) return report::csv_cell(k->name);
  return {};
}

}  // namespace

void write_csv(std::ostream& out, const Comparison& c, const WriteOptions&) {
  constexpr std::string_view kModelled = "modelled";
  out << "Kernel,File,Line,Profile,Metric Name,Metric Unit,Metric Class,First Value,Value,Judgement\n";
  for (const ComparedKernel& kernel : c.kernels) {
    CsvRows rows(out, c, kernel_name(kernel) + ",,");
    for (size_t p = 1; p < kernel.kernels.size(); ++p) {
      const auto name_of = [](const report::KernelModel* k) { return k ? k->name : std::string(); };
      rows.row(p, "kernel", "", "", name_of(kernel.kernels[0]), name_of(kernel.kernels[p]),
               kernel.kernels[0] && kernel.kernels[p] ? name(kernel.matches[p]) : "no match");
      rows.row(p, "limiter", "", kModelled, limiter_of(kernel.kernels[0]), limiter_of(kernel.kernels[p]),
               kernel.limiter_moved[p] ? "moved" : "");
    }
    rows.add("seconds", "s", kModelled, kernel.seconds);
    for (const ComparedMetric& m : kernel.metrics)
      rows.add(m.metric->name, m.metric->unit, metrics::name(m.metric->klass), m.values);
    for (const ComparedLine& line : kernel.lines) {
      const auto at = std::ranges::find_if(line.places, [](const auto& place) { return place.has_value(); });
      CsvRows of_line(out, c, fmt::format("{},{},{}", kernel_name(kernel), report::csv_cell((*at)->file), (*at)->line));
      of_line.add("seconds", "s", kModelled, line.seconds);
      for (const ComparedMetric& m : line.metrics)
        of_line.add(m.metric->name, m.metric->unit, metrics::name(m.metric->klass), m.values);
    }
  }
}

Json comparison_json(const Comparison& c) {
  Json profiles = Json::array(), kernels = Json::array();
  for (const ComparedProfile& p : c.profiles)
    profiles.push_back({{"name", p.name},
                        {"program", p.profile->program},
                        {"advice", rules_of(p.model->advice)},
                        {"device", p.profile->device},
                        {"complete", p.profile->complete}});
  for (const ComparedKernel& kernel : c.kernels) kernels.push_back(kernel_json(kernel));
  return {{"drywarp_compare", kCompareVersion},
          {"profiles", std::move(profiles)},
          {"seconds", judged(c.seconds)},
          {"kernels", std::move(kernels)}};
}

void write_json(std::ostream& out, const Comparison& c, const WriteOptions&) {
  out << comparison_json(c).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

namespace {
constexpr report::OutputFormat<Comparison, WriteOptions> kFormats[] = {
    {"text", true, write_text}, {"csv", false, write_csv}, {"json", false, write_json}};
constexpr CompareFormats kFormatTable("the comparison", "format", kFormats);
}  // namespace

const CompareFormats& compare_formats() { return kFormatTable; }

}  // namespace drywarp::compare
