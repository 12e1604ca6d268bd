#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "profile/gates/writers.h"

namespace drywarp::gates {
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

Json location(const Expectation& e, const Place& place, const std::string& root) {
  Json physical = {{"artifactLocation", {{"uri", uri(place.file, root)}}}, {"region", {{"startLine", place.line}}}};
  if (!place.source.empty()) physical["region"]["snippet"] = {{"text", place.source}};
  Json l = {{"physicalLocation", std::move(physical)}};
  if (place.value) l["message"] = {{"text", fmt::format("{} {}", e.metric_name, value_text(e, *place.value))}};
  return l;
}

Json result(const Expectation& e, size_t rule, const Finding& f, const std::string& root) {
  Json locations = Json::array(), related = Json::array();
  for (const Place& p : f.places)
    if (p.line != 0) (locations.empty() ? locations : related).push_back(location(e, p, root));
  // Code hosts refuse results without a place: a program without lines fails at its line of the contract.
  if (locations.empty() && e.where.known())
    locations.push_back(location(e, {e.where.file, e.where.line, {}, {}}, root));
  Json r = {{"ruleId", e.full_text()},
            {"ruleIndex", rule},
            {"level", "error"},
            {"message", {{"text", fmt::format("{}, {}: {}", f.kernel, launches_text(f), message(e, f))}}},
            {"locations", std::move(locations)}};
  if (!related.empty()) r["relatedLocations"] = std::move(related);
  return r;
}

}  // namespace

std::string relative_to(const std::string& file, const std::string& root) {
  const std::filesystem::path path(file);
  if (root.empty() || !path.is_absolute()) return path.lexically_normal().string();
  const std::filesystem::path relative = path.lexically_normal().lexically_relative(root);
  if (relative.empty() || *relative.begin() == "..") return file;
  return relative.string();
}

void write_sarif(std::ostream& out, std::span<const Outcome> outcomes, const std::string& version,
                 const std::string& root) {
  Json rules = Json::array(), results = Json::array();
  std::map<std::string, size_t> numbers;
  for (const Outcome& o : outcomes) {
    const Expectation& e = o.expectation;
    const std::string id = e.full_text();
    const auto [place, fresh] = numbers.try_emplace(id, rules.size());
    if (fresh)
      rules.push_back({{"id", id},
                       {"shortDescription", {{"text", e.title.empty() ? id : e.title}}},
                       {"fullDescription", {{"text", std::string(e.metric->description)}}}});
    for (const Finding& f : o.findings)
      if (!f.holds) results.push_back(result(e, place->second, f, root));
  }
  const Json driver = {{"name", "drywarp"}, {"version", version}, {"rules", std::move(rules)}};
  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({{{"tool", {{"driver", driver}}}, {"results", std::move(results)}}})}};
  // A file's text need not be UTF-8.
  out << log.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace drywarp::gates
