// Writes a Profile as a report in any format.
//
//   record::Profile p = ...;                          // store::read_profile()
//   auto written = write_report(out, p, {.format = "text", .colour = is_terminal, .width = columns});
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"
#include "profile/record/profile.h"
#include "profile/report/model/parts.h"
#include "profile/report/writers/named_table.h"

namespace drywarp::report {

struct ReportModel;

struct ReportOptions {
  std::string_view format = "text";   // a row of report_formats()
  std::string_view page = "summary";  // text: a row of report_pages()
  // The list after --metrics, see metrics::select(). Empty: text shows a selection, csv and json every metric with a
  // value.
  std::string metrics = {};
  unsigned lines = 10;                  // text: source lines per kernel
  bool source_lines = false;            // csv: source lines instead of launches
  bool instructions = false;            // json: every kernel's PTX instructions too
  std::vector<LineRange> regions = {};  // in addition to the regions between barriers
  std::string kernel = {};              // regular expression: only kernels whose name it finds; empty: every kernel
  bool launches = false;                // text: a row for each launch
  bool colour = false;                  // text: for a terminal
  unsigned width = 80;                  // text: characters per line; 0: no limit
};

// The parts of the model that a report shows. Parts that nobody shows are not built.
struct ReportNeeds {
  bool both_names = false;  // without --metrics, each metric under Nsight Compute's name too
  bool lines = false, instructions = false, advice = false;
};

// The options that only some formats have.
struct FormatOptions {
  bool page = false, launches = false, source_lines = false, instructions = false;
};

struct ReportFormat {
  std::string_view name;
  bool terminal = false;  // for people at a terminal: the program's output may stand before it
  FormatOptions options;
  ReportNeeds (*needs)(const ReportOptions& options) = nullptr;
  void (*write)(std::ostream& out, const ReportModel& model, const ReportOptions& options) = nullptr;
};
[[nodiscard]] const NamedTable<ReportFormat>& report_formats();

// What the text report shows: the answer, every counter, every source line, or every metric of every launch.
struct ReportPage {
  std::string_view name;
  ReportNeeds needs;
  void (*write)(std::ostream& out, const ReportModel& model, const ReportOptions& options) = nullptr;
};
[[nodiscard]] const NamedTable<ReportPage>& report_pages();

// Fails for an unknown format, page or metric.
Status write_report(std::ostream& out, const record::Profile& profile, const ReportOptions& options);

// --query-metrics: every metric with unit, class and meaning. Fails for an unknown format.
[[nodiscard]] const Formats<ReportOptions>& metric_list_formats();
Status write_metric_list(std::ostream& out, const ReportOptions& options);
// The same as a page of documentation: docs/metrics.md.
void write_metric_page(std::ostream& out);

}  // namespace drywarp::report
