#include "sweep/record/description_json.h"

#include <fmt/format.h>

namespace drywarp::sweep {

Json to_json(const Description& d) {
  Json parameters = Json::array();
  for (const Parameter& p : d.space.parameters()) {
    Json values = Json::array();
    for (const Value& v : p.values) values.push_back({v.text, v.label});
    parameters.push_back({{"name", p.name}, {"kind", key(p.kind)}, {"values", values}, {"when", p.when_text}});
  }
  Json constraints = Json::array();
  for (const Constraint& c : d.space.constraints()) constraints.push_back(c.text);
  return {{"program", d.program.words},
          {"arguments", d.program.arguments},
          {"device", d.program.device},
          {"kernel", d.program.kernel},
          {"verify", d.program.verify},
          {"search", key(d.search)},
          {"runs", d.runs},
          {"seed", d.seed},
          {"per", d.per},
          {"constraints", constraints},
          {"parameters", parameters}};
}

Result<Description> parse_kept_description(std::string_view text, const std::string& where) {
  const Diagnostic problem = error(fmt::format("{} holds no sweep that this drywarp can read", where));
  try {  // a file that drywarp wrote: a member of another type is damage
    const Json json = Json::parse(text);
    Description d;
    d.program = {json.at("program"), json.at("arguments"), json.at("device"), json.at("kernel"), json.at("verify")};
    const auto search = parse_search(json.at("search").get<std::string>());
    if (!search) return problem;
    d.search = *search;
    d.runs = json.at("runs"), d.seed = json.at("seed");
    d.per = json.at("per").get<std::vector<std::string>>();
    for (const Json& p : json.at("parameters")) {
      const auto kind = parse_kind(p.at("kind").get<std::string>());
      if (!kind) return problem;
      std::vector<Value> values;
      for (const Json& v : p.at("values"))
        values.push_back(value_of(v.at(0).get<std::string>(), v.at(1).get<std::string>()));
      if (Status added = d.space.add(p.at("name"), *kind, std::move(values), p.at("when").get<std::string>()); !added)
        return added.problem();
    }
    for (const Json& c : json.at("constraints"))
      if (Status added = d.space.constrain(c); !added) return added.problem();
    return d;
  } catch (const Json::exception&) {
    return problem;
  }
}

}  // namespace drywarp::sweep
