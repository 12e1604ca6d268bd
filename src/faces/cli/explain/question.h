// What a topic of `drywarp explain` was asked, for the page: --html.
#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/device/device_spec.h"
#include "faces/cli/options/command.h"
#include "faces/explain/launch_configuration.h"

namespace drywarp::cli {

struct Question {
  std::string topic;  // "access"
  std::string title;  // the command
  // The given options by their names, with _ for -: numbers, texts, true, [x, y, z] of --block and --grid.
  nlohmann::ordered_json input = nlohmann::ordered_json::object();
  std::optional<device::DeviceSpec> device;  // none: the answer is of no device
};

// `app` has parsed `words`.
[[nodiscard]] Question question_of(const CLI::App& app, const Words& words);
void set_launch(Question& question, const explain::LaunchConfiguration& launch);

// Writes the page of a question to a file. `answer`: as --format json prints it. Returns the exit code.
int write_page(const Question& question, const std::string& answer, const std::string& path);

}  // namespace drywarp::cli
