// One writer a format; each only lays out the model. report.cpp chooses.
#pragma once

#include <iosfwd>

#include "report/model.h"
#include "report/report.h"

namespace drywarp::report {

// nvprof's summary, the counters of each kernel, and the lines that cost most.
void write_text(std::ostream& out, const ReportModel& model, const ReportOptions& options);
// nvprof's --metrics: for each kernel the smallest, largest and average value over its launches.
void write_metric_table(std::ostream& out, const ReportModel& model, const ReportOptions& options);
// One row a launch and metric.
void write_csv(std::ostream& out, const ReportModel& model);
// docs/json.md says what is where.
void write_json(std::ostream& out, const ReportModel& model);

inline constexpr int kJsonVersion = 1;

}  // namespace drywarp::report
