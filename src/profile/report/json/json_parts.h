// Parts of a report as JSON, each made once: the json report and the document of the page put them together.
// docs/json.md documents their keys.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/report/model/model.h"

namespace drywarp::report {

using Json = nlohmann::ordered_json;

// ---- values
[[nodiscard]] Json number(std::optional<double> value);  // null: none, or not finite; whole numbers without a fraction
[[nodiscard]] Json text_or_null(std::string_view text);  // null: empty
[[nodiscard]] Json extent_json(const record::Extent& extent);  // [x, y, z]
// On one line. Names and a program's output need not be UTF-8: what is not becomes U+FFFD.
[[nodiscard]] std::string text(const Json& json);

// ---- what limits, and what to change
[[nodiscard]] Json limiter_json(const advice::Verdict* verdict);  // null: none
[[nodiscard]] Json advice_json(const std::vector<advice::Advice>& all);

// ---- modelled times
[[nodiscard]] Json timing_json(const ReportModel& model);  // their conventions; null without times
[[nodiscard]] Json stand_ins_json(const std::vector<machine::StandIn>& stand_ins);
[[nodiscard]] Json stalls_json(const sm::StallCycles& stalls);  // warp-cycles by reason, without zeros
[[nodiscard]] Json part_time_json(const PartTime& part);
[[nodiscard]] Json kernel_time_json(const KernelModel& kernel);
[[nodiscard]] Json launch_time_json(const LaunchModel& launch);
[[nodiscard]] Json rooflines_json(const KernelModel& kernel);

// ---- kernels, copies and calls
// From `name` to `roofline`: everything but metrics and parts.
[[nodiscard]] Json kernel_facts_json(const KernelModel& kernel);
[[nodiscard]] Json transfer_json(const record::TransferRecord& transfer);
[[nodiscard]] Json api_json(const ApiModel& api);

}  // namespace drywarp::report
