#include "profile/report/writers/report.h"

#include <fmt/format.h>

#include <regex>

#include "profile/report/writers/writers.h"

namespace drywarp::report {

Result<Format> parse_format(std::string_view name) {
  if (name == "text") return Format::Text;
  if (name == "csv") return Format::Csv;
  if (name == "json") return Format::Json;
  return error(fmt::format("there is no format '{}'", name), "the formats are text, csv and json");
}

Result<Page> parse_page(std::string_view name) {
  if (name == "summary") return Page::Summary;
  if (name == "details") return Page::Details;
  if (name == "source") return Page::Source;
  if (name == "raw") return Page::Raw;
  return error(fmt::format("there is no page '{}'", name), "the pages are summary, details, source and raw");
}

namespace {

void write_page(std::ostream& out, const ReportModel& model, const ReportOptions& options) {
  switch (options.page) {
    case Page::Summary:
      return write_overview(out, model, options);
    case Page::Details:
      return write_text(out, model, options);
    case Page::Source:
      return write_source_page(out, model, options);
    case Page::Raw:
      return write_metric_table(out, model, options);
  }
}

}  // namespace

Status write_report(std::ostream& out, const record::Profile& profile, const ReportOptions& options) {
  ModelOptions wanted;
  const bool chosen = !options.metrics.empty();
  if (chosen) {
    auto selection = metrics::select(options.metrics);
    if (!selection) return selection.problem();
    wanted.selection = std::move(*selection);
  } else {
    const bool every = options.format == Format::Json || (options.format == Format::Text && options.page == Page::Raw);
    wanted.selection = metrics::available(every);
  }
  wanted.lines = options.format == Format::Json || (options.format == Format::Csv && options.source_lines) ||
                 (options.format == Format::Text && !chosen);
  wanted.instructions = options.format == Format::Json
                            ? options.instructions
                            : options.format == Format::Text && options.page == Page::Summary;
  wanted.advice = options.format == Format::Json || (options.format == Format::Text && !chosen &&
                                                     (options.page == Page::Summary || options.page == Page::Details));
  wanted.regions = options.regions;
  if (!options.kernel.empty()) try {
      wanted.kernel = [filter = std::regex(options.kernel, std::regex::ECMAScript)](const std::string& name) {
        return std::regex_search(name, filter);
      };
    } catch (const std::regex_error& problem) {
      return error(fmt::format("'{}' is not a regular expression: {}", options.kernel, problem.what()));
    }
  const ReportModel model = build_model(profile, wanted);
  switch (options.format) {
    case Format::Csv:
      options.source_lines ? write_csv_lines(out, model) : write_csv(out, model);
      break;
    case Format::Json:
      write_json(out, model);
      break;
    case Format::Text:
      chosen ? write_metric_table(out, model, options) : write_page(out, model, options);
      break;
  }
  return {};
}

}  // namespace drywarp::report
