// A subcommand before its words are read: the table of its options, and what runs with them. Help, manual pages,
// completion and docs/cli.md are made of the same tables: see command_page.h.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "faces/cli/options/commands.h"

namespace drywarp::cli {

struct Command {
  std::shared_ptr<CLI::App> app;  // null: the command has no table of its own (nvcc, or the head of subcommands)
  std::function<int(const Words&)> run;
};

struct Subcommand {
  const char* name;     // "profile"
  const char* usage;    // one line for overviews
  const char* caption;  // what it does
  Command (*make)();
};

std::span<const Subcommand> subcommands();
std::span<const Subcommand> explain_topics();
Command explain_source_command();  // drywarp explain access app.cu:LINE

struct CommandTexts {
  const char* name;         // with its head: "explain banks"
  std::string description;  // lines of usage, an empty line, what it does
  std::string footer;       // lines that begin with spaces stand as they are
};

// `add` fills the table over `Options`, `run` reads words with it.
template <class Options>
Command make_command(CommandTexts texts, void (*add)(CLI::App&, Options&),
                     int (*run)(CLI::App&, Options&, const Words&)) {
  auto app = std::make_shared<CLI::App>(std::move(texts.description), texts.name);
  app->footer(std::move(texts.footer));
  auto options = std::make_shared<Options>();
  add(*app, *options);
  return {app, [app, options, run](const Words& words) { return run(*app, *options, words); }};
}

}  // namespace drywarp::cli
