#include "faces/cli/options/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "base/support/near_names.h"
#include "faces/compile/nvcc_options/option_parser.h"

namespace drywarp::cli {
namespace {

// An option of nvprof or Nsight Compute, and drywarp's in its place.
struct ForeignOption {
  std::string_view theirs;
  std::string_view ours, value;
};

constexpr ForeignOption kForeignOptions[] = {
    {"-k", "--kernel", " REGEX"},
    {"--kernel-name", "--kernel", " REGEX"},
    {"--kernel-regex", "--kernel", " REGEX"},
    {"--kernels", "--kernel", " REGEX"},
    {"-c", "--launch-count", " N"},
    {"-s", "--launch-skip", " N"},
    {"-m", "--metrics", " LIST"},
    {"-e", "--metrics", " LIST"},
    {"--events", "--metrics", " LIST"},
    {"--query-events", "--query-metrics", ""},
    {"--list-metrics", "--query-metrics", ""},
    {"-o", "--output", " FILE"},
    {"--export", "--output", " FILE"},
    {"--export-profile", "--output", " FILE"},
    {"--log-file", "--output", " FILE"},
    {"--csv", "--format", " csv"},
};

// Options that belong to another command.
struct OptionElsewhere {
  std::string_view option, hint;
};
constexpr std::string_view kNvprof = "`drywarp nvprof` takes nvprof's options",
                           kNcu = "`drywarp ncu` takes Nsight Compute's options";
constexpr OptionElsewhere kOptionsElsewhere[] = {
    {"--print-gpu-trace", kNvprof},
    {"--print-api-trace", kNvprof},
    {"--print-summary", kNvprof},
    {"--print-gpu-summary", kNvprof},
    {"--print-api-summary", kNvprof},
    {"--analysis-metrics", kNvprof},
    {"--section", kNcu},
    {"--set", kNcu},
    {"--list-sets", kNcu},
    {"--list-sections", kNcu},
    {"--import", kNcu},
    {"--print-details", kNcu},
    {"--list-chips", "`drywarp devices` lists the GPUs"},
};

// drywarp's option for another profiler's: "--launch-count N" for "-c", if `app` has it.
std::optional<std::string> ours_for(const CLI::App& app, const std::string& option) {
  const std::string name = option.substr(0, option.find('='));
  const auto* found = std::ranges::find(kForeignOptions, name, &ForeignOption::theirs);
  if (found == std::end(kForeignOptions) || !app.get_option_no_throw(std::string(found->ours))) return std::nullopt;
  return fmt::format("{}{}", found->ours, found->value);
}

// The hint for an unknown option: drywarp's for another profiler's, the nearest by spelling, or where they are listed.
std::string hint_for(const CLI::App& app, const std::string& option) {
  if (const auto ours = ours_for(app, option)) return fmt::format("drywarp's is {}", *ours);
  const std::string typed = option.substr(0, option.find('='));
  const auto* elsewhere = std::ranges::find(kOptionsElsewhere, typed, &OptionElsewhere::option);
  if (elsewhere != std::end(kOptionsElsewhere)) return std::string(elsewhere->hint);
  std::vector<std::string> names;
  for (const CLI::Option* known : app.get_options())
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
  names = nearest_first(typed, std::move(names));
  const std::string all = fmt::format("`drywarp {} --help` lists the options", app.get_name());
  const size_t most_typos = std::max<size_t>(1, typed.size() / 4);
  if (typed.size() < 4 || names.empty() ||
      (names[0].find(typed) == std::string::npos && edit_distance(typed, names[0]) > most_typos))
    return all;
  return fmt::format("did you mean {}? {}", names[0], all);
}

// Whether the next word is the value of a flag with an optional value ("--time", "--time off").
bool takes_next(CLI::Option& option, const std::string& next) {
  if (option.get_items_expected_max() != 0) return false;
  try {
    const CLI::Validator* allowed = option.get_validator(0);
    std::string value = next;
    return allowed && (*allowed)(value).empty();
  } catch (const CLI::OptionNotFound&) {  // it has none
    return false;
  }
}

// The number of arguments that drywarp's option at the front takes, itself included; 0: not an option of drywarp.
size_t own_length(const CLI::App& app, std::span<const std::string> arguments) {
  const std::string& first = arguments[0];
  std::string name = first.substr(0, first.starts_with("--") ? first.find('=') : std::string::npos);
  const CLI::Option* option = app.get_option_no_throw(name);
  if (!option) return 0;
  bool separate_value = option->get_items_expected_max() > 0 && name.size() == first.size();
  return separate_value ? std::min<size_t>(2, arguments.size()) : 1;
}

// After "-x cu" every file is a source, whatever its extension.
bool names_language(const std::vector<std::string>& compiler) {
  return std::ranges::any_of(
      compiler, [](const std::string& word) { return word == "--x" || (word.starts_with("-x") && word != "-xnone"); });
}

// The error for a word that follows compiler options and is not a source. Some options of nvcc mean something else to
// another profiler: then the hint has drywarp's.
Diagnostic misplaced(const CLI::App& app, const std::string& word, const std::vector<std::string>& compiler) {
  const auto is_option = [](const std::string& w) { return w.starts_with('-'); };
  const bool sources = std::ranges::any_of(
      compiler, [](const std::string& w) { return w.starts_with('@') || compile::language_of(w).ok(); });
  for (const std::string& option : compiler)
    if (const auto ours = is_option(option) ? ours_for(app, option) : std::nullopt;
        ours && (!sources || option == compiler.back()))
      return error(fmt::format("'{}' is an nvcc option for sources, and '{}' is not a source", option, word),
                   fmt::format("drywarp's option is {}", *ours));
  const auto option = std::ranges::find_if(compiler, is_option);
  if (!sources && option != compiler.end())
    return error(fmt::format("'{}' is an nvcc option for sources, and '{}' is not a source", *option, word),
                 fmt::format("leave it out; `drywarp {} --help` lists drywarp's options", app.get_name()));
  return error(fmt::format("'{}' is neither a source file nor an option", word),
               "arguments for the program go after --");
}

}  // namespace

bool is_ptx_file(const std::string& path) { return path.ends_with(".ptx"); }
bool names_profile(const std::string& path) {
  return path.ends_with(kProfileSuffix) && path.size() > kProfileSuffix.size();
}
Status check_page_file(const std::string& path) {
  if (!names_profile(path)) return {};
  return error(fmt::format("--html writes a page, and '{}' names a profile", path), "name a file that ends in .html");
}

Result<SplitArguments> split_arguments(CLI::App& app, const std::vector<std::string>& all) {
  SplitArguments split;
  std::span<const std::string> rest(all);
  auto move_to = [&rest](std::vector<std::string>& to, size_t count) {
    to.insert(to.end(), rest.begin(), rest.begin() + std::ptrdiff_t(count));
    rest = rest.subspan(count);
  };
  while (!rest.empty()) {
    const std::string& first = rest[0];
    if (CLI::Option* flag = rest.size() > 1 && first.starts_with("--") ? app.get_option_no_throw(first) : nullptr;
        flag && takes_next(*flag, rest[1])) {
      split.own.push_back(first + "=" + rest[1]);
      rest = rest.subspan(2);
    } else if (first == "--") {
      rest = rest.subspan(1);
      move_to(split.arguments, rest.size());
    } else if (first.starts_with('-') && first.size() > 1) {
      if (size_t own = own_length(app, rest)) {
        move_to(split.own, own);
      } else if (size_t length = compile::option_length(rest)) {
        move_to(split.compiler, length);
      } else {
        return error(fmt::format("unknown option '{}'", first), hint_for(app, first));
      }
    } else if ((is_ptx_file(first) || names_profile(first)) && split.program.empty() && split.compiler.empty()) {
      split.program = first;
      rest = rest.subspan(1);
    } else if (first.starts_with('@') || compile::language_of(first).ok() || names_language(split.compiler)) {
      move_to(split.compiler, 1);
    } else if (split.program.empty() && split.compiler.empty()) {
      split.program = first;
      rest = rest.subspan(1);
      if (!rest.empty() && rest[0] == "--") rest = rest.subspan(1);
      move_to(split.arguments, rest.size());
    } else {
      return misplaced(app, first, split.compiler);
    }
  }
  return split;
}
}  // namespace drywarp::cli
