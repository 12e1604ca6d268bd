#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "cuda/launch/options.h"
#include "faces/cli/commands/profile_command.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/counted_run.h"
#include "faces/cli/targets/kept_profile.h"
#include "faces/cli/targets/recorded_command.h"
#include "model/whatif/what_if.h"
#include "profile/report/writers/what_if.h"

namespace drywarp::cli {
namespace {

struct WhatIfOptions {
  CountedOptions counted;
  std::string changes = "all", format = "text", time = "auto";
  std::vector<std::string> lines;
  bool list = false;
};

void add_what_if_options(CLI::App& app, WhatIfOptions& o) {
  app.add_option("--change", o.changes, "comma-separated changes that --list explains, or 'all'")
      ->type_name("CHANGES")
      ->capture_default_str();
  app.add_option("--only-lines", o.lines, "the time if only these source lines cost anything; may be repeated")
      ->type_name("FILE:A-B")
      ->take_all()
      ->expected(1);
  app.add_flag("--list", o.list, "explain every change, and exit");
  add_filter_options(app, o.counted.filters);
  app.add_option("--format", o.format, "report format")
      ->type_name(report::what_if_formats().choices())
      ->capture_default_str();
  app.add_flag("--time{all}", o.time,
               "model how many launches: auto, the default, bounds the work; all is every launch")
      ->check(CLI::IsMember({"auto", "all"}));
  add_compiled_options(app, o.counted.compiled);
  add_run_options(app, o.counted.run);
  add_ptx_options(app, o.counted.ptx);
}

void list_changes() {
  for (unsigned s = 0; s < whatif::kScenarios; ++s) {
    const auto scenario = static_cast<whatif::Scenario>(s);
    fmt::print("{:<20} {}\n", whatif::key(scenario), whatif::text(scenario));
  }
  fmt::print("{:<20} {}\n", "more-warps=COUNT", whatif::meaning("more-warps=COUNT"));
  fmt::print("\nSettings, with the kernel's code as it is. Without a value: the values that are worth trying.\n");
  for (unsigned s = 0; s < whatif::kSettings; ++s) {
    const auto setting = static_cast<whatif::Setting>(s);
    const std::string question = fmt::format("{}={}", whatif::key(setting), whatif::value_name(setting));
    fmt::print("{:<20} {}\n", question, whatif::meaning(question));
  }
}

std::string questions(const WhatIfOptions& o) {
  std::string all = o.changes;
  for (const std::string& line : o.lines) all += ",line " + line;
  return all;
}

Status check(const WhatIfOptions& o) {
  if (auto parsed = whatif::parse_questions(questions(o)); !parsed) return parsed.problem();
  if (Status status = check_pattern(o.counted.filters.kernel); !status) return status;
  if (auto compiled = read_compiled(o.counted.compiled); !compiled) return compiled.problem();
  return {};
}

// The oldest GPU that a question names: what is compiled must run on all of them.
unsigned oldest_capability(const WhatIfOptions& o) {
  unsigned oldest = ~0u;
  const auto asked = whatif::parse_questions(o.changes);
  for (const whatif::Question& question : asked ? *asked : std::vector<whatif::Question>()) {
    const auto* setting = std::get_if<whatif::ChosenSetting>(&question.change);
    if (!setting || setting->setting != whatif::Setting::Device) continue;
    if (const auto device = device::load_device(setting->value))
      oldest = std::min<unsigned>(oldest, device->compute_capability.number());
  }
  return oldest;
}

int report(const record::Profile& profile, std::string_view format) {
  report::ReportOptions options;
  options.format = format;
  options.colour = isatty(STDOUT_FILENO) == 1 && takes_colour(STDOUT_FILENO);
  if (Status written = report::write_what_if(std::cout, profile, options); !written)
    return fail(written.problem(), kFailed);
  std::cout.flush();
  return std::cout ? kSuccess : fail(error("the report is incomplete: writing it failed"), kFailed);
}

// The program of a profile becomes that of this command. An exit code: it cannot be run again.
std::optional<int> run_again(const CLI::App& app, WhatIfOptions& o, SplitArguments& split) {
  const std::string file = split.program;
  const auto recorded = recorded_command(file);
  if (!recorded) return fail(recorded.problem(), kFailed);
  if (recorded->words.front() != "profile")
    return fail(error(fmt::format("{} was recorded by `drywarp {}`", file, recorded->words.front()),
                      "only runs of `drywarp profile` can be made again; give the program itself"),
                kFailed);
  auto program = counted_program({recorded->words.begin() + 1, recorded->words.end()});
  if (!program) return kFailed;
  CountedOptions& options = program->options;
  const auto given = [&](const char* option) { return app.get_option(option)->count() != 0; };
  options.run.device = given("--device") ? o.counted.run.device : recorded->device;
  const bool filtered = given("--kernel") || given("--launch-skip") || given("--launch-count");
  if (filtered) options.filters = o.counted.filters;
  o.counted = std::move(options);
  split = std::move(program->split);
  const auto changed = go_back_to(*recorded);
  if (!changed) return fail(changed.problem(), kCannotRun);
  for (const std::string& source : *changed)
    say(fmt::format("drywarp: warning: {} has changed since {} was recorded: the answers are of what it says now\n",
                    source, file));
  return std::nullopt;
}

int what_if(CLI::App& app, WhatIfOptions& o, const Words& words) {
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  if (o.list) return list_changes(), kSuccess;
  const auto format = report::what_if_formats().find(o.format);
  if (!format) return fail(format.problem(), kFailed);
  if (Status status = check(o); !status) return fail(status.problem(), kFailed);
  if (names_profile(parsed.split.program) || is_profile_file(parsed.split.program))
    if (const auto code = run_again(app, o, parsed.split)) return *code;
  o.counted.run.compute_capability = oldest_capability(o);
  const auto run = run_counted(parsed.split, o.counted,
                               {.settings = {{cuda::variable::time, o.time}, {cuda::variable::what_if, questions(o)}},
                                .purpose = "model",
                                .output_to_errors = true});
  if (const int* code = std::get_if<int>(&run)) return *code;
  const auto& [profile, end, samples] = std::get<CountedRun>(run);
  if (const int code = report(profile, o.format); code != kSuccess) return code;
  exit_like(end);
}

}  // namespace

Command what_if_command() {
  return make_command<WhatIfOptions>(
      {"what-if",
       "drywarp what-if [options] [compile options] app.cu... [-- arguments]\n"
       "drywarp what-if [options] ./app [arguments]\n"
       "drywarp what-if [options] k.ptx [--entry NAME] --grid G --block B\n"
       "drywarp what-if [options] run.dwprof\n\n"
       "Runs a CUDA program on the CPU, and models each kernel's time again with one of its costs made ideal. The "
       "gain is the most that removing this cost can bring. Then with other settings: block sizes, register caps, "
       "carve-outs, GPUs. A profile of `drywarp profile -o` stands for the run that it recorded: the run is made "
       "again.",
       "Compile options are nvcc's: see `drywarp nvcc --help`. The program's output goes to standard error.\n\n"
       "The exit code is the program's; 125, 126 and 127 mean that it did not run or that there is no answer."},
      add_what_if_options, what_if);
}

}  // namespace drywarp::cli
