#include "faces/cli/pages/parse.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "faces/cli/options/console.h"
#include "faces/cli/options/exit_codes.h"
#include "faces/cli/pages/page_writers.h"

namespace drywarp::cli {

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
