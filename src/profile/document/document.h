// Profiles as one JSON document: all that the page shows, and what programs read. docs/report.md has its keys.
//
//   record::Profile p = ...;                             // store::read_profile()
//   auto document = report_document({{"run.dwprof", &p}});
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/device/device_spec.h"
#include "base/support/result.h"
#include "profile/record/profile.h"
#include "profile/report/json/json_parts.h"

namespace drywarp::document {

using report::Json;

inline constexpr int kDocumentVersion = 1;

struct NamedProfile {
  std::string name;  // of its file
  const record::Profile* profile = nullptr;
};

// Two or more profiles are compared, each with the first, unless `comparison` has what compare::comparison_json() says
// of them. Fails if they cannot be compared.
Result<Json> report_document(const std::vector<NamedProfile>& profiles, std::optional<Json> comparison = {});
// A device as documents describe it.
[[nodiscard]] Json device_json(const device::DeviceSpec& device);

// An explanation of `drywarp explain`: its inputs by the names of the options, and what --format json prints of it.
struct Explanation {
  std::string topic, title;
  Json input, result;
  std::optional<device::DeviceSpec> device;  // that it is about; none: it is about no device
};
[[nodiscard]] Json explain_document(const std::vector<Explanation>& explanations, const std::string& version);

// A sweep: what `drywarp sweep show --format json` prints of it, and the name of its file.
[[nodiscard]] Json sweep_document(const std::string& title, Json sweep, const std::string& version);

}  // namespace drywarp::document
