// Help on the terminal, and the tables of docs/cli.md.
#include <fmt/format.h>

#include <sstream>

#include "faces/cli/options/console.h"
#include "faces/cli/pages/command_page.h"

namespace drywarp::cli {
namespace {

constexpr size_t kHelpColumn = 28;

std::string blocks_text(const std::vector<TextBlock>& blocks) {
  std::string text;
  for (const TextBlock& block : blocks) {
    if (!block.literal || text.empty()) text += '\n';
    for (const std::string& line : block.lines) text += block.literal ? line + '\n' : wrapped(line, 0) + '\n';
  }
  return text;
}

std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

}  // namespace

std::string wrapped(const std::string& text, size_t indent, size_t width) {
  std::istringstream words(text);
  std::string out;
  size_t column = indent;
  for (std::string word; words >> word;) {
    if (!out.empty() && column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string help_text(const CommandPage& page) {
  std::string text;
  for (const std::string& line : page.synopsis) text += (text.empty() ? "Usage: " : "       ") + line + '\n';
  text += blocks_text(page.description);
  for (const auto& [group, options] : grouped(page)) {
    text += fmt::format("\n{}:\n", group.empty() ? "Options" : group);
    for (const PageOption* option : options) {
      std::string line = "  " + option->spelling();
      if (line.size() + 2 > kHelpColumn) line += '\n' + std::string(kHelpColumn, ' ');
      line.resize(std::max(line.size(), kHelpColumn), ' ');
      text += line + wrapped(option->help, kHelpColumn) + '\n';
    }
  }
  return text + blocks_text(page.footer);
}

std::string options_markdown(const CommandPage& page) {
  std::string text;
  for (const auto& [group, options] : grouped(page)) {
    if (!group.empty()) text += fmt::format("### {}\n\n", group);
    text += "| option | what it does |\n|---|---|\n";
    for (const PageOption* option : options)
      text += fmt::format("| `{}` | {} |\n", cell(option->spelling()), cell(option->help));
    text += '\n';
  }
  return text;
}

std::span<const ReferenceRow> exit_code_rows() {
  static const std::string broken = std::to_string(kBroken), failed = std::to_string(kFailed),
                           cannot_run = std::to_string(kCannotRun), not_found = std::to_string(kNotFound),
                           compiler = std::to_string(kCompiler);
  static const ReferenceRow rows[] = {
      {"the program's",
       "`run`, `profile`, `check` and `nvprof`, if the program ran; if a signal killed the program, it kills drywarp "
       "too"},
      {broken.c_str(),
       "`profile`: the program ran and succeeded, and an expectation (`--expect`, `--contract`) is broken; `grade`: "
       "not "
       "every point was earned; `check`: something was found"},
      {failed.c_str(),
       "drywarp itself failed: wrong options, a filter or an expectation that matches nothing, a launch configuration "
       "that the device "
       "does "
       "not support (`occupancy`), no compiler, compile errors, no report, a profile that cannot be read, a wrong "
       "query"},
      {cannot_run.c_str(), "the program cannot run here: static runtime, no PTX, not executable"},
      {not_found.c_str(), "no such program or source"},
      {compiler.c_str(), "`drywarp nvcc`: wrong options, or the compiler's exit code; a PTX launch that failed"}};
  return rows;
}

std::span<const ReferenceRow> environment_rows() {
  static constexpr ReferenceRow kRows[] = {
      {"DRYWARP_CLANG", "the clang to use, a path or a name; default: `clang-19` or `clang` on `PATH`"},
      {"DRYWARP_CACHE_DIR",
       "folder for built programs, precompiled headers, compiled kernels and modelled times; default: "
       "`$XDG_CACHE_HOME/drywarp`, else "
       "`~/.cache/drywarp`"},
      {"NO_COLOR",
       "no colours, if it is not empty; there are none either if the output is not a terminal or `TERM` is `dumb`"}};
  return kRows;
}

std::string rows_markdown(std::span<const ReferenceRow> rows, const char* heading) {
  std::string text = fmt::format("| {} | |\n|---|---|\n", heading);
  for (const ReferenceRow& row : rows) {
    const bool constant = std::string_view(row.name).find('_') != std::string_view::npos;
    const char* quote = constant ? "`" : "";
    text += fmt::format("| {0}{1}{0} | {2} |\n", quote, row.name, row.meaning);
  }
  return text + '\n';
}

}  // namespace drywarp::cli
