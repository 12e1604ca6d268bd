#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "base/support/readable.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/output_file.h"
#include "faces/compile/nvcc_options/installation.h"
#include "faces/compile/nvcc_options/process.h"
#include "profile/document/document.h"
#include "profile/document/writers.h"
#include "sweep/plan/search.h"
#include "sweep/runs/pool.h"
#include "sweep/views/views.h"

namespace drywarp::cli {
namespace {

struct SweepViewOptions {
  std::string file, format = "text", x, y, baseline, row, html;
  unsigned rows = 40, first = 0, second = 0;
  double slower = 0;
};

void add_file(CLI::App& app, SweepViewOptions& o) {
  app.add_option("sweep", o.file, "a file of `drywarp sweep`")->type_name("FILE")->required();
}

Result<const sweep::Row*> find_row(const sweep::Sweep& sweep, unsigned number) {
  const auto found = std::ranges::find(sweep.rows, size_t{number}, &sweep::Row::number);
  if (found == sweep.rows.end())
    return error(fmt::format("the sweep has no row {}", number),
                 fmt::format("its rows are 1 to {}", sweep.rows.size()));
  return &*found;
}

// ---- show

void add_show_options(CLI::App& app, SweepViewOptions& o) {
  add_file(app, o);
  app.add_option("--format", o.format, "how the rows are written")
      ->type_name("text|csv|json")
      ->check(CLI::IsMember({"text", "csv", "json"}))
      ->capture_default_str();
  app.add_option("--rows", o.rows, "rows of the table, the fastest first; 0: all")
      ->type_name("N")
      ->capture_default_str();
}

int show(CLI::App& app, SweepViewOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  const auto sweep = sweep::read_sweep(o.file);
  if (!sweep) return fail(sweep.problem(), kFailed);
  if (o.format == "csv")
    sweep::write_csv(std::cout, *sweep);
  else if (o.format == "json")
    sweep::write_json(std::cout, *sweep);
  else
    sweep::write_table(std::cout, *sweep, o.rows);
  return kSuccess;
}

Command show_sweep_command() {
  return make_command<SweepViewOptions>(
      {"sweep show",
       "drywarp sweep show [options] sweep.dwsweep\n\n"
       "Prints the rows of a sweep: those with a time by time, then what the search dropped and why, then what failed "
       "and why. A sweep that still runs can be shown.",
       ""},
      add_show_options, show);
}

// ---- best

void add_best_options(CLI::App& app, SweepViewOptions& o) {
  add_file(app, o);
  app.add_option("--format", o.format,
                 "text, with the Pareto front of time, occupancy and registers; json; flags, the command line of the "
                 "best alone; header, its macros as a file to include")
      ->type_name("text|json|flags|header")
      ->check(CLI::IsMember({"text", "json", "flags", "header"}))
      ->capture_default_str();
  app.add_option("--row", o.first, "flags or header of this row, not of the best")->type_name("N");
  app.add_option("--baseline", o.baseline, "an older sweep, whose best this one's is held to")->type_name("FILE");
  app.add_option("--slower", o.slower, "how many percent longer than the baseline's the best may take (default: 0)")
      ->type_name("PERCENT")
      ->check(not_negative());
}

int write_settings(const SweepViewOptions& o, const sweep::Sweep& sweep) {
  auto best = sweep::best_rows(sweep);
  std::erase_if(best, [&](const sweep::Best& b) { return sweep::is_ideal(sweep.description, b.row->configuration); });
  const sweep::Row* row = nullptr;
  if (o.first != 0) {
    const auto found = find_row(sweep, o.first);
    if (!found) return fail(found.problem(), kFailed);
    row = *found;
  } else if (best.size() == 1) {
    row = best[0].row;
  } else {
    return fail(best.empty()
                    ? error("no row that a program can have has a time", "choose with --row N")
                    : error("the sweep has a best for each of several devices or sizes", "choose with --row N"),
                kFailed);
  }
  if (o.format == "header")
    std::cout << sweep::header_of(sweep, *row);
  else
    std::cout << sweep::flags_of(sweep, *row) << "\n";
  return kSuccess;
}

int hold_to_baseline(const SweepViewOptions& o, const sweep::Sweep& sweep) {
  const auto baseline = sweep::read_sweep(o.baseline);
  if (!baseline) return fail(baseline.problem(), kFailed);
  const auto slower = sweep::slower_than(*baseline, sweep, o.slower);
  if (!slower) return fail(slower.problem(), kFailed);
  for (const sweep::Regression& r : *slower)
    say(fmt::format("drywarp: the best{} takes {}, {:.1f} % longer than the baseline's {}; at most {} % are allowed\n",
                    r.group.empty() ? "" : " of " + r.group, readable_seconds(r.now), (r.now / r.before - 1) * 100,
                    readable_seconds(r.before), o.slower));
  return slower->empty() ? kSuccess : kBroken;
}

int best(CLI::App& app, SweepViewOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  if (app.get_option("--slower")->count() != 0 && o.baseline.empty())
    return fail(error("--slower needs a baseline", "--baseline old.dwsweep"), kFailed);
  const auto sweep = sweep::read_sweep(o.file);
  if (!sweep) return fail(sweep.problem(), kFailed);
  if (o.format == "flags" || o.format == "header") {
    if (const int code = write_settings(o, *sweep); code != kSuccess) return code;
  } else if (o.format == "json") {
    sweep::write_json(std::cout, *sweep);
  } else {
    sweep::write_best(std::cout, *sweep);
  }
  return o.baseline.empty() ? kSuccess : hold_to_baseline(o, *sweep);
}

Command best_command() {
  return make_command<SweepViewOptions>(
      {"sweep best",
       "drywarp sweep best [options] sweep.dwsweep\n\n"
       "Prints the fastest configuration of each device, and the rows that no other beats in time, occupancy and "
       "registers at once.",
       "The exit code is 123 if the best takes longer than --baseline and --slower allow."},
      add_best_options, best);
}

// ---- plot

void add_plot_options(CLI::App& app, SweepViewOptions& o) {
  add_file(app, o);
  app.add_option("--x", o.x, "a heat map: the parameter across")->type_name("NAME");
  app.add_option("--y", o.y, "a heat map: the parameter down")->type_name("NAME");
  app.add_option("--html", o.html,
                 "write all of it as one page for a browser instead: table, time against occupancy, heat maps, for "
                 "each device")
      ->type_name("FILE");
}

// What the page calls the sweep: the file's name, without folders.
Status write_page(const SweepViewOptions& o, const sweep::Sweep& sweep, ReportOutput& page) {
  document::write_page(page.begin(), document::sweep_document(std::filesystem::path(o.file).filename(),
                                                              sweep::sweep_json(sweep), compile::drywarp_version()));
  return page.finish();
}

int plot(CLI::App& app, SweepViewOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  if (o.x.empty() != o.y.empty()) return fail(error("a heat map needs --x and --y"), kFailed);
  if (!o.html.empty() && !o.x.empty())
    return fail(error("the page has a heat map of any two parameters", "leave out --x and --y"), kFailed);
  const auto sweep = sweep::read_sweep(o.file);
  if (!sweep) return fail(sweep.problem(), kFailed);
  if (!o.html.empty()) {
    ReportOutput page;
    if (Status status = page.open(o.html); !status) return fail(status.problem(), kFailed);
    const Status written = write_page(o, *sweep, page);
    return written ? kSuccess : fail(written.problem(), kFailed);
  }
  if (o.x.empty()) return sweep::draw_occupancy(std::cout, *sweep), kSuccess;
  const Status drawn = sweep::draw_heat(std::cout, *sweep, o.x, o.y);
  return drawn ? kSuccess : fail(drawn.problem(), kFailed);
}

Command plot_command() {
  return make_command<SweepViewOptions>({"sweep plot",
                                         "drywarp sweep plot sweep.dwsweep\n"
                                         "drywarp sweep plot --x NAME --y NAME sweep.dwsweep\n"
                                         "drywarp sweep plot --html sweep.html sweep.dwsweep\n\n"
                                         "Draws modelled time against occupancy, or the best time over two parameters; "
                                         "or writes a page with both.",
                                         ""},
                                        add_plot_options, plot);
}

// ---- compare

void add_compare_options(CLI::App& app, SweepViewOptions& o) {
  add_file(app, o);
  app.add_option("first", o.first, "the number of a row")->type_name("ROW")->required();
  app.add_option("second", o.second, "of another")->type_name("ROW")->required();
}

// Runs both rows again, side by side, and keeps their profiles in `folder`.
Status keep_profiles(const sweep::Sweep& sweep, const std::vector<const sweep::Row*>& rows,
                     const std::vector<std::string>& files) {
  const std::string self = compile::this_program();
  sweep::Pool pool({});
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto& d = sweep.description;
    const sweep::Request request = sweep::request_for(d.program, d.space, rows[i]->configuration);
    Words words = {self, "profile", "--time=all", "-o", files[i]};
    if (!request.device.empty()) words.insert(words.end(), {"--device", request.device});
    if (!request.kernel.empty()) words.insert(words.end(), {"--kernel", request.kernel});
    words.insert(words.end(), request.program.begin(), request.program.end());
    words.emplace_back("--");
    words.insert(words.end(), request.arguments.begin(), request.arguments.end());
    if (Status status = pool.start(i, words, files[i] + ".log"); !status) return status;
  }
  while (pool.running() != 0)
    for (const sweep::Ended& end : pool.ended())
      if (std::error_code unknown; !std::filesystem::exists(files[end.row], unknown))
        return error(fmt::format("row {} gives no profile: {}", rows[end.row]->number,
                                 compile::read_file(files[end.row] + ".log").ok()
                                     ? *compile::read_file(files[end.row] + ".log")
                                     : std::string("it could not be run")));
  return {};
}

int compare_rows(CLI::App& app, SweepViewOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  const auto sweep = sweep::read_sweep(o.file);
  if (!sweep) return fail(sweep.problem(), kFailed);
  std::vector<const sweep::Row*> rows;
  std::vector<std::string> files;
  const auto folder = compile::TemporaryFolder::create();
  if (!folder) return fail(folder.problem(), kFailed);
  for (const unsigned number : {o.first, o.second}) {
    const auto row = find_row(*sweep, number);
    if (!row) return fail(row.problem(), kFailed);
    rows.push_back(*row);
    files.push_back(fmt::format("{}/row{}{}.dwprof", folder->path(), number,
                                rows.size() == 2 && o.first == o.second ? "again" : ""));
    fmt::print("row {}: {}\n", number, sweep->description.space.text((*row)->configuration));
  }
  std::fflush(stdout);
  if (Status status = keep_profiles(*sweep, rows, files); !status) return fail(status.problem(), kFailed);
  return compare_command().run(files);
}

Command compare_rows_command() {
  return make_command<SweepViewOptions>({"sweep compare",
                                         "drywarp sweep compare sweep.dwsweep ROW ROW\n\n"
                                         "Runs two configurations again and compares their profiles, as `drywarp "
                                         "compare` does. A what-if change of a row "
                                         "is left out.",
                                         ""},
                                        add_compare_options, compare_rows);
}

constexpr Subcommand kSweepTopics[] = {
    {"show", "sweep show sweep.dwsweep", "print the rows of a sweep", show_sweep_command},
    {"best", "sweep best sweep.dwsweep", "the fastest configuration, as text, flags or a header", best_command},
    {"plot", "sweep plot sweep.dwsweep", "draw time against occupancy, or over two parameters", plot_command},
    {"compare", "sweep compare sweep.dwsweep 1 2", "compare the profiles of two rows", compare_rows_command},
    {"element", "sweep element SCRIPT --results FOLDER", "run a part of a sweep on a node of a cluster",
     sweep_element_command},
};

}  // namespace

std::span<const Subcommand> sweep_topics() { return kSweepTopics; }

}  // namespace drywarp::cli
