// The report as csv.
#pragma once

#include <iosfwd>

#include "profile/report/model/model.h"
#include "profile/report/writers/report.h"

namespace drywarp::report {

// A row for each launch and metric. With --source-lines a row for each source line and metric other than zero, and for
// each stall reason.
void write_csv(std::ostream& out, const ReportModel& model, const ReportOptions& options);

}  // namespace drywarp::report
