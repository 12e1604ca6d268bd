// Writes a Profile as a report in any format.
//
//   record::Profile p = ...;                          // store::read_profile()
//   auto text = write_report(out, p, {.format = Format::Text, .colour = is_terminal, .width = columns});
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "base/support/result.h"
#include "profile/record/profile.h"
#include "profile/report/model/parts.h"

namespace drywarp::report {

enum class Format : uint8_t { Text, Csv, Json };
// "text", "csv", "json"; anything else is an error that lists them.
Result<Format> parse_format(std::string_view name);

// What the text report shows: the answer, every counter, every source line, or every metric of every launch.
enum class Page : uint8_t { Summary, Details, Source, Raw };
// "summary", "details", "source", "raw"; anything else is an error that lists them.
Result<Page> parse_page(std::string_view name);

struct ReportOptions {
  Format format = Format::Text;
  Page page = Page::Summary;  // text
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

// Fails only for an unknown metric.
Status write_report(std::ostream& out, const record::Profile& profile, const ReportOptions& options);

// --query-metrics: every metric with unit, class and meaning.
void write_metric_list(std::ostream& out, Format format, const ReportOptions& options = {});
// The same as a page of documentation: docs/metrics.md.
void write_metric_page(std::ostream& out);

}  // namespace drywarp::report
