#include <fmt/format.h>

#include "faces/profilers/ncu/pages.h"

namespace drywarp::profilers::ncu {

Result<Page> parse_page(std::string_view text) {
  if (text == "details") return Page::Details;
  if (text == "raw") return Page::Raw;
  if (text == "source") return Page::Source;
  if (text == "session") return Page::Session;
  return error(fmt::format("there is no page '{}'", text), "the pages are details, raw, source and session");
}

Result<MetricLabel> parse_metric_label(std::string_view text) {
  if (text == "label") return MetricLabel::Label;
  if (text == "name") return MetricLabel::Name;
  if (text == "label-name") return MetricLabel::Both;
  return error(fmt::format("--print-metric-name has no '{}'", text), "label, name or label-name");
}

}  // namespace drywarp::profilers::ncu
