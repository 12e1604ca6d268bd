// What the writers of JSON share.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "faces/explain/draw/json.h"

namespace drywarp::explain {

using Json = nlohmann::ordered_json;

// The first keys of every explanation, and its text.
[[nodiscard]] Json start(const char* topic);
[[nodiscard]] std::string finish(const Json& json);

void add_launch(Json& json, const LaunchConfiguration& launch);
[[nodiscard]] Json lane_numbers(LaneMask mask);
[[nodiscard]] Json lanes(const LaneAccesses& accesses);  // an object for each active lane

// The key `warp` of the topics access and banks.
[[nodiscard]] Json warp_json(const WarpAccess& warp);
[[nodiscard]] Json warp_json(const WarpBanks& warp);

template <class T>
[[nodiscard]] Json maybe(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace drywarp::explain
