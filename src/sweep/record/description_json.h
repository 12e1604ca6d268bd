// A sweep's description as JSON, as its file keeps it.
#pragma once

#include <string_view>

#include "sweep/record/json.h"
#include "sweep/space/description.h"

namespace drywarp::sweep {

[[nodiscard]] Json to_json(const Description& description);
// `where` names the text in errors.
Result<Description> parse_kept_description(std::string_view text, const std::string& where);

}  // namespace drywarp::sweep
