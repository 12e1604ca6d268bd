#include "faces/cli/commands/profile_command.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "cuda/launch/options.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/counted_run.h"
#include "faces/cli/targets/gates.h"
#include "faces/cli/targets/kept_profile.h"
#include "faces/cli/targets/output_file.h"
#include "faces/cli/targets/profile_checks.h"
#include "faces/compile/nvcc_options/process.h"
#include "profile/document/writers.h"
#include "profile/metrics/evaluate.h"
#include "profile/report/writers/report.h"
#include "profile/store/profile_reader.h"

namespace drywarp::cli {
namespace {

struct ProfileOptions {
  CountedOptions counted;
  GateOptions gates;
  ProfileCheckOptions check;
  std::string metrics, format = "text", page = "summary", output, html, time = "auto";
  std::vector<std::string> regions;
  unsigned lines = 10;
  const char* output_help = "write the report to a file, not to standard output";
  bool no_counters = false, details = false, launches = false, query_metrics = false, instructions = false,
       csv_lines = false;
};

// What `profile` and `show` share.
void add_report_options(CLI::App& app, ProfileOptions& o) {
  app.add_option("--metrics", o.metrics,
                 "comma-separated metrics by nvprof's or Nsight Compute's name; * is a wildcard, 'all' is every metric")
      ->type_name("METRICS");
  add_filter_options(app, o.counted.filters);
  app.add_option("--format", o.format,
                 fmt::format("report format; {} on standard output send the program's output to standard error",
                             report::report_formats().data_names()))
      ->type_name(report::report_formats().choices())
      ->capture_default_str();
  app.add_option("--page", o.page,
                 "what the text report shows: the answer, every counter, every source line, or every metric")
      ->type_name(report::report_pages().choices())
      ->capture_default_str();
  app.add_flag("--details", o.details, "the same as --page details");
  app.add_flag("--launches", o.launches, "in the text report, a row per launch, also of the chosen --metrics");
  app.add_option("-o,--output", o.output, o.output_help)->type_name("FILE");
  app.add_option("--html", o.html, "also write the page of `drywarp report`, for a browser")->type_name("FILE");
  app.add_option("--lines", o.lines, "source lines per kernel in the text report")
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--source-lines", o.csv_lines, "in the csv report, a row per source line, not per launch");
  app.add_flag("--instructions", o.instructions, "in the json report, the counts of every PTX instruction");
  app.add_option("--region", o.regions,
                 "report counts and time of these source lines, beside the regions between barriers; may be repeated")
      ->type_name("FILE:A-B")
      ->take_all()
      ->expected(1);
}

void add_profile_options(CLI::App& app, ProfileOptions& o) {
  o.output_help =
      "write the report to a file, not to standard output; FILE.dwprof: keep the profile itself, for `drywarp show`, "
      "`query` and `compare`, and print the report";
  add_report_options(app, o);
  app.add_flag(
         "--time{all}", o.time,
         "model kernel times on the device, limiters and stall reasons. auto, the default, bounds the work; all, the "
         "same as --time alone, simulates every launch")
      ->check(CLI::IsMember({"auto", "all", "off"}));
  app.add_flag("--no-counters", o.no_counters, "run at full speed and report launches and times only");
  app.add_flag("--query-metrics", o.query_metrics, "list every metric with unit, class and meaning, and exit");
  add_gate_options(app, o.gates);
  add_profile_check_options(app, o.check);
  add_compiled_options(app, o.counted.compiled);
  add_run_options(app, o.counted.run);
  add_clock_option(app, o.counted.run);
  add_ptx_options(app, o.counted.ptx);
}

Filters filters(const ProfileOptions& o) {
  Filters all = o.counted.filters;
  for (const std::string& region : o.regions)
    if (auto range = parse_line_range(region)) all.regions.push_back(std::move(*range));
  return all;
}

report::ReportOptions report_options(const ProfileOptions& o, const ReportOutput& output) {
  report::ReportOptions options;
  options.format = o.format;
  options.page = o.details ? "details" : std::string_view(o.page);
  options.metrics = o.metrics;
  options.lines = o.lines;
  options.instructions = o.instructions;
  options.source_lines = o.csv_lines;
  options.regions = filters(o).regions;
  options.kernel = o.counted.filters.kernel;
  options.launches = o.launches;
  if (output.to_terminal()) {
    options.colour = takes_colour(STDOUT_FILENO);
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) options.width = size.ws_col;
  }
  return options;
}

// Fails for options that have no effect together.
Status check_combination(const CLI::App& app, const ProfileOptions& o, const report::ReportFormat& format) {
  const auto given = [&](const char* option) { return app.get_option(option)->count() != 0; };
  if (o.no_counters)
    for (const char* option : {"--metrics", "--kernel", "--launch-skip", "--launch-count", "--region", "--source-lines",
                               "--instructions", "--time", "--expect", "--contract", "--check"})
      if (given(option) && !(option == std::string_view("--time") && o.time == "off"))
        return error(fmt::format("--no-counters counts nothing: {} has no effect", option), "leave out one of the two");
  if (o.counted.run.clock == "model" && (o.no_counters || o.time == "off"))
    return error(fmt::format("--clock model needs modelled times: {} has no effect",
                             o.no_counters ? "--no-counters" : "--time off"),
                 "leave out one of the two");
  struct Option {
    const char* name;
    bool report::FormatOptions::* known;
  };
  using Known = report::FormatOptions;
  for (const auto& [option, known] : std::initializer_list<Option>{{"--source-lines", &Known::source_lines},
                                                                   {"--page", &Known::page},
                                                                   {"--details", &Known::page},
                                                                   {"--launches", &Known::launches},
                                                                   {"--instructions", &Known::instructions}})
    if (given(option) && !(format.options.*known)) {
      const auto names = report::report_formats().names_if([&](const auto& row) { return row.options.*known; });
      return error(fmt::format("{} needs --format {}", option, report::enumerated(names, "or")));
    }
  if (o.details && given("--page")) return error("--details is --page details", "leave out one of the two");
  if (o.launches && o.page == "source")
    return error("--launches: the lines of a kernel are those of all its launches", "leave out one of the two");
  return {};
}

// Fails for wrong options that would be noticed only after the run.
Status check(const ProfileOptions& o, const Gates& gates) {
  if (const auto* e = gates.needs_time(); e && o.time == "off")
    return error_at(e->where, fmt::format("'{}' needs modelled times", e->full_text()), "leave out --time off");
  if (Status status = check_page_file(o.html); !status) return status;
  if (auto page = report::report_pages().find(o.page); !page) return page.problem();
  if (!o.metrics.empty()) {
    auto selected = metrics::select(o.metrics);
    if (!selected) return selected.problem();
    const bool timed = std::ranges::all_of(
        *selected, [](const metrics::Selected& s) { return s.metric->group == metrics::Group::Timing; });
    if (timed && o.time == "off")
      return error(fmt::format("--metrics {} needs modelled times", o.metrics), "leave out --time off");
  }
  for (const std::string& region : o.regions)
    if (!parse_line_range(region))
      return error(fmt::format("--region {}: not a range of lines", region), "--region kernel.cu:10-20");
  if (Status status = check_pattern(o.counted.filters.kernel); !status) return status;
  // The program itself would run on without an unreadable file.
  if (auto compiled = read_compiled(o.counted.compiled); !compiled) return compiled.problem();
  return {};
}

// Settings of the program's session.
std::vector<std::pair<const char*, std::string>> settings(const ProfileOptions& o) {
  if (o.no_counters) return {{cuda::variable::counters, "0"}, {cuda::variable::time, "off"}};
  if (o.time == "off") return {{cuda::variable::time, "off"}};
  // A table of chosen metrics shows neither what advice gains, nor the time line, nor the costliest accesses.
  const bool only_metrics =
      o.format == "csv" && !o.metrics.empty() && o.html.empty() && !names_profile(o.output) && !o.gates.given();
  const char* const more = only_metrics ? "0" : "1";
  return {{cuda::variable::time, o.time},
          {cuda::variable::keep_samples, more},
          {cuda::variable::gains, more},
          {cuda::variable::time_line, more}};
}

// Where the report goes, and the page if there is to be one.
struct Outputs {
  ReportOutput report, page;
  Status open(const std::string& report_file, const std::string& page_file) {
    Status status = report.open(report_file);
    return status && !page_file.empty() ? page.open(page_file) : status;
  }
  void close() { report.close(), page.close(); }
};

Status write_page(const record::Profile& profile, ReportOutput& page) {
  const auto document = document::report_document({{profile.program, &profile}});
  if (!document) return document.problem();
  document::write_page(page.begin(), *document);
  return page.finish();
}

// The page first: whoever reads the report may close its pipe.
int write(const record::Profile& profile, const ProfileOptions& o, Outputs& outputs) {
  Status written;
  if (outputs.page.to_file()) written = write_page(profile, outputs.page);
  if (written.ok()) written = report::write_report(outputs.report.begin(), profile, report_options(o, outputs.report));
  if (written.ok()) written = outputs.report.finish();
  return written.ok() ? kSuccess : fail(written.problem(), kFailed);
}

// The program's own failure, with its exit code, goes before broken expectations and problems that checks found.
int judged(const ChildExit& end, const record::Profile& profile, const ProfileOptions& o, const Gates& gates) {
  const Result<bool> verdict = judge(o.gates, gates, profile);
  const bool failed = end.signal != 0 || end.exit_code != 0;
  if (!verdict) {
    const int code = fail(verdict.problem(), kFailed);
    return failed ? kSuccess : code;
  }
  return *verdict || failed ? kSuccess : kBroken;
}

int report_run(CountedRun& run, const KeptProfile* file, const Words& words, const ProfileOptions& o, Outputs& outputs,
               const Gates& gates) {
  const ChildExit& end = run.end;
  if (run.profile.drywarp_version.empty()) {
    if (o.gates.given() && end.signal == 0 && end.exit_code == 0)
      return fail(error("the program never used the CUDA runtime: the expectations match nothing"), kFailed);
    warn("the program never used the CUDA runtime: there is nothing to report");
    return kSuccess;
  }
  const bool kept = names_profile(o.output);
  if (kept) {
    if (Status status = file->complete(run.profile, "profile", words, o.counted.run.device); !status)
      return fail(status.problem(), kFailed);
  } else if (file) {
    file->add_facts(run.profile, "profile", words, o.counted.run.device);
  }
  const int written = write(run.profile, o, outputs);
  if (kept && written == kSuccess)
    say(fmt::format("drywarp: the profile is in {0}; `drywarp show {0}` prints it again\n", o.output));
  if (written != kSuccess) return written;
  const int judgement = o.gates.given() ? judged(end, run.profile, o, gates) : kSuccess;
  if (judgement != kSuccess || end.signal != 0 || end.exit_code != 0) return judgement;
  return run.profile.checks && checks::problems(*run.profile.checks) != 0 ? kBroken : kSuccess;
}

int profile_program(CLI::App& app, ProfileOptions& o, const Words& words) {
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  const auto format = report::report_formats().find(o.format);
  if (!format) return fail(format.problem(), kFailed);
  if (Status status = check_combination(app, o, **format); !status) return fail(status.problem(), kFailed);
  const Result<Gates> gates = read_gates(o.gates);
  if (!gates) return fail(gates.problem(), kFailed);
  if (Status status = check(o, *gates); !status) return fail(status.problem(), kFailed);
  auto checks = ProfileChecks::of(o.check, parsed.split);
  if (!checks) return fail(checks.problem(), kFailed);
  Outputs outputs;
  const bool kept = names_profile(o.output);
  if (kept && o.query_metrics)
    return fail(
        error("--query-metrics runs nothing: there is no profile to keep", "name a file that does not end in .dwprof"),
        kFailed);
  if (Status status = outputs.open(kept ? "" : o.output, o.html); !status) return fail(status.problem(), kFailed);
  if (o.query_metrics) {
    Status written = report::write_metric_list(outputs.report.begin(), report_options(o, outputs.report));
    if (written) written = outputs.report.finish();
    return written.ok() ? kSuccess : fail(written.problem(), kFailed);
  }
  Wanted wanted{.settings = settings(o), .as_is = true};
  if (*checks) (*checks)->add_settings(wanted);
  wanted.output_to_errors = !(*format)->terminal && !outputs.report.to_file();
  // A page shows what a kept profile has: without one, the run is kept until it has been read.
  std::optional<compile::TemporaryFolder> scratch;
  std::optional<KeptProfile> file;
  if (kept || outputs.page.to_file()) {
    if (!kept) {
      auto folder = compile::TemporaryFolder::create();
      if (!folder) return fail(folder.problem(), kFailed);
      scratch.emplace(std::move(*folder));
    }
    auto made = KeptProfile::at(kept ? o.output : scratch->path() + "/run.dwprof",
                                wanted.output_to_errors ? STDERR_FILENO : STDOUT_FILENO);
    if (!made) return fail(made.problem(), kFailed);
    wanted.kept = &file.emplace(std::move(*made));
  }
  auto prepared = prepare_counted(parsed.split, o.counted);
  if (const auto* problem = std::get_if<TargetError>(&prepared))
    return problem->silent ? problem->exit_code : fail(problem->problem, problem->exit_code);
  auto ran = run_prepared(std::move(std::get<Target>(prepared)), filters(o), wanted);
  if (const int* code = std::get_if<int>(&ran)) return *code;
  auto& run = std::get<CountedRun>(ran);
  scratch.reset();
  const Filters& f = o.counted.filters;
  const Status comments = *checks ? (*checks)->add_findings(run.profile, f) : Status();
  const int reported = report_run(run, wanted.kept, words, o, outputs, *gates);
  if (!comments) return fail(comments.problem(), kFailed);
  if (reported != kSuccess) return reported;
  outputs.close();
  exit_like(run.end);
}

// ---- drywarp show

struct ShowOptions : ProfileOptions {
  std::string file;
};

void add_show_options(CLI::App& app, ShowOptions& o) {
  app.add_option("profile", o.file, "a file of `drywarp profile -o`")->type_name("FILE")->required();
  add_report_options(app, o);
  add_gate_options(app, o.gates);
}

int show_profile(CLI::App& app, ShowOptions& o, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  const auto format = report::report_formats().find(o.format);
  if (!format) return fail(format.problem(), kFailed);
  if (Status status = check_combination(app, o, **format); !status) return fail(status.problem(), kFailed);
  const Result<Gates> gates = read_gates(o.gates);
  if (!gates) return fail(gates.problem(), kFailed);
  if (Status status = check(o, *gates); !status) return fail(status.problem(), kFailed);
  Result<record::Profile> profile = store::read_profile(o.file);
  if (!profile) return fail(profile.problem(), kFailed);
  if (Status status = check_filters(filters(o), *profile); !status) return fail(status.problem(), kFailed);
  keep_launches(*profile, filters(o));
  if (names_profile(o.output))
    return fail(error("`drywarp show` writes reports, and no profile", "name a file that does not end in .dwprof"),
                kFailed);
  Outputs outputs;
  if (Status status = outputs.open(o.output, o.html); !status) return fail(status.problem(), kFailed);
  const int written = write(*profile, o, outputs);
  if (written != kSuccess || !o.gates.given()) return written;
  return judged({}, *profile, o, *gates);
}

}  // namespace

