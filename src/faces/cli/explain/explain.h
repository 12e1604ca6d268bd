// The topics of `drywarp explain`, and the options that they share: the launch configuration, the device, the output
// format.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "base/device/device_spec.h"
#include "base/support/result.h"
#include "faces/cli/explain/question.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/explain/draw/draw.h"

namespace drywarp::cli {

struct ExplainOptions {
  std::string block, grid, device, format = "text", html;
  std::vector<std::string> definitions;
  bool ascii = false;
};
void add_output_options(CLI::App& app, ExplainOptions& options);
void add_launch_options(CLI::App& app, ExplainOptions& options);  // --block, --grid
void add_name_options(CLI::App& app, ExplainOptions& options);    // --let
void add_device_option(CLI::App& app, ExplainOptions& options);
std::string names_text();  // for footers: the names that an expression may use

Result<explain::LaunchConfiguration> launch_of(const ExplainOptions& options,
                                               const explain::LaunchConfiguration& otherwise = {});
Status check_format(const ExplainOptions& options);
explain::Pen pen_of(const ExplainOptions& options);

int print_text(const std::string& text);
// Prints to standard output in the chosen format, and writes the page if there is to be one.
template <class T>
int print(const T& explanation, const Question& question, const ExplainOptions& options) {
  const std::string text =
      options.format == "json" ? explain::to_json(explanation) : explain::draw(explanation, pen_of(options));
  if (!options.html.empty())
    if (const int code = write_page(question, explain::to_json(explanation), options.html); code != kSuccess)
      return code;
  return print_text(text);
}

// The topics.
Command explain_access_command();
Command explain_banks_command();
Command explain_warps_command();
Command explain_divergence_command();
Command explain_dram_command();
Command explain_caches_command();

// The topic's command, which is explain_source_command() where the words name a source line.
Command or_source(Command command, std::string_view topic);

}  // namespace drywarp::cli
