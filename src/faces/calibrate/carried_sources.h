// The embedded source files of the microbenchmarks (cuda/).
#pragma once

#include <span>
#include <string_view>

namespace drywarp::calibrate {

struct CarriedSource {
  std::string_view name;  // "latencies.cu"
  std::string_view text;
};
[[nodiscard]] std::span<const CarriedSource> carried_sources();

}  // namespace drywarp::calibrate
