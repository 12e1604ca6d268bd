#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <utility>

#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/options/exit_codes.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/compiled_options.h"
#include "faces/cli/targets/ptx_target.h"
#include "faces/cli/targets/target.h"
#include "profile/metrics/evaluate.h"
#include "profile/report/writers/report.h"
#include "profile/store/profile_reader.h"

namespace drywarp::cli {
namespace {

struct ProfileOptions {
  RunOptions run;
  PtxOptions ptx;
  CompiledOptions compiled;
  std::string metrics, kernel, format = "text", output, time = "auto";
  std::vector<std::string> regions;
  uint64_t launch_skip = 0, launch_count = 0;
  unsigned lines = 10;
  bool no_counters = false, query_metrics = false, instructions = false, csv_lines = false;
};

void add_profile_options(CLI::App& app, ProfileOptions& o) {
  app.add_option("--metrics", o.metrics, "metrics by nvprof's or Nsight Compute's name, with *, parted by commas; all")
      ->type_name("METRICS");
  app.add_option("--kernel", o.kernel,
                 "count only kernels whose demangled name matches (ECMAScript, anywhere in the name)")
      ->type_name("REGEX");
  app.add_option("--launch-skip", o.launch_skip, "of the matching launches leave out the first N")->type_name("N");
  app.add_option("--launch-count", o.launch_count, "then count N of them")->type_name("N");
  app.add_option("--format", o.format,
                 "csv and json on standard output send the program's own output to standard error")
      ->type_name("text|csv|json")
      ->capture_default_str();
  app.add_option("--output", o.output, "file for the report instead of standard output")->type_name("FILE");
  app.add_option("--lines", o.lines, "source lines a kernel in the text report")->type_name("N")->capture_default_str();
  app.add_flag("--source-lines", o.csv_lines, "a row for each source line instead of each launch in the csv report");
  app.add_flag("--instructions", o.instructions, "every PTX instruction's counts in the json report");
  app.add_flag("--time{all}", o.time,
               "model how long kernels take on the device, what limits them and what their warps wait for. auto, the "
               "default, "
               "bounds the work; all, the same as --time alone, simulates every launch")
      ->check(CLI::IsMember({"auto", "all", "off"}));
  app.add_option(
         "--region", o.regions,
         "the counts and the time of these source lines for themselves, beside the regions between barriers; may be "
         "repeated")
      ->type_name("FILE:A-B")
      ->take_all()
      ->expected(1);
  app.add_flag("--no-counters", o.no_counters, "run at full speed and report launches and times only");
  app.add_flag("--query-metrics", o.query_metrics, "list every metric with unit, class and meaning, and end");
  add_compiled_options(app, o.compiled);
  add_run_options(app, o.run);
  add_ptx_options(app, o.ptx);
}

// Where the report goes. The file is opened before the program runs, for a long run must not end in "cannot write"; but
// what was in it stays until there is something to write, and where none was, none is left without a report.
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { leave(); }
  // Nothing more will be written.
  void leave() {
    std::error_code ignored;
    if (std::exchange(created_, false) && !begun_) std::filesystem::remove(path_, ignored);
  }
  Status open(const std::string& path) {
    if (path.empty()) return {};
    std::error_code unknown;
    const bool there = std::filesystem::exists(path, unknown);
    file_.open(path, std::ios::app);
    if (!file_) return error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
    path_ = path;
    created_ = !there;
    return {};
  }
  std::ostream& begin() {
    if (path_.empty()) return std::cout;
    std::error_code unknown;
    if (!std::exchange(begun_, true) && std::filesystem::is_regular_file(path_, unknown))
      std::filesystem::resize_file(path_, 0, unknown);
    return file_;
  }
  [[nodiscard]] bool to_terminal() const { return path_.empty() && isatty(STDOUT_FILENO) == 1; }
  [[nodiscard]] bool to_file() const { return !path_.empty(); }
  Status finish() {
    std::ostream& stream = begin();
    stream.flush();
    return stream ? Status() : Status(error("the report could not be written whole"));
  }

 private:
  std::string path_;  // empty: standard output
  std::ofstream file_;
  bool created_ = false, begun_ = false;
};

report::ReportOptions report_options(const ProfileOptions& o, report::Format format, const Output& output) {
  report::ReportOptions options;
  options.format = format;
  options.metrics = o.metrics;
  options.lines = o.lines;
  options.instructions = o.instructions;
  options.source_lines = o.csv_lines;
  for (const std::string& region : o.regions)
    if (auto range = report::parse_line_range(region)) options.regions.push_back(std::move(*range));
  if (output.to_terminal()) {
    options.colour = std::getenv("NO_COLOR") == nullptr;
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) options.width = size.ws_col;
  }
  return options;
}

