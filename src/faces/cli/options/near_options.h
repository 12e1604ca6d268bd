// Hints for options that drywarp lacks: an option of nvprof or Nsight Compute, or a typing error.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

namespace drywarp::cli {

// drywarp's option for another profiler's: "--launch-count N" for "-c", if `app` has it.
[[nodiscard]] std::optional<std::string> ours_for(const CLI::App& app, const std::string& option);

// The hint for an unknown option: drywarp's for another profiler's, the nearest by spelling, or where they are listed.
[[nodiscard]] std::string hint_for(const CLI::App& app, const std::string& option);

}  // namespace drywarp::cli
