// Options of another profiler that scripts give and that have no meaning here: accepted, and the reason is said.
#pragma once

#include <CLI/App.hpp>
#include <span>
#include <string>
#include <vector>

namespace drywarp::cli {

struct NoEffect {
  const char* names;
  const char* value;  // null: a flag
  const char* reason;
};

// An option that is given appends a sentence to `notes`.
void add_without_effect(CLI::App& app, std::span<const NoEffect> options, std::vector<std::string>& notes);

}  // namespace drywarp::cli
