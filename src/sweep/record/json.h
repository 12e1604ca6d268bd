// JSON of the sweep wing: keys stay in their order, and what is not UTF-8 becomes U+FFFD.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace drywarp::sweep {

using Json = nlohmann::ordered_json;

[[nodiscard]] inline std::string text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace drywarp::sweep
