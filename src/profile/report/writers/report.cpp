// The formats of the report: a new one is a row here, and a writer in files of its own.
#include "profile/report/writers/report.h"

#include <fmt/format.h>

#include <regex>

#include "profile/report/writers/csv.h"
#include "profile/report/writers/json.h"
#include "profile/report/writers/markdown.h"
#include "profile/report/writers/text.h"

namespace drywarp::report {
namespace {

constexpr ReportPage kPages[] = {
    {"summary", {.lines = true, .instructions = true, .advice = true}, write_overview},
    {"details", {.lines = true, .advice = true}, write_details},
    {"source", {.lines = true}, write_source_page},
    {"raw", {.both_names = true}, write_metric_table},
};
constexpr NamedTable<ReportPage> kPageTable("the text report", "page", kPages);

// --metrics takes the place of the page.
constexpr ReportPage kChosenMetrics = {"", {}, write_metric_table};

const ReportPage& page_of(const ReportOptions& options) {
  return options.metrics.empty() ? **kPageTable.find(options.page) : kChosenMetrics;
}

constexpr ReportFormat kFormats[] = {
    {"text",
     true,
     {.page = true, .launches = true},
     [](const ReportOptions& options) { return page_of(options).needs; },
     [](std::ostream& out, const ReportModel& model, const ReportOptions& options) {
       page_of(options).write(out, model, options);
     }},
    {"csv",
     false,
     {.source_lines = true},
     [](const ReportOptions& options) { return ReportNeeds{.lines = options.source_lines}; },
     write_csv},
    {"json",
     false,
     {.instructions = true},
     [](const ReportOptions& options) {
       return ReportNeeds{.both_names = true, .lines = true, .instructions = options.instructions, .advice = true};
     },
     write_json},
    {"markdown",
     false,
     {},
     [](const ReportOptions&) { return ReportNeeds{.lines = true, .advice = true}; },
     write_markdown},
};
constexpr NamedTable<ReportFormat> kFormatTable("the report", "format", kFormats);

}  // namespace

const NamedTable<ReportFormat>& report_formats() { return kFormatTable; }
const NamedTable<ReportPage>& report_pages() { return kPageTable; }

Status write_report(std::ostream& out, const record::Profile& profile, const ReportOptions& options) {
  const auto format = kFormatTable.find(options.format);
  if (!format) return format.problem();
  if (const auto page = kPageTable.find(options.page); !page) return page.problem();
  const ReportNeeds needs = (*format)->needs(options);
  ModelOptions wanted;
  if (options.metrics.empty()) {
    wanted.selection = metrics::available(needs.both_names);
  } else {
    auto selection = metrics::select(options.metrics);
    if (!selection) return selection.problem();
    wanted.selection = std::move(*selection);
  }
  wanted.lines = needs.lines;
  wanted.instructions = needs.instructions;
  wanted.advice = needs.advice;
  wanted.regions = options.regions;
  if (!options.kernel.empty()) try {
      wanted.kernel = [filter = std::regex(options.kernel, std::regex::ECMAScript)](const std::string& name) {
        return std::regex_search(name, filter);
      };
    } catch (const std::regex_error& problem) {
      return error(fmt::format("'{}' is not a regular expression: {}", options.kernel, problem.what()));
    }
  (*format)->write(out, build_model(profile, wanted), options);
  return {};
}

}  // namespace drywarp::report
