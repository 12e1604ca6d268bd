#include "faces/cli/pages/command_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "faces/compile/nvcc_options/option_table.h"

namespace drywarp::cli {
namespace {

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

// CLI11 appends the validator to the type: "FORMAT:{text,json}".
std::string value_name(CLI::Option& option) {
  std::string type = option.get_type_name();
  for (int index = 0;; ++index) {
    try {
      const std::string check = option.get_validator(index)->get_description();
      if (check.starts_with('{')) {
        std::string choices = check.substr(1, check.size() - 2);
        std::ranges::replace(choices, ',', '|');
        return choices;
      }
      if (!check.empty() && type.ends_with(":" + check)) type.resize(type.size() - check.size() - 1);
    } catch (const CLI::OptionNotFound&) {  // no more validators
      break;
    }
  }
  static constexpr std::pair<const char*, const char*> kPlain[] = {{"UINT", "N"}, {"INT", "N"}, {"FLOAT", "NUMBER"}};
  for (const auto& [theirs, ours] : kPlain)
    if (type == theirs) return ours;
  return type;
}

PageOption page_option(CLI::Option& option) {
  PageOption out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  const bool flag = option.get_items_expected_max() == 0;
  const std::string value = value_name(option);
  out.value = flag && value.find('|') == std::string::npos ? "" : value;
  out.value_optional = flag && !out.value.empty();
  out.repeatable = option.get_items_expected_max() > 1;
  out.help = option.get_description();
  if (!flag && !option.get_default_str().empty()) out.help += fmt::format(" (default: {})", option.get_default_str());
  if (option.get_group() != "Options") out.group = option.get_group();
  return out;
}

std::string text_after_usage(const std::string& description, std::vector<std::string>& usage) {
  const size_t gap = description.find("\n\n");
  usage = split_at(description.substr(0, gap), '\n');
  return gap == std::string::npos ? std::string() : description.substr(gap + 2);
}

}  // namespace

std::string PageOption::spelling() const {
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (value_optional) return fmt::format("{}[={}]", text, value);
  return text + (text.empty() || value.empty() ? "" : " ") + value;
}

ValueKind PageOption::kind() const {
  if (value.empty()) return ValueKind::None;
  static constexpr std::pair<const char*, ValueKind> kKinds[] = {{"FILE", ValueKind::File},
                                                                 {"FILE:LINE", ValueKind::File},
                                                                 {"X", ValueKind::File},
                                                                 {"DEVICE", ValueKind::Device},
                                                                 {"METRICS", ValueKind::Metrics}};
  for (const auto& [name, kind] : kKinds)
    if (value == name) return kind;
  return value.find('|') == std::string::npos ? ValueKind::Text : ValueKind::Choice;
}

std::vector<std::string> PageOption::choices() const {
  return kind() == ValueKind::Choice ? split_at(value, '|') : std::vector<std::string>();
}

bool CommandPage::takes_sources() const {
  return std::ranges::any_of(synopsis, [](const std::string& line) { return line.find("app.cu") != line.npos; });
}

std::string CommandPage::dashed() const {
  std::string text = name;
  std::ranges::replace(text, ' ', '-');
  return text;
}

std::vector<TextBlock> text_blocks(const std::string& text) {
  std::vector<TextBlock> blocks;
  bool gap = true;
  for (const std::string& line : split_at(text, '\n')) {
    if (line.empty()) {
      gap = true;
      continue;
    }
    const bool literal = line.starts_with(' ');
    if (gap || blocks.back().literal != literal)
      blocks.push_back({literal, {line}});
    else if (literal)
      blocks.back().lines.push_back(line);
    else
      blocks.back().lines[0] += ' ' + line;
    gap = false;
  }
  return blocks;
}

std::vector<std::pair<std::string, std::vector<const PageOption*>>> grouped(const CommandPage& page) {
  std::vector<std::pair<std::string, std::vector<const PageOption*>>> groups;
  for (const PageOption& option : page.options) {
    auto group = std::ranges::find(groups, option.group, [](const auto& g) { return g.first; });
    if (group == groups.end()) group = groups.insert(group, {option.group, {}});
    group->second.push_back(&option);
  }
  return groups;
}

CommandPage page_of(CLI::App& app, std::string caption) {
  CommandPage page;
  page.name = app.get_name();
  page.caption = std::move(caption);
  page.description = text_blocks(text_after_usage(app.get_description(), page.synopsis));
  page.footer = text_blocks(app.get_footer());
  for (CLI::Option* option : app.get_options()) page.options.push_back(page_option(*option));
  // CLI11's table begins with --help; readers expect it last.
  if (app.get_help_ptr()) {
    std::ranges::rotate(page.options, page.options.begin() + 1);
    page.options.back().help = "print this text";
  }
  return page;
}

CommandPage nvcc_page() {
  CommandPage page;
  page.name = "nvcc";
  page.caption = "compile as nvcc would";
  page.synopsis = {"drywarp nvcc [nvcc's options] file..."};
  page.description = text_blocks(
      "Compiles CUDA programs with clang and drywarp's headers; takes nvcc's options. Options that begin with -W, -f "
      "or "
      "-m and that nvcc does not know go to clang.");
  for (const auto treatment : compile::kTreatments) {
    for (const compile::Option& option : compile::option_table()) {
      if (option.treatment != treatment) continue;
      PageOption out;
      if (option.alias && option.alias != std::string_view(option.name)) out.names.emplace_back(option.alias);
      out.names.emplace_back(option.name);
      out.value = compile::placeholder_of(option.form);
      out.value_optional = option.form == compile::OptionForm::OptionalFlag;
      out.repeatable = true;
      out.help = option.help;
      out.group = compile::title_of(treatment);
      page.options.push_back(std::move(out));
    }
  }
  return page;
}

CommandPage explain_page() {
  CommandPage page;
  page.name = "explain";
  page.caption = "draw how the machine works";
  page.synopsis = {"drywarp explain TOPIC [options]"};
  std::string text = "Draws how the machine works, computed by the code that profiles kernels.\n\n";
  for (const Subcommand& topic : explain_topics()) text += fmt::format("  {:<11} {}\n", topic.name, topic.caption);
  page.description = text_blocks(text);
  text = "Each topic has a manual page, such as drywarp-explain-banks. Examples:\n\n";
  for (const Subcommand& topic : explain_topics()) text += fmt::format("  drywarp explain {}\n", topic.usage);
  page.footer = text_blocks(text + "\n`drywarp explain TOPIC --help` lists the options of a topic.\n");
  return page;
}

std::vector<CommandPage> all_pages() {
  std::vector<CommandPage> pages;
  for (const Subcommand& subcommand : subcommands()) {
    if (const Command command = subcommand.make(); command.app)
      pages.push_back(page_of(*command.app, subcommand.caption));
    if (subcommand.make == sweep_command)
      for (const Subcommand& topic : sweep_topics()) pages.push_back(page_of(*topic.make().app, topic.caption));
    else if (subcommand.make == nvcc_command)
      pages.push_back(nvcc_page());
    else if (subcommand.make == explain_command)
      for (const Subcommand& topic : explain_topics()) pages.push_back(page_of(*topic.make().app, topic.caption));
  }
  // These topics have two option tables: the second is for lines of a source.
  for (const std::string_view topic : kSourceTopics) {
    const CommandPage other = page_of(*explain_source_command(topic).app, "");
    const auto page = std::ranges::find(pages, other.name, &CommandPage::name);
    if (page == pages.end()) continue;
    for (PageOption option : other.options) {
      const bool known = std::ranges::any_of(page->options, [&](const auto& o) { return o.names == option.names; });
      option.group = "For a line of a source";
      if (!known) page->options.push_back(std::move(option));
    }
  }
  return pages;
}

}  // namespace drywarp::cli
