// One writer a format; each only lays out the model. report.cpp chooses.
#pragma once

#include <iosfwd>

#include "profile/report/model/model.h"
#include "profile/report/writers/report.h"
#include "profile/report/writers/table.h"

namespace drywarp::report {

// nvprof's summary, the counters of each kernel, and the lines that cost most.
void write_text(std::ostream& out, const ReportModel& model, const ReportOptions& options);
// What the modelled times say, for text: how they came about; of one kernel the limiter, the roofline, the lines where
// its warps wait and its regions. Nothing for a kernel without times.
void write_time_conventions(std::ostream& out, const ReportModel& model);
void write_time_summary(std::ostream& out, const ReportModel& model, const Style& style, unsigned width);
void write_limiter(std::ostream& out, const KernelModel& kernel, const Style& style);
void write_kernel_time(std::ostream& out, const KernelModel& kernel, const ReportOptions& options, const Style& style);
// nvprof's --metrics: for each kernel the smallest, largest and average value over its launches.
void write_metric_table(std::ostream& out, const ReportModel& model, const ReportOptions& options);
// One row a launch and metric.
void write_csv(std::ostream& out, const ReportModel& model);
// One row a source line and metric: what is not zero there, and where its warps spend their time.
void write_csv_lines(std::ostream& out, const ReportModel& model);
// docs/json.md says what is where.
void write_json(std::ostream& out, const ReportModel& model);

inline constexpr int kJsonVersion = 1;

}  // namespace drywarp::report
