#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/device/device_spec.h"
#include "faces/cli/pages/command_page.h"
#include "profile/metrics/evaluate.h"

namespace drywarp::cli {
namespace {

constexpr const char* kBashHead = R"(# bash completion for drywarp, generated from its option tables.

_drywarp_devices='@DEVICES@'
_drywarp_metrics='@METRICS@'

_drywarp_offer() {
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

# Metrics are a comma-separated list: only the last one is completed.
_drywarp_offer_metrics() {
  local before=''
  [[ $current == *,* ]] && before=${current%,*},
  COMPREPLY=($(compgen -P "$before" -W "$_drywarp_metrics" -- "${current##*,}"))
  compopt -o nospace 2>/dev/null
}

# Files with one of the extensions, and folders; any file if there are none.
_drywarp_offer_files() {
  local IFS=$'\n' suffix
  compopt -o filenames 2>/dev/null
  COMPREPLY=()
  for suffix in "$@"; do COMPREPLY+=($(compgen -f -X "!*.$suffix" -- "$current")); done
  if ((${#COMPREPLY[@]})); then
    COMPREPLY+=($(compgen -d -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}

_drywarp() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} word
  local options='' arguments=()
  COMPREPLY=()
  # bash splits words at '=': --device=h200 is three words.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD == 1)); then
    _drywarp_offer '@COMMANDS@ --help --version'
    return
  fi
  if [[ $command == explain ]]; then
    if ((COMP_CWORD == 2)); then
      _drywarp_offer '@TOPICS@ --help'
      return
    fi
    command="explain ${COMP_WORDS[2]}"
  fi
  for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
    if [[ $word == -- ]]; then
      _drywarp_offer_files
      return
    fi
  done
  case $command in
    help)
      _drywarp_offer '@COMMANDS@'
      return
      ;;
)";

constexpr const char* kBashTail = R"(  esac
  if [[ $current == -* ]]; then
    _drywarp_offer "$options"
    return
  fi
  _drywarp_offer_files "${arguments[@]}"
}

complete -F _drywarp drywarp
)";

// The commands that complete an option's value; empty: no completion.
std::string bash_values(const PageOption& option) {
  switch (option.kind()) {
    case ValueKind::Choice:
      return fmt::format("_drywarp_offer '{}'", fmt::join(option.choices(), " "));
    case ValueKind::Device:
      return "_drywarp_offer \"$_drywarp_devices\"\n        ((${#COMPREPLY[@]})) || _drywarp_offer_files toml";
    case ValueKind::Metrics:
      return "_drywarp_offer_metrics";
    case ValueKind::File:
      return "_drywarp_offer_files";
    default:
      return "";
  }
}

std::string bash_case(const CommandPage& page) {
  std::string values, names, positional;
  for (const PageOption& option : page.options) {
    for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
    if (option.names.empty() && option.kind() == ValueKind::Device)
      positional = "      [[ $current == -* ]] || { _drywarp_offer \"$_drywarp_devices\"; return; }\n";
    if (option.names.empty() || option.kind() == ValueKind::None) continue;
    // An option with an optional value may be followed by another word too.
    const char* end = option.value_optional ? "((${#COMPREPLY[@]})) && return" : "return";
    const std::string offer = bash_values(option);
    values += fmt::format("        {}){}{}\n          {} ;;\n", fmt::join(option.names, " | "),
                          offer.empty() ? "" : "\n          ", offer, end);
  }
  std::string text = fmt::format("    '{}')\n      options='{}'\n", page.name, names);
  if (page.takes_sources()) text += "      arguments=(cu ptx)\n";
  if (!values.empty()) text += "      case $previous in\n" + values + "      esac\n";
  return text + positional + "      ;;\n";
}

void put(std::string& text, const std::string& mark, const std::string& value) {
  for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
    text.replace(at, mark.size(), value);
}

}  // namespace

std::string device_words() { return fmt::format("{}", fmt::join(device::device_ids(), " ")); }

std::string metric_words() {
  std::string text = "all";
  for (const metrics::Metric& metric : metrics::all_metrics()) {
    text += fmt::format(" {}", metric.name);
    if (!metric.alias.empty()) text += fmt::format(" {}", metric.alias);
  }
  return text;
}

std::string subcommand_words() {
  std::string text;
  for (const Subcommand& subcommand : subcommands()) text += (text.empty() ? "" : " ") + std::string(subcommand.name);
  return text;
}

std::string topic_words() {
  std::string text;
  for (const Subcommand& topic : explain_topics()) text += (text.empty() ? "" : " ") + std::string(topic.name);
  return text;
}

std::string bash_completion(std::span<const CommandPage> pages) {
  std::string text = kBashHead;
  put(text, "@DEVICES@", device_words());
  put(text, "@METRICS@", metric_words());
  put(text, "@COMMANDS@", subcommand_words());
  put(text, "@TOPICS@", topic_words());
  for (const CommandPage& page : pages) text += bash_case(page);
  return text + kBashTail;
}

}  // namespace drywarp::cli
