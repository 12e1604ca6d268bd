#include "faces/cli/explain/explain_options.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "faces/cli/options/console.h"
#include "faces/cli/options/exit_codes.h"
#include "faces/cli/pages/page_writers.h"
#include "faces/cli/targets/ptx_arguments.h"

namespace drywarp::cli {
namespace {

// As in the C library, the first of these that is set decides the encoding.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || *value == '\0') continue;
    std::string locale(value);
    std::ranges::transform(locale, locale.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

void add_output_options(CLI::App& app, ExplainOptions& o) {
  app.add_option("--format", o.format, "output format")->type_name("text|json")->capture_default_str();
  app.add_flag("--ascii", o.ascii, "draw with ASCII only; the default where the locale is not UTF-8");
}

void add_launch_options(CLI::App& app, ExplainOptions& o) {
  app.add_option("--block", o.block, "threads per block: 256, 16x16, 8x8x4")->type_name("DIMS");
  app.add_option("--grid", o.grid, "blocks of the grid (default: 1)")->type_name("DIMS");
}

void add_name_options(CLI::App& app, ExplainOptions& o) {
  app.add_option("--let", o.definitions, "define a name: Width=1024, i=by*blockDim.y+ty; may be repeated")
      ->type_name("NAME=EXPRESSION")
      ->expected(1)
      ->take_all();
}

void add_device_option(CLI::App& app, ExplainOptions& o) {
  app.add_option("--device", o.device, "the GPU: a name or a device file (default: h200)")->type_name("DEVICE");
}

std::string names_text() {
  std::string text =
      "Expressions are C expressions on 64-bit integers over threadIdx, blockIdx, blockDim and gridDim (.x .y .z) "
      "and\n";
  for (const explain::BuiltInName& name : explain::built_in_names()) {
    const std::string_view id = name.name;
    if (id.find('.') != std::string_view::npos) continue;
    text += fmt::format("  {:<9} {}\n", id, wrapped(name.meaning, 12));
  }
  return text + "and the names that --let defines.\n";
}

Result<explain::LaunchConfiguration> launch_of(const ExplainOptions& o, const explain::LaunchConfiguration& otherwise) {
  explain::LaunchConfiguration launch = otherwise;
  if (!o.block.empty()) {
    const auto block = parse_extent(o.block);
    if (!block) return error(fmt::format("--block {}: {}", o.block, block.problem().message), block.problem().hint);
    launch.block = *block;
  }
  if (!o.grid.empty()) {
    const auto grid = parse_extent(o.grid);
    if (!grid) return error(fmt::format("--grid {}: {}", o.grid, grid.problem().message), grid.problem().hint);
    launch.grid = *grid;
  }
  if (Status status = explain::check(launch); !status) return status.problem();
  return launch;
}

Status check_format(const ExplainOptions& o) {
  if (o.format == "text" || o.format == "json") return {};
  return error(fmt::format("there is no format '{}'", o.format), "text or json");
}

explain::Pen pen_of(const ExplainOptions& o) {
  explain::Pen pen;
  pen.unicode = !o.ascii && locale_is_utf8();
  winsize size{};
  if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60)
    pen.width = std::min<unsigned>(size.ws_col, 160);
  return pen;
}

int print_text(const std::string& text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return whole ? kSuccess : fail(error("the output is incomplete: writing it failed"), kFailed);
}

}  // namespace drywarp::cli
