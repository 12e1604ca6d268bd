#include "faces/compile/nvcc_options/option_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "faces/compile/nvcc_options/option_table.h"

namespace drywarp::compile {
namespace {

struct Match {
  const Option* option = nullptr;
  std::optional<std::string_view> value;  // if it is part of the argument
};

// The value in "--name=value", "-n=value" and "-nvalue".
std::optional<std::string_view> value_after(std::string_view argument, std::string_view name, OptionForm form) {
  if (!argument.starts_with(name) || argument.size() == name.size()) return std::nullopt;
  std::string_view rest = argument.substr(name.size());
  if (rest.starts_with('=') && form != OptionForm::Flag) return rest.substr(1);
  if (form == OptionForm::JoinedValue && !name.starts_with("--")) return rest;
  return std::nullopt;
}

bool single_dash_of(std::string_view argument, std::string_view name) {
  return name.starts_with("--") && argument == name.substr(1);
}

// Exact names first, so that -lineinfo is not -l with "ineinfo"; among prefixes the longest wins.
Match find_option(std::string_view argument) {
  for (const Option& option : option_table()) {
    if (argument == option.name || (option.alias && argument == option.alias) ||
        single_dash_of(argument, option.name)) {
      return {&option, std::nullopt};
    }
  }
  Match best;
  size_t best_length = 0;
  for (const Option& option : option_table()) {
    for (const char* name : {option.name, option.alias}) {
      if (!name) continue;
      std::optional<std::string_view> value = value_after(argument, name, option.form);
      size_t length = std::string_view(name).size();
      if (!value || length < best_length) continue;
      // "-DX=1" is -D with "X=1"; an "=" right after the name always ends it.
      best = {&option, value};
      best_length = length;
    }
  }
  return best;
}

bool takes_value(OptionForm form) {
  return form == OptionForm::Value || form == OptionForm::JoinedValue || form == OptionForm::List;
}

// -Wall, -fPIC, -march=native: nvcc rejects them, every other compiler driver accepts them.
bool goes_to_host_compiler(std::string_view argument) {
  return argument.size() > 2 && (argument.starts_with("-W") || argument.starts_with("-f") ||
                                 argument.starts_with("-m") || argument.starts_with("-pedantic"));
}

// In nvcc the value of -O is optional: a bare -O never takes the next argument.
bool value_is_optional(const Option& option) { return std::string_view(option.name) == "--optimize"; }

// As a shell does it: quotes stand anywhere in a part (CMake writes -I"a b"), and a backslash takes the next character.
std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  std::string part;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else if (c == '\\' && quote == '"' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\'))
        part += text[++i];
      else
        part += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '\\' && i + 1 < text.size()) {
      part += text[++i];
    } else if (separators.find(c) != separators.npos) {
      parts.push_back(std::move(part));
      part.clear();
    } else {
      part += c;
    }
  }
  parts.push_back(std::move(part));
  std::erase(parts, "");
  return parts;
}
constexpr std::string_view kSpace = " \t\r\n", kListSpace = ", \t\n";
std::vector<std::string> split_list(std::string_view text) { return split(text, kListSpace); }

class Parser {
 public:
  Status run(std::span<const std::string> arguments, int depth);
  // Behind the last option: -x tells the language of all inputs, wherever it stands.
  Status name_languages();
  Compilation take() { return std::move(compilation_); }

 private:
  Status option(const Option& option, const std::string& argument, std::string_view value, int depth);
  void input(const std::string& path);
  Status language(std::string_view name);
  Status options_file(const std::string& path, int depth);

  Compilation compilation_;
  std::optional<Language> language_;  // of -x
};

Status Parser::run(std::span<const std::string> arguments, int depth) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.empty()) continue;
    if (argument[0] == '@' && argument.size() > 1) {
      if (Status status = options_file(argument.substr(1), depth); !status) return status;
      continue;
    }
    if (argument[0] != '-') {
      input(argument);
      continue;
    }
    Match match = find_option(argument);
    if (!match.option) {
      if (goes_to_host_compiler(argument) || compilation_.forward_unknown) {
        compilation_.host_options.push_back(argument);
        compilation_.link.push_back({-1, argument});
        continue;
      }
      return error(fmt::format("unknown option '{}'", argument),
                   "options for the host compiler go after -Xcompiler; `drywarp nvcc --help` lists the others");
    }
    std::string_view value = match.value.value_or(std::string_view());
    if (!match.value && takes_value(match.option->form) && !value_is_optional(*match.option)) {
      if (i + 1 == arguments.size()) return error(fmt::format("{}: the value is missing", argument));
      value = arguments[++i];
    } else if (!match.value && match.option->form == OptionForm::OptionalFlag && i + 1 < arguments.size() &&
               (arguments[i + 1] == "true" || arguments[i + 1] == "false")) {
      value = arguments[++i];
    }
    if (Status status = option(*match.option, argument, value, depth); !status) return status;
  }
  return {};
}