// What a wrong option would spoil only after the run.
Status check(const ProfileOptions& o) {
  if (!o.metrics.empty()) {
    if (auto selected = metrics::select(o.metrics); !selected) return selected.problem();
  }
  for (const std::string& region : o.regions)
    if (!report::parse_line_range(region))
      return error(fmt::format("--region {}: not a range of lines", region), "--region kernel.cu:10-20");
  try {
    std::regex unused(o.kernel, std::regex::ECMAScript);
  } catch (const std::regex_error& problem) {
    return error(fmt::format("--kernel {}: not a regular expression: {}", o.kernel, problem.what()));
  }
  // A file that cannot be read is better said now than by a program that goes on without it.
  if (auto compiled = read_compiled(o.compiled); !compiled) return compiled.problem();
  return {};
}

void set_environment(ChildRequest& request, const ProfileOptions& o, const std::string& profile) {
  auto& environment = request.environment;
  environment.emplace_back("DRYWARP_PROFILE", profile);
  environment.emplace_back("DRYWARP_COUNTERS", o.no_counters ? "0" : "1");
  pass_compiled(request, o.compiled);
  environment.emplace_back("DRYWARP_TIME", o.no_counters ? "off" : o.time);
  if (!o.kernel.empty()) environment.emplace_back("DRYWARP_KERNEL", o.kernel);
  if (o.launch_skip > 0) environment.emplace_back("DRYWARP_LAUNCH_SKIP", std::to_string(o.launch_skip));
  if (o.launch_count > 0) environment.emplace_back("DRYWARP_LAUNCH_COUNT", std::to_string(o.launch_count));
}

int report_run(const ChildEnd& end, const std::string& file, const ProfileOptions& o, report::Format format,
               Output& output) {
  if (access(file.c_str(), F_OK) != 0) {
    warn("the program never used the CUDA runtime: there is nothing to report");
    return kSuccess;
  }
  Result<report::Profile> profile = store::read_profile(file);
  if (!profile) return fail(profile.problem(), kFailed);
  profile->signal = end.signal;
  if (end.signal != 0) profile->complete = false;
  profile->exit_code = end.exit_code;
  Status written = report::write_report(output.begin(), *profile, report_options(o, format, output));
  if (written.ok()) written = output.finish();
  return written.ok() ? kSuccess : fail(written.problem(), kFailed);
}

int profile_program(CLI::App& app, ProfileOptions& o, const Words& words) {
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  Result<report::Format> format = report::parse_format(o.format);
  if (!format) return fail(format.problem(), kFailed);
  if (Status status = check(o); !status) return fail(status.problem(), kFailed);
  Output output;
  if (Status status = output.open(o.output); !status) return fail(status.problem(), kFailed);
  if (o.query_metrics) {
    report::write_metric_list(output.begin(), *format, report_options(o, *format, output));
    return output.finish().ok() ? kSuccess : kFailed;
  }

  bool ptx = is_ptx_file(parsed.split.program);
  auto prepared = ptx ? prepare_ptx_target(parsed.split, o.ptx, o.run) : prepare_target(parsed.split, o.run);
  if (!ptx && o.ptx.given()) {
    return fail(error("--entry, --grid, --block, --shared, --arg and --dump are for a PTX file", "name a .ptx file"),
                kFailed);
  }
  if (const auto* problem = std::get_if<TargetError>(&prepared)) {
    return problem->silent ? problem->exit_code : fail(problem->problem, problem->exit_code);
  }
  auto& target = std::get<Target>(prepared);
  Result<frontend::TemporaryFolder> folder = frontend::TemporaryFolder::create();
  if (!folder) return fail(folder.problem(), kFailed);
  std::string file = folder->path() + "/profile";
  set_environment(target.request, o, file);
  target.request.output_to_errors = *format != report::Format::Text && !output.to_file();

  Result<ChildEnd> end = run_child(target.request);
  target.home.reset();
  if (!end) return fail(end.problem(), kCannotRun);
  int reported = report_run(*end, file, o, *format, output);
  {
    frontend::TemporaryFolder remove_now = std::move(*folder);
  }
  if (reported != kSuccess) return reported;
  output.leave();
  end_like(*end);
}

}  // namespace

Command profile_command() {
  return make_command<ProfileOptions>(
      {"profile",
       "drywarp profile [options] [compile options] app.cu... [-- arguments]\n"
       "drywarp profile [options] ./app [arguments]\n"
       "drywarp profile [options] k.ptx [--entry NAME] --grid G --block B\n\n"
       "Runs a CUDA program on this machine's processor and reports what its kernels did.",
       "Compile options are nvcc's: see `drywarp nvcc --help`.\n\n"
       "With csv or json on standard output, the program's own output goes to standard error.\n\n"
       "The exit code is the program's; 125, 126 and 127 mean that it did not run or that there is no report."},
      add_profile_options, profile_program);
}

}  // namespace drywarp::cli
