#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "profile/results/results.h"

namespace drywarp::results {
namespace {

using Json = nlohmann::ordered_json;

// A URI reference: what RFC 3986 does not allow in a path is written as %XX.
std::string uri(const std::string& path, const std::string& root) {
  std::string text = relative_to(path, root), escaped = text.starts_with('/') ? "file://" : "";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::string_view("-._~/+@=,").find(c) != std::string_view::npos)
      escaped += c;
    else
      escaped += fmt::format("%{:02X}", byte);
  }
  return escaped;
}

Json location(const Location& place, const std::string& root) {
  Json physical = {{"artifactLocation", {{"uri", uri(place.file, root)}}}, {"region", {{"startLine", place.line}}}};
  if (!place.source.empty()) physical["region"]["snippet"] = {{"text", place.source}};
  Json l = {{"physicalLocation", std::move(physical)}};
  if (!place.message.empty()) l["message"] = {{"text", place.message}};
  return l;
}

Json suppressions(const Problem& p, const std::string& root) {
  Json all = Json::array();
  if (!p.suppression) return all;
  all.push_back({{"kind", p.suppression->in_source ? "inSource" : "external"},
                 {"justification", p.suppression->reason},
                 {"location", location(p.suppression->place, root)}});
  return all;
}

const char* level(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

}  // namespace

std::string relative_to(const std::string& file, const std::string& root) {
  const std::filesystem::path path(file);
  if (root.empty() || !path.is_absolute()) return path.lexically_normal().string();
  const std::filesystem::path relative = path.lexically_normal().lexically_relative(root);
  if (relative.empty() || *relative.begin() == "..") return file;
  return relative.string();
}

void write_sarif(std::ostream& out, std::span<const Rule> rules, std::span<const Problem> problems,
                 const std::string& version, const std::string& root) {
  Json all_rules = Json::array(), results = Json::array();
  std::map<std::string, size_t> numbers;
  for (const Rule& rule : rules) {
    if (!numbers.try_emplace(rule.id, all_rules.size()).second) continue;
    all_rules.push_back({{"id", rule.id},
                         {"shortDescription", {{"text", rule.title}}},
                         {"fullDescription", {{"text", rule.description}}}});
  }
  // By SARIF, either every result says whether it is suppressed, or none does.
  const bool suppresses = std::ranges::any_of(problems, [](const Problem& p) { return p.suppression.has_value(); });
  for (const Problem& p : problems) {
    Json locations = Json::array(), related = Json::array();
    for (const Location& l : p.locations) locations.push_back(location(l, root));
    for (const Location& l : p.related) related.push_back(location(l, root));
    Json r = {{"ruleId", p.rule},
              {"ruleIndex", numbers[p.rule]},
              {"level", level(p.severity)},
              {"message", {{"text", p.message}}},
              {"locations", std::move(locations)}};
    if (!related.empty()) r["relatedLocations"] = std::move(related);
    if (suppresses) r["suppressions"] = suppressions(p, root);
    results.push_back(std::move(r));
  }
  const Json driver = {{"name", "drywarp"}, {"version", version}, {"rules", std::move(all_rules)}};
  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({{{"tool", {{"driver", driver}}}, {"results", std::move(results)}}})}};
  // A file's text need not be UTF-8.
  out << log.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace drywarp::results
