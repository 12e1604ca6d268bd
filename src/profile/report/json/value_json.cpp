#include <cmath>

#include "profile/report/json/json_parts.h"

namespace drywarp::report {

Json number(std::optional<double> v) {
  if (!v || !std::isfinite(*v)) return nullptr;
  if (*v == std::floor(*v) && std::abs(*v) < 9007199254740992.0) return static_cast<int64_t>(*v);
  return *v;
}

Json text_or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }

Json extent_json(const record::Extent& e) { return Json::array({e.x, e.y, e.z}); }

std::string text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace drywarp::report
