// One writer per format; each only lays out the model. report.cpp chooses the writer.
#pragma once

#include <iosfwd>

#include "profile/report/model/model.h"
#include "profile/report/writers/layout.h"
#include "profile/report/writers/report.h"

namespace drywarp::report {

// nvprof's summary, the counters of each kernel, and the costliest lines.
void write_text(std::ostream& out, const ReportModel& model, const ReportOptions& options);
// The modelled times in text: their conventions, a summary, and for one kernel the limiter, the roofline, the lines
// where its warps stall and its regions. Nothing for a kernel without times.
void write_time_conventions(std::ostream& out, const ReportModel& model);
void write_time_summary(std::ostream& out, const ReportModel& model, const Style& style, unsigned width);
void write_limiter(std::ostream& out, const KernelModel& kernel, const Style& style);
void write_kernel_time(std::ostream& out, const KernelModel& kernel, const ReportOptions& options, const Style& style);
// nvprof's --metrics: for each kernel the minimum, maximum and average over its launches.
void write_metric_table(std::ostream& out, const ReportModel& model, const ReportOptions& options);
// One row per launch and metric.
void write_csv(std::ostream& out, const ReportModel& model);
// One row per source line and metric other than zero, and per stall reason.
void write_csv_lines(std::ostream& out, const ReportModel& model);
// The format is in docs/json.md.
void write_json(std::ostream& out, const ReportModel& model);

inline constexpr int kJsonVersion = 1;

}  // namespace drywarp::report
