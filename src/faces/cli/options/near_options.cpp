#include "faces/cli/options/near_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/support/near_names.h"

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
    {"--section", "--metrics", " LIST"},
    {"--set", "--metrics", " LIST"},
    {"--query-events", "--query-metrics", ""},
    {"--list-metrics", "--query-metrics", ""},
    {"-o", "--output", " FILE"},
    {"--export", "--output", " FILE"},
    {"--export-profile", "--output", " FILE"},
    {"--log-file", "--output", " FILE"},
    {"--csv", "--format", " csv"},
    {"--print-gpu-trace", "--format", " csv"},
};

}  // namespace

std::optional<std::string> ours_for(const CLI::App& app, const std::string& option) {
  const std::string name = option.substr(0, option.find('='));
  const auto* found = std::ranges::find(kForeignOptions, name, &ForeignOption::theirs);
  if (found == std::end(kForeignOptions) || !app.get_option_no_throw(std::string(found->ours))) return std::nullopt;
  return fmt::format("{}{}", found->ours, found->value);
}

std::string hint_for(const CLI::App& app, const std::string& option) {
  if (const auto ours = ours_for(app, option)) return fmt::format("drywarp's is {}", *ours);
  const std::string typed = option.substr(0, option.find('='));
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

}  // namespace drywarp::cli
