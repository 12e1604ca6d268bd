// Manual pages in man(7)'s language, from the option tables.
#include <fmt/format.h>

#include <algorithm>

#include "faces/cli/pages/command_page.h"
#include "faces/compile/nvcc_options/installation.h"

namespace drywarp::cli {
namespace {

// Characters that troff interprets or prints as typographic variants.
constexpr std::pair<char, const char*> kEscapes[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                                                     {'"', "\\(dq"}, {'^', "\\(ha"}, {'~', "\\(ti"}};

// Text with requests and escapes quoted, and `code` in bold.
std::string roff(const std::string& text) {
  std::string out = text.starts_with('.') ? "\\&" : "";
  bool bold = false;
  for (const char c : text) {
    const auto* escape = std::ranges::find(kEscapes, c, &std::pair<char, const char*>::first);
    if (escape != std::end(kEscapes))
      out += escape->second;
    else if (c == '`')
      out += (bold = !bold) ? "\\fB" : "\\fR";
    else
      out += c;
  }
  return bold ? out + "\\fR" : out;
}

// One request per block; literal lines are not filled.
std::string blocks_roff(const std::vector<TextBlock>& blocks) {
  std::string text;
  for (const TextBlock& block : blocks) {
    text += block.literal ? ".PP\n.nf\n" : ".PP\n";
    for (const std::string& line : block.lines) text += roff(line) + '\n';
    if (block.literal) text += ".fi\n";
  }
  return text;
}

std::string heading(const std::string& name, const std::string& caption) {
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(
      ".\\\" Generated from drywarp\\(aqs option tables.\n"
      ".TH \"{}\" 1 \"\" \"drywarp {}\" \"drywarp\"\n"
      ".nh\n.ad l\n.SH NAME\n{} \\- {}\n",
      roff(upper), compile::drywarp_version(), roff(name), roff(caption));
}

std::string synopsis(const std::vector<std::string>& lines) {
  std::string text = ".SH SYNOPSIS\n.nf\n";
  for (const std::string& line : lines) text += roff(line) + '\n';
  return text + ".fi\n";
}

std::string rows_roff(std::span<const ReferenceRow> rows) {
  std::string text;
  for (const ReferenceRow& row : rows) text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(row.name), roff(row.meaning));
  return text;
}

// Option names in bold, the placeholder of the value in italics.
std::string option_head(const PageOption& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", roff(name));
  if (option.value.empty()) return text;
  const std::string value = fmt::format("\\fI{}\\fR", roff(option.value));
  if (option.value_optional) return fmt::format("{}[={}]", text, value);
  return text.empty() ? value : text + ' ' + value;
}

}  // namespace

std::string manual_page(const CommandPage& page) {
  std::string text = heading("drywarp-" + page.dashed(), page.caption) + synopsis(page.synopsis);
  text += ".SH DESCRIPTION\n" + blocks_roff(page.description);
  if (!page.options.empty()) text += ".SH OPTIONS\n";
  for (const auto& [group, options] : grouped(page)) {
    if (!group.empty()) text += fmt::format(".SS \"{}\"\n", roff(group));
    for (const PageOption* option : options)
      text += fmt::format(".TP\n{}\n{}\n", option_head(*option), roff(option->help));
  }
  if (!page.footer.empty()) text += ".SH NOTES\n" + blocks_roff(page.footer);
  return text + ".SH \"SEE ALSO\"\n.BR drywarp (1)\n";
}

std::string manual_overview(std::span<const CommandPage> pages) {
  std::string text = heading("drywarp", "run CUDA programs without a GPU and count what its profiler would count");
  text += synopsis({"drywarp SUBCOMMAND [options] ...", "drywarp --help", "drywarp --version"});
  text +=
      ".SH DESCRIPTION\n" +
      blocks_roff(text_blocks(
          "drywarp runs CUDA programs on a machine with no GPU, counts what a GPU's profiler would count, and models "
          "how long each kernel takes on a GPU of your choice and what limits it.\n\n"
          "`drywarp SUBCOMMAND --help` lists the options of a subcommand; each has a manual page."));
  text += ".SH SUBCOMMANDS\n";
  for (const CommandPage& page : pages)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(page.name), roff(page.caption));
  text += ".SH \"EXIT STATUS\"\n" + rows_roff(exit_code_rows());
  text += ".SH ENVIRONMENT\n" + rows_roff(environment_rows());
  text += ".SH \"SEE ALSO\"\n";
  for (const CommandPage& page : pages)
    text += fmt::format(".BR drywarp\\-{} (1){}\n", roff(page.dashed()), &page == &pages.back() ? "" : ",");
  return text;
}

}  // namespace drywarp::cli
