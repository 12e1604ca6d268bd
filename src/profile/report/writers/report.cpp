#include "profile/report/writers/report.h"

#include <fmt/format.h>

#include "profile/report/writers/writers.h"

namespace drywarp::report {

Result<Format> parse_format(std::string_view name) {
  if (name == "text") return Format::Text;
  if (name == "csv") return Format::Csv;
  if (name == "json") return Format::Json;
  return error(fmt::format("there is no format '{}'", name), "the formats are text, csv and json");
}

Status write_report(std::ostream& out, const record::Profile& profile, const ReportOptions& options) {
  ModelOptions wanted;
  const bool chosen = !options.metrics.empty();
  if (chosen) {
    auto selection = metrics::select(options.metrics);
    if (!selection) return selection.problem();
    wanted.selection = std::move(*selection);
  } else {
    wanted.selection = metrics::available(options.format == Format::Json);
  }
  wanted.lines = options.format == Format::Json || (options.format == Format::Csv && options.source_lines) ||
                 (options.format == Format::Text && !chosen);
  wanted.instructions = options.format == Format::Json && options.instructions;
  wanted.regions = options.regions;
  const ReportModel model = build_model(profile, wanted);
  switch (options.format) {
    case Format::Csv:
      options.source_lines ? write_csv_lines(out, model) : write_csv(out, model);
      break;
    case Format::Json:
      write_json(out, model);
      break;
    case Format::Text:
      chosen ? write_metric_table(out, model, options) : write_text(out, model, options);
      break;
  }
  return {};
}

}  // namespace drywarp::report
