// `drywarp explain TOPIC`: finds the topic and runs it; options that the topics share.
#include "faces/cli/explain/explain.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "faces/cli/options/arguments.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/command_page.h"
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

constexpr Subcommand kTopics[] = {
    {"access", "access --index \"a[2 * tid]\"", "global memory: sectors and lines of a warp, coalesced or not",
     explain_access_command},
    {"banks", "banks --index \"s[tx][ty]\" --array 32x32", "shared memory: banks, conflicts, the padding that helps",
     explain_banks_command},
    {"warps", "warps --block 16x6", "which threads of a block form which warp", explain_warps_command},
    {"divergence", "divergence \"tid % 2\"", "which warps diverge at a branch, and in how many passes",
     explain_divergence_command},
    {"caches", "caches --device h200 --size 1M", "the levels of memory, and the hit rates of a working set in them",
     explain_caches_command},
    {"dram", "dram --latency 20 --transfer 1 --banks 2", "DRAM: banks and channels over time, rows, bandwidth",
     explain_dram_command},
};

int run_explain(const Words& words) {
  if (words.empty()) return say(help_text(explain_page())), kFailed;
  if (words[0] == "--help" || words[0] == "-h") return print_text(help_text(explain_page()));
  for (const Subcommand& topic : kTopics)
    if (words[0] == topic.name) return topic.make().run({words.begin() + 1, words.end()});
  return fail(
      error(fmt::format("there is no topic '{}'", words[0]), "access, banks, warps, divergence, caches or dram"),
      kFailed);
}

}  // namespace

void add_output_options(CLI::App& app, ExplainOptions& o) {
  app.add_option("--format", o.format, "output format")->type_name("text|json")->capture_default_str();
  app.add_option("--html", o.html, "also write it as a page for a browser, with inputs to move")->type_name("FILE");
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
  if (Status status = check_page_file(o.html); !status) return status;
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

std::span<const Subcommand> explain_topics() { return kTopics; }

Command explain_command() { return {nullptr, run_explain}; }
}  // namespace drywarp::cli
