// The report of `drywarp what-if`: sm::LaunchTime::alternatives, by kernel.
#pragma once

#include "profile/report/writers/report.h"

namespace drywarp::report {

[[nodiscard]] const Formats<record::Profile, ReportOptions>& what_if_formats();
// Uses the options' format, colour and width. Fails if no launch has a time.
Status write_what_if(std::ostream& out, const record::Profile& profile, const ReportOptions& options);

}  // namespace drywarp::report