std::optional<CountedProgram> counted_program(const Words& words) {
  CLI::App app;
  ProfileOptions options;
  add_profile_options(app, options);
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return std::nullopt;
  return CountedProgram{std::move(parsed.split), std::move(options.counted)};
}

Command show_command() {
  return make_command<ShowOptions>(
      {"show",
       "drywarp show [options] run.dwprof\n\n"
       "Prints the report of a profile that `drywarp profile -o run.dwprof` kept, with the "
       "options of `drywarp profile`.",
       "The profile of a run that was killed has what the program did until then."},
      add_show_options, show_profile);
}

Command profile_command() {
  return make_command<ProfileOptions>(
      {"profile",
       "drywarp profile [options] [compile options] app.cu... [-- arguments]\n"
       "drywarp profile [options] ./app [arguments]\n"
       "drywarp profile [options] k.ptx [--entry NAME] --grid G --block B\n\n"
       "Runs a CUDA program on the CPU and reports what its kernels did.",
       "Compile options are nvcc's: see `drywarp nvcc --help`.\n\n"
       "With csv or json on standard output, the program's output goes to standard error.\n\n"
       "The exit code is the program's; 123 means that it ran and that an expectation is broken, 125, 126 and 127 mean "
       "that "
       "it did not run or that there is no report."},
      add_profile_options, profile_program);
}

}  // namespace drywarp::cli
