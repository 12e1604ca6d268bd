// `drywarp nvprof`, and drywarp under the name nvprof: nvprof's options and tables.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "base/device/device_spec.h"
#include "cuda/launch/options.h"
#include "faces/cli/commands/nvprof_options.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/counted_run.h"
#include "faces/cli/targets/kept_profile.h"
#include "faces/cli/targets/output_file.h"
#include "faces/compile/nvcc_options/installation.h"
#include "faces/profilers/nvprof/counter_tables.h"
#include "faces/profilers/nvprof/report.h"
#include "profile/store/profile_reader.h"

namespace drywarp::cli {
namespace {

namespace nvprof = profilers::nvprof;
using nvprof::ReportRequest;

// Scripts look for the words "Release version".
int print_version() {
  fmt::print(
      "drywarp {}, as a replacement for\n"
      "nvprof: NVIDIA (R) Cuda command line profiler\n"
      "Release version 12.8\n",
      compile::drywarp_version());
  return kSuccess;
}

Status add_counters(const NvprofOptions& o, ReportRequest& request) {
  std::shared_ptr<const nvprof::KernelPath> scope;
  const auto add = [&](const std::vector<nvprof::Counter>& from, std::vector<nvprof::ScopedCounter>& to) {
    for (const nvprof::Counter& c : from)
      if (std::ranges::none_of(to, [&](const auto& k) { return k.counter.name == c.name && k.scope == scope; }))
        to.push_back({c, scope});
  };
  for (const auto& [word, text] : o.counters) {
    if (word == NvprofOptions::Word::Kernels) {
      Result<nvprof::KernelPath> path = nvprof::KernelPath::parse(text);
      if (!path) return path.problem();
      scope = std::make_shared<const nvprof::KernelPath>(std::move(*path));
      continue;
    }
    const bool events = word == NvprofOptions::Word::Events;
    const auto chosen = events ? nvprof::select_events(text) : nvprof::select_metrics(text);
    if (!chosen) return chosen.problem();
    add(*chosen, events ? request.events : request.metrics);
  }
  if (o.analysis && o.output.empty()) add(nvprof::all_metrics(), request.metrics);
  return {};
}

// Whether a comma-separated list has the word.
bool lists(const std::string& list, std::string_view word) {
  std::istringstream in(list);
  for (std::string each; std::getline(in, each, ',');)
    if (each == word) return true;
  return false;
}

Result<ReportRequest> read_request(const NvprofOptions& o) {
  if (!o.devices.empty() && o.devices != "all" && !lists(o.devices, "0"))
    return error(fmt::format("--devices {}: there is one GPU, 0", o.devices),
                 "--device chooses which one drywarp simulates");
  if (!o.trace.empty() && !lists(o.trace, "gpu") && !lists(o.trace, "api"))
    return error(fmt::format("--trace {}: neither gpu nor api", o.trace), "--trace gpu, or --trace api");
  ReportRequest request;
  if (Status status = add_counters(o, request); !status) return status.problem();
  request.style = {o.csv, *nvprof::parse_time_unit(o.unit)};
  request.demangle = o.demangling == "on";
  const bool both = o.summary || o.summary_per_gpu;
  const bool chosen = both || o.gpu_trace || o.api_trace || o.gpu_summary || o.api_summary || request.counts();
  const bool gpu = o.trace.empty() || lists(o.trace, "gpu");
  const bool api = (o.trace.empty() || lists(o.trace, "api")) && o.api != "none";
  request.gpu_trace = o.gpu_trace;
  request.api_trace = o.api_trace;
  request.gpu_summary = o.gpu_summary || (gpu && (both || !chosen));
  request.api_summary = o.api_summary || (api && (both || !chosen));
  return request;
}

// Where nvprof's lines go: standard error, or --log-file. The file is opened before the program runs, unless its name
// needs the program's process.
class Output {
 public:
  explicit Output(std::string pattern) : pattern_(std::move(pattern)) {}
  Status check() { return pattern_.find("%p") == std::string::npos ? open(0) : Status(); }
  Status write(const std::string& text, int pid) {
    if (pattern_.empty() || pattern_ == "%2") return say(text), Status();
    if (!opened_)
      if (Status status = open(pid); !status) return status;
    file_.begin() << text;
    return file_.finish();
  }

 private:
  Status open(int pid) {
    opened_ = true;
    if (pattern_.empty() || pattern_ == "%1" || pattern_ == "%2") return {};
    const Result<std::string> name = nvprof::log_file_name(pattern_, pid);
    return name ? file_.open(*name) : Status(name.problem());
  }
  std::string pattern_;
  ReportOutput file_;
  bool opened_ = false;
};

// At the end, behind what scripts read by position.
void say_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) say("==DRYWARP== " + note + '\n');
}

int write_failed(const Status& status) { return fail(status.problem(), kFailed); }

// ---- -i

int print_imported(NvprofOptions& o, ReportRequest request, Output& output) {
  if (access(o.input.c_str(), F_OK) != 0) return fail(error(fmt::format("there is no file '{}'", o.input)), kNotFound);
  const Result<record::Profile> profile = store::read_profile(o.input);
  if (!profile)
    return fail(error(profile.problem().message,
                      "-i reads what `drywarp nvprof -o` or `drywarp profile -o` kept, not "
                      "nvprof's or Nsight's own files"),
                kFailed);
  const std::string& known = profile->kept.device_id;
  const Result<device::DeviceSpec> device = device::load_device(known.empty() ? profile->device : known);
  if (!device) return fail(device.problem(), kFailed);
  request.prefix = "======== ";
  std::ostringstream text;
  nvprof::write_report(text, *profile, *device, request, o.notes);
  if (!o.quiet)
    if (Status status = output.write(text.str(), 0); !status) return write_failed(status);
  if (!o.quiet) say_notes(o.notes);
  return kSuccess;
}

