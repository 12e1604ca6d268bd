// What somebody meant who typed an option that drywarp lacks: an option of nvprof's or Nsight Compute's, or a slip.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

namespace drywarp::cli {

// "--launch-count N" for "-c", if `app` has that option.
[[nodiscard]] std::optional<std::string> ours_for(const CLI::App& app, const std::string& option);

// A hint for an option that nobody knows: ours for another profiler's, the nearest, or where the options are listed.
[[nodiscard]] std::string hint_for(const CLI::App& app, const std::string& option);

}  // namespace drywarp::cli
