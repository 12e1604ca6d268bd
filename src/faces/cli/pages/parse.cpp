#include "faces/cli/pages/parse.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

#include "faces/cli/options/console.h"
#include "faces/cli/pages/command_page.h"

namespace drywarp::cli {
namespace {

template <class Number, class Allowed>
CLI::Validator number(std::string what, Allowed allowed) {
  return CLI::Validator(
      [what = std::move(what), allowed](const std::string& text) -> std::string {
        Number value{};
        const char* end = text.data() + text.size();
        const auto [stop, problem] = std::from_chars(text.data(), end, value);
        if (problem == std::errc{} && stop == end && allowed(value)) return {};
        return fmt::format("'{}' is not {}", text, what);
      },
      "");
}

}  // namespace

CLI::Validator not_negative() {
  return number<double>("a number of at least 0", [](double v) { return std::isfinite(v) && v >= 0; });
}
CLI::Validator positive() {
  return number<double>("a number above 0", [](double v) { return std::isfinite(v) && v > 0; });
}
CLI::Validator percentage() {
  return number<double>("a percentage above 0, up to 100", [](double v) { return v > 0 && v <= 100; });
}
CLI::Validator integer(uint64_t least) {
  return number<uint64_t>(fmt::format("an integer of at least {}", least), [least](uint64_t v) { return v >= least; });
}

std::optional<int> parse_own(CLI::App& app, Words words) {
  try {
    std::ranges::reverse(words);  // CLI11 reads a vector from its end
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    std::fputs(help_text(page_of(app, "")).c_str(), stdout);
    return kSuccess;
  } catch (const CLI::ParseError& problem) {
    return fail(error(problem.what(), fmt::format("`drywarp {} --help` lists the options", app.get_name())), kFailed);
  }
  return std::nullopt;
}

ParsedWords parse_words(CLI::App& app, const Words& words) {
  ParsedWords parsed;
  Result<SplitArguments> split = split_arguments(app, words);
  if (!split) {
    parsed.exit_code = fail(split.problem(), kFailed);
    return parsed;
  }
  parsed.split = std::move(*split);
  parsed.exit_code = parse_own(app, parsed.split.own);
  return parsed;
}

}  // namespace drywarp::cli