// ---- a program

// The file of -o.
Result<std::optional<KeptProfile>> open_export(const NvprofOptions& o) {
  if (o.output.empty()) return std::optional<KeptProfile>();
  const Result<std::string> name = nvprof::log_file_name(o.output, getpid());
  if (!name) return name.problem();
  std::error_code unknown;
  if (std::filesystem::exists(*name, unknown) && !o.force)
    return error(fmt::format("'{}' exists", *name), "-f replaces it");
  auto file = KeptProfile::at(*name, STDOUT_FILENO);
  if (!file) return file.problem();
  return std::optional(std::move(*file));
}

int profile_with(NvprofOptions& o, const SplitArguments& split, const Words& words, ReportRequest request,
                 Output& output) {
  const Result<device::DeviceSpec> device = device::load_device(o.counted.run.device);
  if (!device) return fail(device.problem(), kFailed);
  if (auto compiled = read_compiled(o.counted.compiled); !compiled) return fail(compiled.problem(), kFailed);
  Result<std::optional<KeptProfile>> exported = open_export(o);
  if (!exported) return fail(exported.problem(), kFailed);

  Wanted wanted;
  wanted.purpose = "profile";
  wanted.as_is = true;
  wanted.limit_seconds = o.limit_seconds;
  const bool times = *exported || request.needs_times();
  wanted.settings.emplace_back(cuda::variable::time, times ? "all" : "off");
  if (o.from_start == "off") wanted.settings.emplace_back(cuda::variable::from_start, "0");
  if (*exported) wanted.kept = &**exported;
  auto ran = run_counted(split, o.counted, wanted);
  if (const int* code = std::get_if<int>(&ran)) return *code;
  auto& run = std::get<CountedRun>(ran);

  // Scripts know these lines.
  constexpr const char* kNoProcess = "======== ";
  if (run.profile.drywarp_version.empty()) {
    const std::string warning = fmt::format("{}Warning: No CUDA application was profiled, exiting\n", kNoProcess);
    if (Status status = o.quiet ? Status() : output.write(warning, run.end.pid); !status) return write_failed(status);
    exit_like(run.end);
  }
  request.prefix = fmt::format("=={}== ", run.end.pid);
  std::ostringstream text;
  text << request.prefix
       << fmt::format("NVPROF is profiling process {}, command: {}\n", run.end.pid, run.profile.program);
  text << request.prefix << "Profiling application: " << run.profile.program << '\n';
  if (*exported) {
    if (Status status = (*exported)->complete(run.profile, "nvprof", words, o.counted.run.device); !status)
      return write_failed(status);
    text << request.prefix << "Generated result file: " << (*exported)->path() << '\n';
  } else {
    nvprof::write_report(text, run.profile, *device, request, o.notes);
  }
  if (run.end.signal != 0)
    text << kNoProcess << fmt::format("Error: Application received signal {}\n", run.end.signal);
  else if (run.end.exit_code != 0)
    text << kNoProcess << fmt::format("Error: Application returned non-zero code {}\n", run.end.exit_code);
  if (!o.quiet) {
    if (Status status = output.write(text.str(), run.end.pid); !status) return write_failed(status);
    say_notes(o.notes);
  }
  exit_like(run.end);
}

int run_nvprof(CLI::App& app, NvprofOptions& o, const Words& words) {
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  if (o.version) return print_version();
  Result<ReportRequest> request = read_request(o);
  if (!request) return fail(request.problem(), kFailed);
  if (o.query_metrics || o.query_events) {
    const Result<device::DeviceSpec> device = device::load_device(o.counted.run.device);
    if (!device) return fail(device.problem(), kFailed);
    if (o.query_events) nvprof::write_counter_list(std::cout, device->name, true);
    if (o.query_metrics) nvprof::write_counter_list(std::cout, device->name, false);
    return kSuccess;
  }
  Output output(o.log_file);
  if (Status status = output.check(); !status) return write_failed(status);
  if (!o.input.empty()) {
    if (!parsed.split.program.empty() || !parsed.split.compiler.empty())
      return fail(error("-i prints a kept profile and runs nothing", "leave out the program, or -i"), kFailed);
    return print_imported(o, std::move(*request), output);
  }
  return profile_with(o, parsed.split, words, std::move(*request), output);
}

}  // namespace

Command nvprof_command() {
  return make_command<NvprofOptions>(
      {"nvprof",
       "drywarp nvprof [options] app.cu [-- arguments]\n"
       "drywarp nvprof [options] ./app [arguments]\n"
       "drywarp nvprof [options] -i run.dwprof\n\n"
       "Profiles a CUDA program and prints what nvprof would print: its options, tables and CSV columns. The program "
       "needs "
       "no GPU. Counts are exact, times of kernels and copies are modelled, and times of API calls are this machine's. "
       "Through a link named nvprof, drywarp is `drywarp nvprof`.",
       "Lines that begin with ==DRYWARP== on standard error say which numbers are modelled and what is n/a.\n\n"
       "Examples:\n"
       "  drywarp nvprof app.cu\n"
       "  drywarp nvprof --print-gpu-trace --csv --log-file trace.csv ./app 1024\n"
       "  drywarp nvprof --kernels transpose --metrics gld_efficiency,ipc ./app\n"},
      add_nvprof_options, run_nvprof);
}

}  // namespace drywarp::cli
