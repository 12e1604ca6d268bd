// A subcommand: its option table and the function that runs it. Help, manual pages, shell completion and docs/cli.md
// are generated from the same tables: see command_page.h.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace drywarp::cli {

using Words = std::vector<std::string>;

struct Command {
  std::shared_ptr<CLI::App> app;  // null: nvcc and `explain` have no option table here
  std::function<int(const Words&)> run;
};

struct Subcommand {
  const char* name;     // "profile"
  const char* usage;    // one line for overviews
  const char* caption;  // what it does, in one line
  Command (*make)();
};

std::span<const Subcommand> subcommands();
std::span<const Subcommand> explain_topics();
std::span<const Subcommand> sweep_topics();
// drywarp explain access app.cu:LINE, and banks and divergence; `topic`: one of kSourceTopics.
Command explain_source_command(std::string_view topic);
inline constexpr std::string_view kSourceTopics[] = {"access", "banks", "divergence"};

struct CommandTexts {
  const char* name;         // in full: "explain banks"
  std::string description;  // usage lines, an empty line, what it does
  std::string footer;       // lines that begin with spaces are not wrapped
};

// `add` fills the option table, which stores into `Options`; `run` parses the words with it.
template <class Options>
Command make_command(CommandTexts texts, void (*add)(CLI::App&, Options&),
                     std::function<int(CLI::App&, Options&, const Words&)> run) {
  auto app = std::make_shared<CLI::App>(std::move(texts.description), texts.name);
  app->footer(std::move(texts.footer));
  auto options = std::make_shared<Options>();
  add(*app, *options);
  return {app, [app, options, run](const Words& words) { return run(*app, *options, words); }};
}

// The subcommands. Each takes the arguments after its name and returns the exit code.
Command run_command();
Command profile_command();
Command check_command();
Command what_if_command();
Command sweep_command();
Command sweep_element_command();
Command measure_command();
Command nvprof_command();
Command ncu_command();
Command compute_sanitizer_command();
Command cuda_memcheck_command();
Command show_command();
Command report_command();
Command query_command();
Command compare_command();
Command grade_command();
Command nvcc_command();
Command occupancy_command();
Command calibrate_command();
Command explain_command();
Command devices_command();
Command latency_command();
Command documentation_command();

// `argv` as main() gets it.
int main_command(int argc, char** argv);

}  // namespace drywarp::cli
