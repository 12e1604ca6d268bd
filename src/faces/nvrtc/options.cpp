#include "faces/nvrtc/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "faces/compile/nvcc_options/option_parser.h"

namespace drywarp::nvrtc {
namespace {

// Options that nvcc does not have: "--name", and "-name" or another word with one dash.
struct OwnOption {
  std::string_view name, short_name = {};
  void (*apply)(Options&) = nullptr;  // null: it has no effect here
};
void default_device(Options& options) { options.default_device = true; }
constexpr OwnOption kOwn[] = {
    {"device-as-default-execution-space", "default-device", default_device},
    {"builtin-move-forward"},  // std::move, std::forward and std::initializer_list are always there
    {"builtin-initializer-list"},
    {"device-int128"},  // always there
    {"device-float128"},
    {"minimal"},
    {"modify-stack-limit"},
    {"no-source-include"},
    {"version-ident", "dQ"},
    {"no-cache"},
    {"pch"},  // a precompiled header is always kept
    {"create-pch"},
    {"use-pch"},
    {"pch-dir"},
    {"pch-verbose"},
    {"pch-messages"},
    {"instantiate-templates-in-pch"},
};

// "--pch-dir=x" is "--pch-dir".
const OwnOption* find_own(std::string_view word) {
  word = word.substr(0, word.find('='));
  if (!word.starts_with('-')) return nullptr;
  word.remove_prefix(1);
  const bool whole = word.starts_with('-');
  if (whole) word.remove_prefix(1);
  const auto* found = std::ranges::find_if(kOwn, [&](const OwnOption& option) {
    return word == (whole || option.short_name.empty() ? option.name : option.short_name);
  });
  return found == std::end(kOwn) ? nullptr : found;
}

// A word may hold an option and its value, "-I /usr/include": nvcc's parser wants two.
void add_words(std::vector<std::string>& to, const std::string& word) {
  static constexpr const char* kWithValue[] = {
      "-I ", "-D ", "-U ", "-arch ", "-std ", "--gpu-architecture ", "--include-path ", "--define-macro "};
  const bool two = std::ranges::any_of(kWithValue, [&](const char* prefix) { return word.starts_with(prefix); });
  if (!two) return to.push_back(word);
  const size_t space = word.find(' ');
  to.push_back(word.substr(0, space));
  to.push_back(word.substr(std::min(word.size(), word.find_first_not_of(' ', space))));
}

bool names_machine_code(const std::string& word) {
  return word.starts_with("sm_") || word.find("=sm_") != std::string::npos;
}

}  // namespace

Result<Options> read_options(std::span<const std::string> words) {
  Options options;
  std::vector<std::string> others;
  for (const std::string& word : words) {
    if (const OwnOption* own = find_own(word)) {
      if (own->apply) own->apply(options);
    } else {
      add_words(others, word);
    }
  }
  auto parsed = compile::parse_options(others);
  if (!parsed) return parsed.problem();
  options.compilation = std::move(*parsed);
  compile::Compilation& c = options.compilation;
  if (!c.inputs.empty())
    return error(fmt::format("unrecognized option '{}'", c.inputs[0].path), "options begin with a dash");
  if (c.stage != compile::Stage::Executable && c.stage != compile::Stage::Object)
    return error("an option asks for an output that NVRTC does not have");
  if (c.architectures.size() > 1)
    return error("several architectures: a program has one", "name one with --gpu-architecture");
  options.machine_code = std::ranges::any_of(others, names_machine_code);
  c.stage = compile::Stage::Ptx;
  c.without_host = true;
  return options;
}

}  // namespace drywarp::nvrtc
