// A subcommand's option table as plain values, and the texts generated from it: help, manual pages, shell completion
// and docs/cli.md. The table that parses the command line is the only list of options.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "faces/cli/options/command.h"

namespace drywarp::cli {

enum class ValueKind { None, Text, Choice, File, Device, Metrics };

struct PageOption {
  std::vector<std::string> names;  // "-o", "--output"; empty: an argument without a name
  std::string value;               // "FILE", "text|json"; empty: a flag
  bool value_optional = false;     // --time, --time=off
  bool repeatable = false;
  std::string help;
  std::string group;  // heading; empty: the command's main options

  [[nodiscard]] std::string spelling() const;  // "-o, --output FILE"
  [[nodiscard]] ValueKind kind() const;
  [[nodiscard]] std::vector<std::string> choices() const;
};

// Part of a description: a paragraph, or literal lines.
struct TextBlock {
  bool literal = false;
  std::vector<std::string> lines;  // a paragraph is one line, however long
};

struct CommandPage {
  std::string name;     // "profile", "explain banks"
  std::string caption;  // what it does, in one line
  std::vector<std::string> synopsis;
  std::vector<TextBlock> description, footer;
  std::vector<PageOption> options;

  [[nodiscard]] bool takes_sources() const;  // CUDA sources
  [[nodiscard]] std::string dashed() const;  // "explain-banks"
};

CommandPage page_of(CLI::App& app, std::string caption);
CommandPage nvcc_page();
CommandPage explain_page();  // `explain` itself: lists the topics, has no options
// Every subcommand with options, and the topics of `explain`.
std::vector<CommandPage> all_pages();

std::vector<TextBlock> text_blocks(const std::string& text);
// Headings in order of appearance, each with its options.
std::vector<std::pair<std::string, std::vector<const PageOption*>>> grouped(const CommandPage& page);

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
