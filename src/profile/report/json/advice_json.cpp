#include "profile/report/json/json_parts.h"

namespace drywarp::report {
namespace {

Json evidence(const std::vector<advice::Evidence>& all) {
  Json out = Json::object();
  for (const advice::Evidence& e : all) {
    out[e.metric] = {{"value", number(e.value)}, {"unit", e.unit}};
    if (e.range) out[e.metric]["min"] = number(e.range->least), out[e.metric]["max"] = number(e.range->most);
  }
  return out;
}

Json advice_json(const advice::Advice& a) {
  const advice::Finding& f = a.finding;
  const advice::ItemText& item = advice::text(a.rule->item);
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
          {"cure", text_or_null(f.cure)},
          {"sketch", f.sketch},
          {"gain", std::move(gain)},
          {"not_estimated", a.gain ? Json() : Json(a.not_estimated)},
          {"at_most", number(a.at_most)},
          {"item",
           {{"key", item.key},
            {"title", item.title},
            {"compute", text_or_null(item.compute)},
            {"memory", text_or_null(item.memory)}}},
          {"threshold", a.rule->source},
          {"evidence", evidence(f.evidence)},
          {"lines", std::move(lines)},
          {"explain", text_or_null(f.explain)}};
}

}  // namespace

Json limiter_json(const advice::Verdict* v) {
  if (!v) return nullptr;
  return {{"kind", advice::key(v->limiter)},
          {"unit", text_or_null(v->unit)},
          {"saturated", v->saturated},
          {"class", "modelled"},
          {"text", v->text},
          {"evidence", evidence(v->evidence)}};
}

Json advice_json(const std::vector<advice::Advice>& all) {
  Json out = Json::array();
  for (const advice::Advice& a : all) out.push_back(advice_json(a));
  return out;
}

}  // namespace drywarp::report
