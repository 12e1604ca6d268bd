// What the numbers of a document mean: each metric and each stall reason once.
#include <algorithm>

#include "profile/document/parts.h"

namespace drywarp::document {

const std::vector<metrics::Selected>& document_metrics() {
  static const std::vector<metrics::Selected> kAll = metrics::available(false);
  return kAll;
}

Json metric_definitions() {
  Json all = Json::array();
  for (const metrics::Selected& s : document_metrics())
    all.push_back({{"name", s.metric->name},
                   {"ncu", report::text_or_null(s.metric->alias)},
                   {"unit", s.metric->unit},
                   {"class", metrics::name(s.metric->klass)},
                   {"group", metrics::title(s.metric->group)},
                   {"title", s.metric->title()},
                   {"shown", s.metric->show != metrics::Show::No},
                   {"text", s.metric->description}});
  return all;
}

Json unavailable_metrics() {
  Json all = Json::array();
  for (const metrics::Metric& m : metrics::all_metrics())
    if (!m.has_values())
      all.push_back({{"name", m.name},
                     {"ncu", report::text_or_null(m.alias)},
                     {"class", metrics::name(m.klass)},
                     {"group", metrics::title(m.group)},
                     {"text", m.description},
                     {"reason", m.reason}});
  return all;
}

Json stall_definitions() {
  Json all = Json::array();
  for (unsigned k = 0; k < sm::kStalls; ++k)
    all.push_back(
        {{"name", sm::name(static_cast<sm::Stall>(k))}, {"text", sm::description(static_cast<sm::Stall>(k))}});
  return all;
}

size_t metric_index(std::string_view name) {
  const auto& all = document_metrics();
  const metrics::Metric* metric = metrics::find_metric(name);
  return static_cast<size_t>(std::ranges::find(all, metric, &metrics::Selected::metric) - all.begin());
}

}  // namespace drywarp::document
