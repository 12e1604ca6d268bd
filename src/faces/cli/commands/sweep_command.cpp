#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iostream>

#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/sweep_progress.h"
#include "faces/cli/targets/sweep_request.h"
#include "faces/cli/targets/sweep_runner.h"
#include "faces/compile/nvcc_options/installation.h"
#include "faces/compile/nvcc_options/process.h"
#include "sweep/plan/search.h"
#include "sweep/record/description_json.h"
#include "sweep/record/sources.h"
#include "sweep/runs/driver.h"
#include "sweep/views/views.h"

namespace drywarp::cli {
namespace {

namespace fs = std::filesystem;

struct SweepOptions {
  SweepSpaceOptions space;
  SweepRunOptions run;
  std::string output = "sweep.dwsweep";
  bool resume = false, restart = false, json = false, dry_run = false;
};

void add_sweep_options(CLI::App& app, SweepOptions& o) {
  add_sweep_space_options(app, o.space);
  app.add_option("-o,--output", o.output, "the file of results, written row by row")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_flag("--resume", o.resume, "go on with the sweep of that file; if a source has changed, start over");
  app.add_flag("--restart", o.restart, "replace the sweep of that file");
  add_sweep_run_options(app, o.run);
  app.add_flag("--json", o.json, "a JSON object a row on standard output, as they end, then one of the best");
  app.add_flag("--dry-run", o.dry_run, "list the configurations, and run nothing");
}

// Global because the signal handler writes it.
volatile sig_atomic_t stopped_by = 0;

// While it lives, signals that end the sweep are noted, and the sweep keeps what it has.
class StopOnSignals {
 public:
  StopOnSignals() {
    stopped_by = 0;
    struct sigaction action{};
    action.sa_handler = [](int signal) { stopped_by = signal; };
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < std::size(kSignals); ++i) {
      sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
    }
  }
  ~StopOnSignals() {
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(kSignals)]{};
};

bool same_description(const sweep::Description& a, const sweep::Description& b) {
  return sweep::to_json(a) == sweep::to_json(b);
}

// The sweep and its file: new, or that which is there.
struct Opened {
  sweep::Sweep sweep;
  sweep::SweepFile file;
};

Result<Opened> start_over(const std::string& path, const sweep::Description& description, const sweep::Origin& origin) {
  auto configurations = sweep::candidates(description);
  if (!configurations) return configurations.problem();
  remove_slurm_files(path);
  auto file = sweep::SweepFile::create(path, description, origin, *configurations);
  if (!file) return file.problem();
  auto made = sweep::read_sweep(path);
  if (!made) return made.problem();
  return Opened{std::move(*made), std::move(*file)};
}

// "matmul.cu has changed"; empty: nothing has.
std::string what_changed(const sweep::Origin& before, const sweep::Origin& now) {
  if (before.drywarp_version != now.drywarp_version) return "drywarp has another version";
  for (const auto& [path, digest] : now.sources) {
    const auto found = before.sources.find(path);
    if (found == before.sources.end() || found->second != digest) return path + " has changed";
  }
  return before.sources.size() != now.sources.size() ? "a source is no longer needed" : "";
}

Result<Opened> open_sweep(const SweepOptions& o, const sweep::Description& description) {
  std::vector<std::string> files = description.program.words;
  for (const sweep::Parameter& p : description.space.parameters())
    if (p.kind == sweep::Kind::Device)
      for (const sweep::Value& value : p.values) files.push_back(value.text);
  if (!description.program.device.empty()) files.push_back(description.program.device);
  const sweep::Origin origin{compile::drywarp_version(), sweep::source_digests(files)};
  std::error_code unknown;
  if (!fs::exists(o.output, unknown) || o.restart) {
    if (o.restart && fs::exists(o.output, unknown))
      if (auto there = sweep::read_sweep(o.output); !there) return there.problem();  // never another file
    return start_over(o.output, description, origin);
  }
  if (!o.resume)
    return error(fmt::format("'{}' exists", o.output),
                 "--resume goes on with it, --restart replaces it, -o names another");
  auto there = sweep::read_sweep(o.output);
  if (!there) return there.problem();
  if (!same_description(there->description, description))
    return error(fmt::format("'{}' is another sweep", o.output), "--restart replaces it, -o names another");
  if (const std::string changed = what_changed(there->origin, origin); !changed.empty()) {
    say(fmt::format("drywarp: {}: the sweep starts over\n", changed));
    return start_over(o.output, description, origin);
  }
  auto file = sweep::SweepFile::open(o.output);
  if (!file) return file.problem();
  return Opened{std::move(*there), std::move(*file)};
}

// A sweep's .toml file is the first word of that kind; a file of results is resumed.
ParsedWords parse_sweep_words(CLI::App& app, SweepOptions& o, Words words) {
  const auto separator = std::ranges::find(words, "--");
  const auto named = std::find_if(words.begin(), separator, [&](const std::string& w) {
    const bool value = &w != words.data() && (*(&w - 1) == "--device" || *(&w - 1) == "-o" || *(&w - 1) == "--output");
    return w.ends_with(".toml") && !w.starts_with('-') && !value;
  });
  std::string file;
  if (named != separator) file = *named, words.erase(named);
  ParsedWords parsed = parse_words(app, words);
  o.space.file = file;
  return parsed;
}

int sweep_program(CLI::App& app, SweepOptions& o, const Words& words);

int list(const sweep::Description& description, bool json) {
  const auto all = sweep::candidates(description);
  if (!all) return fail(all.problem(), kFailed);
  for (const sweep::Configuration& configuration : *all)
    fmt::print("{}\n",
               json ? sweep::text({{"configuration", sweep::configuration_json(description.space, configuration)}})
                    : description.space.text(configuration));
  return kSuccess;
}

int print_script(const SweepOptions& o, const sweep::Description& description) {
  const auto script = slurm_script(o.run, o.output, description);
  if (!script) return fail(script.problem(), kFailed);
  std::cout << *script;
  return kSuccess;
}

int run_sweep(const SweepOptions& o, const sweep::Description& description) {
  if (description.space.parameters().empty())
    say("drywarp: nothing varies, so there is one configuration: -D NAME=VALUES varies a macro, '{NAME=VALUES}' in "
        "quotes an argument\n");
  const auto folder = compile::TemporaryFolder::create();
  if (!folder) return fail(folder.problem(), kFailed);
  auto rows = sweep_runner(o.run, o.output, folder->path());  // before --restart replaces what is there
  if (!rows) return fail(rows.problem(), kFailed);
  auto opened = open_sweep(o, description);
  if (!opened) return fail(opened.problem(), kFailed);
  sweep::Sweep& sweep = opened->sweep;
  const auto finished = [&] {
    const StopOnSignals signals;
    SweepProgressLine line(sweep.description.space);
    sweep::Driving told;
    told.progress = [&](const sweep::SweepProgress& progress) { line.show(progress); };
    told.stop = [] { return stopped_by != 0; };
    if (o.json)
      told.ended = [&](const sweep::Row& row) {
        std::cout << sweep::text(sweep::row_json(sweep, row)) << std::endl;  // at once: a program waits for it
      };
    return sweep::drive(sweep, opened->file, *rows->runner, rows->workers, told);
  }();
  rows->runner.reset();  // ends what still runs
  if (!finished) return fail(finished.problem(), kFailed);
  if (!*finished) {
    say(fmt::format("drywarp: stopped; {} has the rows that ended, and --resume goes on\n", o.output));
    return 128 + stopped_by;
  }
  if (o.json) {
    sweep::Json best = sweep::Json::array();
    for (const sweep::Best& b : sweep::best_rows(sweep))
      best.push_back({{"group", b.group}, {"row", b.row->number}, {"seconds", *b.row->measurement->seconds}});
    std::cout << sweep::text(sweep::Json{{"best", std::move(best)}}) << "\n";
    return kSuccess;
  }
  sweep::write_table(std::cout, sweep, 20);
  std::cout << "\n";
  sweep::write_best(std::cout, sweep);
  return kSuccess;
}

int sweep_program(CLI::App& app, SweepOptions& o, const Words& words) {
  if (!words.empty())
    for (const Subcommand& topic : sweep_topics())
      if (words[0] == topic.name) return topic.make().run({words.begin() + 1, words.end()});
  ParsedWords parsed = parse_sweep_words(app, o, words);
  if (parsed.exit_code) return *parsed.exit_code;
  if (o.resume && o.restart) return fail(error("--resume and --restart are two things", "leave out one"), kFailed);
  Result<sweep::Description> description = error("");
  const bool alone = parsed.split.program.empty() && parsed.split.compiler.empty() && o.space.file.empty();
  if (o.resume && alone) {  // the file says what is swept
    auto there = sweep::read_sweep(o.output);
    if (!there) return fail(there.problem(), kFailed);
    description = std::move(there->description);
  } else {
    description = sweep_description(o.space, parsed.split);
  }
  if (!description) return fail(description.problem(), kFailed);
  if (o.run.slurm_script) return print_script(o, *description);
  return o.dry_run ? list(*description, o.json) : run_sweep(o, *description);
}

}  // namespace

Command sweep_command() {
  return make_command<SweepOptions>(
      {"sweep",
       "drywarp sweep [options] app.cu... -D BM=32,64,128 [-- arguments]\n"
       "drywarp sweep [options] ./app [arguments with '{n=256,512}']\n"
       "drywarp sweep [options] sweep.toml\n"
       "drywarp sweep --resume -o sweep.dwsweep\n"
       "drywarp sweep show|best|plot|compare sweep.dwsweep\n\n"
       "Runs a program in every configuration, each in a process of its own, and finds the fastest by modelled time. "
       "A macro with several values is swept over (-D BM=32,64 or -D BM=16..256*2), and so is {NAME=VALUES} in the "
       "program's arguments. A configuration that fails is a row with its reason.",
       "The results are one SQLite file; `drywarp sweep show`, `best`, `plot` and `compare` read it. docs/sweep.md has "
       "the keys of a sweep's .toml file.\n\n"
       "The exit code is 0 when every row has ended, however; 125 means that there is no sweep, and 128 + N that "
       "signal "
       "N stopped it."},
      add_sweep_options, sweep_program);
}

}  // namespace drywarp::cli
