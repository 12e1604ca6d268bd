// The report as markdown: for the summary of a CI job or a comment on a change.
#pragma once

#include <iosfwd>

#include "profile/report/model/model.h"
#include "profile/report/writers/report.h"

namespace drywarp::report {

// A table of the kernels; then what limits each, and the advice that is worth it. ~: modelled.
void write_markdown(std::ostream& out, const ReportModel& model, const ReportOptions& options);

}  // namespace drywarp::report
