// Texts generated from the option tables.
#pragma once

#include <span>
#include <string>

#include "faces/cli/pages/command_page.h"

namespace drywarp::cli {

// `drywarp SUBCOMMAND --help`, in 80 columns.
std::string help_text(const CommandPage& page);
// The options as Markdown tables, for docs/cli.md.
std::string options_markdown(const CommandPage& page);

// Sources of manual pages: drywarp-profile.1, and drywarp.1, which lists the others.
std::string manual_page(const CommandPage& page);
std::string manual_overview(std::span<const CommandPage> pages);

std::string bash_completion(std::span<const CommandPage> pages);
std::string zsh_completion(std::span<const CommandPage> pages);
std::string fish_completion(std::span<const CommandPage> pages);

// Completions, separated by spaces.
std::string device_words(), metric_words(), subcommand_words(), topic_words();

struct ReferenceRow {
  const char *name, *meaning;
};
std::span<const ReferenceRow> exit_code_rows();
std::span<const ReferenceRow> environment_rows();
std::string rows_markdown(std::span<const ReferenceRow> rows, const char* heading);

// Wraps a text to `width` columns. `indent` columns of the first line are already written.
std::string wrapped(const std::string& text, size_t indent, size_t width = 80);

}  // namespace drywarp::cli
