#include <fmt/format.h>
#include <fmt/ranges.h>

#include "faces/cli/pages/command_page.h"

namespace drywarp::cli {
namespace {

// A fish word in single quotes.
std::string fish_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_name(const std::string& name) {
  if (name.starts_with("--")) return " -l " + name.substr(2);
  return (name.size() == 2 ? " -s " : " -o ") + name.substr(1);
}

// Whether the option takes a value, and its completions.
std::string fish_values(const PageOption& option) {
  switch (option.kind()) {
    case ValueKind::None:
      return "";
    case ValueKind::Choice:
      return fmt::format("{} -a {}", option.value_optional ? " -f" : " -x",
                         fish_word(fmt::format("{}", fmt::join(option.choices(), " "))));
    case ValueKind::Device:
      return " -r -a '$__drywarp_devices'";
    case ValueKind::Metrics:
      return " -x -a '(__fish_append , $__drywarp_metrics)'";
    case ValueKind::File:
      return " -r -F";
    case ValueKind::Text:
      return " -x";
  }
  return "";
}

std::string fish_condition(const CommandPage& page) {
  const size_t space = page.name.find(' ');
  std::string text = "__fish_seen_subcommand_from " + page.name.substr(0, space);
  if (space != std::string::npos) text += "; and __fish_seen_subcommand_from " + page.name.substr(space + 1);
  return fish_word(text);
}

}  // namespace

std::string fish_completion(std::span<const CommandPage> pages) {
  std::string text = "# fish completion for drywarp, generated from its option tables.\n\n";
  text += fmt::format("set -g __drywarp_devices {}\nset -g __drywarp_metrics {}\n\n", device_words(), metric_words());
  for (const Subcommand& row : subcommands())
    text +=
        fmt::format("complete -c drywarp -n __fish_use_subcommand -f -a {} -d {}\n", row.name, fish_word(row.caption));
  std::string topics;
  for (const Subcommand& topic : explain_topics()) topics += std::string(" ") + topic.name;
  for (const Subcommand& topic : explain_topics())
    text += fmt::format(
        "complete -c drywarp -n '__fish_seen_subcommand_from explain; and not __fish_seen_subcommand_from{}' -f -a {} "
        "-d {}\n",
        topics, topic.name, fish_word(topic.caption));
  for (const CommandPage& page : pages) {
    for (const PageOption& option : page.options) {
      if (option.names.empty()) {
        text += fmt::format("complete -c drywarp -n {}{}\n", fish_condition(page), fish_values(option));
        continue;
      }
      std::string names;
      for (const std::string& name : option.names) names += fish_name(name);
      text += fmt::format("complete -c drywarp -n {}{}{} -d {}\n", fish_condition(page), names, fish_values(option),
                          fish_word(option.help));
    }
  }
  return text;
}

}  // namespace drywarp::cli
