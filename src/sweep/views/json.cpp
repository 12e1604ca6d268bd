// A sweep as JSON, for programs and for the page. docs/sweep.md has its keys.
#include <ostream>

#include "sweep/plan/search.h"
#include "sweep/views/views.h"

namespace drywarp::sweep {
namespace {

Json value_json(const Value& value) { return value.number ? Json(*value.number) : Json(value.label); }

Json parameters_json(const Sweep& sweep) {
  Json all = Json::array();
  for (const Parameter& p : sweep.description.space.parameters()) {
    Json values = Json::array(), labels = Json::array();
    for (const Value& v : p.values) values.push_back(value_json(v)), labels.push_back(v.label);
    all.push_back({{"name", p.name},
                   {"kind", key(p.kind)},
                   {"values", std::move(values)},
                   {"labels", std::move(labels)},
                   {"when", p.when_text.empty() ? Json() : Json(p.when_text)}});
  }
  return all;
}

Json constraints_json(const Sweep& sweep) {
  Json all = Json::array();
  for (const Constraint& c : sweep.description.space.constraints()) all.push_back(c.text);
  return all;
}

}  // namespace

Json configuration_json(const Space& space, const Configuration& configuration) {
  Json json = Json::object();
  for (size_t p = 0; p < configuration.size(); ++p)
    json[space.parameters()[p].name] = value_json(space.value(configuration, p));
  return json;
}

Json row_json(const Sweep& sweep, const Row& row) {
  return {{"row", row.number},
          {"group", group_of(sweep.description, row.configuration)},
          {"state", state_of(sweep, row)},
          {"configuration", configuration_json(sweep.description.space, row.configuration)},
          {"dropped", row.dropped.empty() ? Json() : Json(row.dropped)},
          {"measurement", row.measurement ? to_json(*row.measurement) : Json()}};
}

Json sweep_json(const Sweep& sweep) {
  const Description& d = sweep.description;
  Json rows = Json::array(), best = Json::array(), front = Json::array();
  for (const Row& row : sweep.rows) rows.push_back(row_json(sweep, row));
  for (const Best& b : best_rows(sweep))
    best.push_back({{"group", b.group}, {"row", b.row->number}, {"flags", flags_of(sweep, *b.row)}});
  for (const Row* row : pareto_front(sweep)) front.push_back(row->number);
  return {{"drywarp_sweep", 1},
          {"drywarp_version", sweep.origin.drywarp_version},
          {"program", Json(d.program.words)},
          {"arguments", Json(d.program.arguments)},
          {"device", d.program.device.empty() ? Json() : Json(d.program.device)},
          {"search", key(d.search)},
          {"per", Json(d.per)},
          {"parameters", parameters_json(sweep)},
          {"constraints", constraints_json(sweep)},
          {"rows", std::move(rows)},
          {"best", std::move(best)},
          {"pareto_front", std::move(front)}};
}

void write_json(std::ostream& out, const Sweep& sweep) { out << text(sweep_json(sweep), 1) << "\n"; }

}  // namespace drywarp::sweep
