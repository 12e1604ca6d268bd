// The report as json. The format is in docs/json.md.
#pragma once

#include <iosfwd>

#include "profile/report/model/model.h"
#include "profile/report/writers/report.h"

namespace drywarp::report {

inline constexpr int kJsonVersion = 1;

void write_json(std::ostream& out, const ReportModel& model, const ReportOptions& options);

}  // namespace drywarp::report
