#include "faces/cli/commands/without_effect.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace drywarp::cli {

void add_without_effect(CLI::App& app, std::span<const NoEffect> options, std::vector<std::string>& notes) {
  for (const NoEffect& option : options) {
    const std::string names = option.names, name = names.substr(names.find("--"));
    const auto note = [&notes, name, reason = option.reason] {
      notes.push_back(fmt::format("{} has no effect: {}", name, reason));
    };
    CLI::Option* added = option.value ? app.add_option_function<std::string>(
                                               names, [note](const std::string&) { note(); }, option.reason)
                                            ->type_name(option.value)
                                      : app.add_flag_callback(names, note, option.reason);
    added->group("Accepted without effect");
  }
}

}  // namespace drywarp::cli