Status Parser::option(const Option& option, const std::string& argument, std::string_view value, int depth) {
  std::string_view name = option.name;
  if (name == "--x") return language(value);
  if (name == "--options-file") {
    for (const std::string& file : split_list(value)) {
      if (Status status = options_file(file, depth); !status) return status;
    }
    return {};
  }
  switch (option.treatment) {
    case Treatment::Silent:
      return {};
    case Treatment::Warned: {
      std::string text = fmt::format("{}: ignored: {}", argument, option.help);
      if (std::ranges::find(compilation_.warnings, text) == compilation_.warnings.end())
        compilation_.warnings.push_back(text);
      return {};
    }
    case Treatment::Refused:
      return error(fmt::format("{}: {}", argument, option.help));
    case Treatment::Honoured:
      break;
  }
  std::vector<std::string> values =
      option.form == OptionForm::List ? split_list(value) : std::vector{std::string(value)};
  for (const std::string& one : values) {
    if (Status status = option.apply(compilation_, one); !status) return status;
  }
  return {};
}

Status Parser::language(std::string_view name) {
  if (name == "cu" || name == "cuda")
    language_ = Language::Cuda;
  else if (name == "c++")
    language_ = Language::Cxx;
  else if (name == "c")
    language_ = Language::C;
  else if (name == "none")
    language_.reset();
  else
    return error(fmt::format("-x {}: expected cu, c++ or c", name));
  return {};
}

void Parser::input(const std::string& path) {
  compilation_.link.push_back({int(compilation_.inputs.size()), {}});
  compilation_.inputs.push_back({path, {}});
}

Status Parser::name_languages() {
  for (Input& input : compilation_.inputs) {
    const Result<Language> by_name = language_of(input.path);
    const bool linkable = by_name.ok() && (*by_name == Language::Object || *by_name == Language::Archive ||
                                           *by_name == Language::SharedObject);
    if (!by_name && !language_) return by_name.problem();
    input.language = linkable || !language_ ? *by_name : *language_;
  }
  return {};
}

Status Parser::options_file(const std::string& path, int depth) {
  if (depth > 8) return error(fmt::format("'{}': options files include each other", path));
  std::ifstream file(path);
  if (!file) return error(fmt::format("cannot read the options file '{}'", path));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return run(split(text, kSpace), depth + 1);
}

}  // namespace

Result<Language> language_of(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  // Not the path's extension: `.c` has none, and is a C file for nvcc.
  std::string extension = name.substr(std::min(name.rfind('.'), name.size()));
  if (extension == ".cu") return Language::Cuda;
  if (extension == ".cpp" || extension == ".cc" || extension == ".cxx" || extension == ".c++" || extension == ".C") {
    return Language::Cxx;
  }
  if (extension == ".c") return Language::C;
  if (extension == ".o" || extension == ".obj") return Language::Object;
  if (extension == ".a" || extension == ".lib") return Language::Archive;
  if (extension == ".so" || name.find(".so.") != std::string::npos) return Language::SharedObject;
  if (extension == ".ptx") {
    return error(fmt::format("'{}': PTX cannot be linked into a program", path),
                 "run it with `drywarp profile FILE.ptx --entry NAME --grid G --block B`");
  }
  if (extension == ".cubin" || extension == ".fatbin" || extension == ".ltoir") {
    return error(fmt::format("'{}': machine code for a GPU cannot be linked", path), "name the .cu source instead");
  }
  return error(fmt::format("'{}': unknown kind of file", path), "name its language with -x cu, -x c++ or -x c");
}

size_t option_length(std::span<const std::string> arguments) {
  const std::string& first = arguments[0];
  Match match = find_option(first);
  if (!match.option) return goes_to_host_compiler(first) ? 1 : 0;
  if (match.value || !takes_value(match.option->form) || value_is_optional(*match.option)) {
    bool truth = match.option->form == OptionForm::OptionalFlag && !match.value && arguments.size() > 1 &&
                 (arguments[1] == "true" || arguments[1] == "false");
    return truth ? 2 : 1;
  }
  return std::min<size_t>(2, arguments.size());
}

Result<Compilation> parse_options(std::span<const std::string> arguments) {
  Parser parser;
  if (Status status = parser.run(arguments, 0); !status) return status.problem();
  if (Status status = parser.name_languages(); !status) return status.problem();
  return parser.take();
}

}  // namespace drywarp::compile
