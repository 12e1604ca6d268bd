#include "profile/document/document.h"

#include "profile/compare/compare.h"
#include "profile/compare/writers.h"
#include "profile/document/parts.h"

namespace drywarp::document {
namespace {

Json head(const char* kind, const std::string& version) {
  return {{"drywarp_report", kDocumentVersion}, {"drywarp_version", version}, {"kind", kind}};
}

Json without_profiles(const char* kind, const std::string& version) {
  Json out = head(kind, version);
  for (const char* empty : {"metrics", "unavailable_metrics", "stalls", "profiles"}) out[empty] = Json::array();
  for (const char* none : {"compare", "explain", "sweep"}) out[none] = nullptr;
  return out;
}

Result<Json> compared(const std::vector<NamedProfile>& profiles) {
  const compare::CompareOptions options;
  report::ModelOptions wanted;
  wanted.advice = true;
  wanted.selection = compare::selection_for(options);
  std::vector<report::ReportModel> models;
  models.reserve(profiles.size());
  std::vector<compare::ComparedProfile> compared;
  for (const NamedProfile& p : profiles) {
    models.push_back(report::build_model(*p.profile, wanted));
    compared.push_back({p.name, p.profile, &models.back()});
  }
  const auto comparison = compare::compare_profiles(std::move(compared), options);
  if (!comparison) return comparison.problem();
  return compare::comparison_json(*comparison);
}

}  // namespace

Result<Json> report_document(const std::vector<NamedProfile>& profiles, std::optional<Json> comparison) {
  report::ModelOptions wanted;
  wanted.selection = document_metrics();
  wanted.lines = wanted.instructions = wanted.advice = true;
  Json all = Json::array();
  for (const NamedProfile& p : profiles) {
    const report::ReportModel model = report::build_model(*p.profile, wanted);
    all.push_back(
        profile_json({*p.profile, model, device_of(*p.profile)}, profiles.size() == 1 ? p.profile->program : p.name));
  }
  Json out = head("report", profiles.front().profile->drywarp_version);
  out["metrics"] = metric_definitions();
  out["unavailable_metrics"] = unavailable_metrics();
  out["stalls"] = stall_definitions();
  out["profiles"] = std::move(all);
  if (profiles.size() > 1 && !comparison) {
    auto made = compared(profiles);
    if (!made) return made.problem();
    comparison = std::move(*made);
  }
  out["compare"] = comparison ? std::move(*comparison) : Json();
  out["explain"] = nullptr;
  out["sweep"] = nullptr;
  return out;
}

Json explain_document(const std::vector<Explanation>& explanations, const std::string& version) {
  Json all = Json::array();
  for (const Explanation& e : explanations)
    all.push_back({{"topic", e.topic},
                   {"title", e.title},
                   {"input", e.input},
                   {"device", e.device ? device_json(*e.device) : Json()},
                   {"result", e.result}});
  Json out = without_profiles("explain", version);
  out["explain"] = std::move(all);
  return out;
}

Json sweep_document(const std::string& title, Json sweep, const std::string& version) {
  Json out = without_profiles("sweep", version);
  out["sweep"] = Json{{"title", title}};
  out["sweep"].update(sweep);
  return out;
}

}  // namespace drywarp::document
