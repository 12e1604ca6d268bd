#include <fmt/format.h>
#include <fmt/ranges.h>

#include "faces/cli/pages/command_page.h"

namespace drywarp::cli {
namespace {

constexpr const char* kZshHead = R"(#compdef drywarp
# Generated from drywarp's option tables.

_drywarp_devices() {{
  local expl
  _wanted devices expl device compadd - {0}
  _files -g '*.toml'
}}

_drywarp_metrics() {{
  _sequence compadd - {1}
}}

_drywarp_sources() {{
  _files -g '*.(cu|ptx)' || _files
}}

)";

// Text for single quotes, with the brackets and colons escaped that _arguments and _describe interpret.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const PageOption& option) {
  switch (option.kind()) {
    case ValueKind::Choice:
      return fmt::format("({})", fmt::join(option.choices(), " "));
    case ValueKind::Device:
      return "_drywarp_devices";
    case ValueKind::Metrics:
      return "_drywarp_metrics";
    case ValueKind::File:
      return "_files";
    default:
      return " ";
  }
}

// Specifications for _arguments, one per name.
std::string zsh_specs(const PageOption& option) {
  const std::string value = fmt::format(":{}:{}", zsh_text(option.value), zsh_action(option));
  if (option.names.empty()) return fmt::format(" \\\n        '{}'", "1:" + value.substr(1));
  std::string text;
  for (const std::string& name : option.names) {
    const bool wide = name.starts_with("--");
    const char* mark = option.value.empty() ? "" : option.value_optional ? "=-" : wide ? "=" : "";
    text += fmt::format(" \\\n        '{}{}{}[{}]{}{}'", option.repeatable ? "*" : "", name, mark,
                        zsh_text(option.help), option.value_optional ? ":" : "", option.value.empty() ? "" : value);
  }
  return text;
}

std::string zsh_list(const char* name, std::span<const Subcommand> rows) {
  std::string text = fmt::format("  local -a {}=(\n", name);
  for (const Subcommand& row : rows) text += fmt::format("    '{}:{}'\n", row.name, zsh_text(row.caption));
  return text + "  )\n";
}

}  // namespace

std::string zsh_completion(std::span<const CommandPage> pages) {
  std::string text = fmt::format(kZshHead, device_words(), metric_words());
  text += "_drywarp() {\n" + zsh_list("commands", subcommands()) + zsh_list("topics", explain_topics());
  text +=
      "  if ((CURRENT == 2)); then\n    _describe -t commands subcommand commands\n    return\n  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n  ((CURRENT--))\n"
      "  if [[ $command == explain ]]; then\n"
      "    if ((CURRENT == 2)); then\n      _describe -t topics topic topics\n      return\n    fi\n"
      "    command=\"explain $words[2]\"\n    shift words\n    ((CURRENT--))\n"
      "  fi\n"
      "  case $command in\n"
      "    help) _describe -t commands subcommand commands ;;\n";
  for (const CommandPage& page : pages) {
    text += fmt::format("    '{}')\n      _arguments", page.name);
    bool argument = false;
    for (const PageOption& option : page.options) {
      text += zsh_specs(option);
      argument |= option.names.empty();
    }
    if (!argument)
      text += fmt::format(" \\\n        '*:file:{}'", page.takes_sources() ? "_drywarp_sources" : "_files");
    text += "\n      ;;\n";
  }
  return text + "  esac\n}\n\n_drywarp \"$@\"\n";
}

}  // namespace drywarp::cli
