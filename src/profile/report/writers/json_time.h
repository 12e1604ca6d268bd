// The modelled times in the JSON report: docs/json.md says what is where.
#pragma once

#include <nlohmann/json.hpp>

#include "profile/report/model/model.h"

namespace drywarp::report {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json timing_json(const ReportModel& model);  // conventions; null without times
[[nodiscard]] Json kernel_time_json(const KernelModel& kernel);
[[nodiscard]] Json launch_time_json(const LaunchModel& launch);
[[nodiscard]] Json limiter_json(const advice::Verdict* verdict);  // null: null
[[nodiscard]] Json part_time_json(const PartTime& part);
[[nodiscard]] Json rooflines_json(const KernelModel& kernel);

}  // namespace drywarp::report
