// What checks found, as lines of text: a value of the table `kept`.
#pragma once

#include <string>
#include <string_view>

#include "base/support/result.h"
#include "profile/checks/report.h"

namespace drywarp::store {

std::string encode(const checks::CheckReport& report);
Result<checks::CheckReport> decode_checks(std::string_view text);

}  // namespace drywarp::store
