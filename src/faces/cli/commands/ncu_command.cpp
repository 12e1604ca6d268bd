// `drywarp ncu`, and drywarp under the name ncu: Nsight Compute's options, pages and CSV.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>

#include "base/device/device_spec.h"
#include "cuda/launch/options.h"
#include "faces/cli/commands/ncu_options.h"
#include "faces/cli/commands/ncu_output.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/counted_run.h"
#include "faces/cli/targets/kept_profile.h"
#include "faces/compile/nvcc_options/installation.h"
#include "faces/profilers/ncu/pages.h"
#include "faces/profilers/ncu/rules.h"
#include "profile/store/profile_reader.h"

namespace drywarp::cli {
namespace {

namespace ncu = profilers::ncu;

// Scripts look for the word "Version".
int print_ncu_version() {
  fmt::print(
      "drywarp {}, as a replacement for\n"
      "NVIDIA (R) Nsight Compute Command Line Profiler\n"
      "Version 2025.3.1.0\n",
      compile::drywarp_version());
  return kSuccess;
}

std::string joined(const std::vector<std::string>& lists) { return fmt::format("{}", fmt::join(lists, ",")); }

// What the options ask for, checked before anything runs.
struct NcuRequest {
  ncu::Choice choice;
  ncu::Page page{};
  ncu::PageStyle style;
};

Status add_ranges(const std::vector<std::string>& texts, std::vector<RangePattern>& to) {
  for (const std::string& text : texts) {
    Result<RangePattern> pattern = RangePattern::parse(text);
    if (!pattern) return pattern.problem();
    to.push_back(std::move(*pattern));
  }
  return {};
}

// An error, with the option that it is about.
Diagnostic of_option(const char* option, const Diagnostic& problem) {
  Diagnostic said = problem;
  said.message = fmt::format("{} {}", option, problem.message);
  return said;
}

Status read_filter(const NcuOptions& o, LaunchFilter& filter) {
  if (o.kernel && !o.kernel->empty()) {  // an empty name, as an empty expression, is every kernel's
    Result<NamePattern> name = NamePattern::parse(*o.kernel == "regex:" ? "regex:.*" : *o.kernel);
    if (!name) return of_option("--kernel-name", name.problem());
    filter.name = std::move(*name);
  }
  if (o.kernel_id) {
    Result<KernelId> id = KernelId::parse(*o.kernel_id);
    if (!id) return of_option("--kernel-id", id.problem());
    filter.id = std::move(*id);
  }
  filter.base = *parse_name_base(o.base);
  filter.skip = o.skip, filter.skip_before_match = o.skip_before_match;
  if (o.count > 0) filter.count = o.count;
  if (Status status = add_ranges(o.nvtx_include, filter.include); !status) return status;
  return add_ranges(o.nvtx_exclude, filter.exclude);
}

Result<NcuRequest> read_ncu_request(NcuOptions& o) {
  NcuRequest request;
  const Result<ncu::Page> page = ncu::parse_page(o.page);
  if (!page) return page.problem();
  const Result<ncu::MetricLabel> label = ncu::parse_metric_label(o.label);
  if (!label) return label.problem();
  request.page = *page;
  const ncu::Summary summary = o.summary == "none"      ? ncu::Summary::None
                               : o.summary == "per-gpu" ? ncu::Summary::PerGpu
                                                        : ncu::Summary::PerKernel;
  const bool base_by_itself = o.csv && o.input.empty();  // a kept profile's units are scaled in CSV, too
  const bool base_units = o.units == "base" || (base_by_itself && o.units.empty());
  request.style = {{base_units, o.fractions}, o.csv, *label, summary};
  if (o.details != "header" && request.page == ncu::Page::Details && summary == ncu::Summary::None) {
    request.choice.details = o.details == "body" ? ncu::Details::Body : ncu::Details::All;
    request.style.bodies = true;
  }
  request.choice.rules = o.apply_rules == "yes" || o.apply_rules == "on" || o.apply_rules == "1";
  request.choice.only_rules = ncu::select_rules(o.rules, o.notes);
  if (!o.rules.empty() && request.choice.only_rules.empty()) request.choice.rules = false;
  request.choice.printed = *parse_name_base(o.print_base);
  if (Status status = read_filter(o, request.choice.filter); !status) return status.problem();
  if (!o.metrics.empty()) {
    auto metrics = ncu::select_metrics(joined(o.metrics), !o.exact_suffixes, o.notes);
    if (!metrics) return metrics.problem();
    request.choice.metrics = std::move(*metrics);
  }
  if (o.metrics.empty() || !o.sections.empty() || !o.sets.empty()) {
    auto sections = ncu::select_sections(o.sections, o.sets);
    if (!sections) return sections.problem();
    request.choice.sections = std::move(*sections);
  }
  std::istringstream devices(o.devices);
  bool first_gpu = o.devices.empty();
  for (std::string each; std::getline(devices, each, ',');) first_gpu |= each == "0";
  if (!first_gpu)
    return error(fmt::format("--devices {}: there is one GPU, 0", o.devices),
                 "--device chooses which one drywarp simulates");
  if (request.page == ncu::Page::Source) o.notes.push_back("instructions by source line are PTX's; there is no SASS");
  for (const auto& texts : {o.nvtx_include, o.nvtx_exclude})
    for (const std::string& text : texts)
      if (text.find('@') != std::string::npos) o.notes.push_back("NVTX domains are not recorded, and not compared");
  if (o.summary == "per-nvtx")
    o.notes.push_back("--print-summary per-nvtx is printed as per-kernel; --nvtx-include chooses a range");
  return request;
}

// Lists need no program. An exit code if one was printed.
std::optional<int> print_lists(const NcuOptions& o, bool asks_mode) {
  if (o.list_sets) return ncu::list_sets(std::cout), kSuccess;
  if (o.list_sections) return ncu::list_sections(std::cout), kSuccess;
  if (o.list_chips) return ncu::list_chips(std::cout), kSuccess;
  if (o.list_rules) return ncu::list_rules(std::cout), kSuccess;
  if (o.list_metrics) {
    const auto sections = ncu::select_sections(o.sections, o.sets);
    if (!sections) return fail(sections.problem(), kFailed);
    return ncu::list_metrics(std::cout, *sections), kSuccess;
  }
  if (!o.query && !asks_mode) return std::nullopt;
  const Result<ncu::QueryMode> mode = ncu::parse_query_mode(o.query_mode);
  if (!mode) return fail(mode.problem(), kFailed);
  const Result<device::DeviceSpec> device = device::load_device(o.counted.run.device);
  if (!device) return fail(device.problem(), kFailed);
  const auto chips = ncu::select_chips(o.chips.value_or(device->id));
  if (!chips) return fail(of_option("--chips", chips.problem()), kFailed);
  for (const std::string& chip : *chips)
    if (Status status = ncu::query_metrics(std::cout, chip, *mode, joined(o.metrics)); !status)
      return fail(status.problem(), kFailed);
  return kSuccess;
}

std::string page_text(const NcuRequest& request, const ncu::Results& results, const record::Profile& profile,
                      const device::DeviceSpec& device) {
  std::ostringstream out;
  if (request.page == ncu::Page::Session)
    ncu::write_session(out, results, profile, device);
  else if (request.page == ncu::Page::Source)
    ncu::write_source(out, results, profile, request.style);
  else if (request.style.summary != ncu::Summary::None)
    ncu::write_summary(out, results, request.style);
  else if (request.page == ncu::Page::Raw)
    ncu::write_raw(out, results, request.style);
  else
    ncu::write_details(out, results, request.style);
  return out.str();
}

// "==WARNING== No kernels were profiled.", and which there are.
std::string no_kernels(const record::Profile& profile) {
  std::set<std::string> names;
  for (const record::LaunchRecord& launch : profile.launches)
    names.insert(function_name(profile.kernels[launch.kernel]->display_name));
  std::string text = "==WARNING== No kernels were profiled.\n";
  if (!names.empty()) text += "Available Kernels:\n";
  size_t number = 0;
  for (const std::string& name : names) text += fmt::format("{}. {}\n", ++number, name);
  return text;
}

// Once, on standard error, where no script reads values.
void say_notes(const NcuOptions& o, const NcuRequest& request, const ncu::Results& results) {
  for (const std::string& note : o.notes) say("==DRYWARP== " + note + '\n');
  const bool prints_metrics = request.page == ncu::Page::Details || request.page == ncu::Page::Raw;
  if (!prints_metrics || !o.output.empty()) return;
  if (!results.modelled.empty())
    say(fmt::format("==DRYWARP== modelled, not measured: {}\n", fmt::join(results.modelled, ", ")));
  if (!results.missing.empty()) say(fmt::format("==DRYWARP== n/a: {}\n", fmt::join(results.missing, ", ")));
}

ncu::Results results_of(const record::Profile& profile, const NcuRequest& request, const device::DeviceSpec& device,
                        int pid) {
  ncu::Results results = ncu::results_of(profile, request.choice);
  results.pid = pid;
  results.process = std::filesystem::path(executable_of(profile.program)).filename().string();
  results.compute_capability = fmt::format("{}.{}", device.compute_capability.major, device.compute_capability.minor);
  return results;
}

// ---- --import

int print_ncu_imported(const NcuOptions& o, const NcuRequest& request, NcuOutput& output) {
  std::string file = o.input;
  const auto there = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; };
  if (!there(file) && there(file + ".dwprof")) file += ".dwprof";
  if (!there(file)) return fail(error(fmt::format("there is no file '{}'", o.input)), kNotFound);
  const Result<record::Profile> profile = store::read_profile(file);
  if (!profile)
    return fail(error(profile.problem().message,
                      "--import reads what `drywarp ncu -o` or `drywarp profile -o` kept, and no .ncu-rep"),
                kFailed);
  const std::string& known = profile->kept.device_id;
  const Result<device::DeviceSpec> device = device::load_device(known.empty() ? profile->device : known);
  if (!device) return fail(device.problem(), kFailed);
  const ncu::Results results = results_of(*profile, request, *device, 0);
  const std::string text =
      results.kernels.empty() ? no_kernels(*profile) : page_text(request, results, *profile, *device);
  if (Status status = output.write(text); !status) return fail(status.problem(), kFailed);
  say_notes(o, request, results);
  return kSuccess;
}

// ---- a program

Result<std::optional<KeptProfile>> open_ncu_export(const NcuOptions& o) {
  if (o.output.empty()) return std::optional<KeptProfile>();
  const std::string name = names_profile(o.output) ? o.output : o.output + ".dwprof";
  std::error_code unknown;
  if (std::filesystem::exists(name, unknown) && !o.force)
    return error(fmt::format("'{}' exists", name), "-f replaces it");
  auto file = KeptProfile::at(name, STDOUT_FILENO);
  if (!file) return file.problem();
  return std::optional(std::move(*file));
}

std::string range_lines(const std::vector<RangePattern>& ranges) {
  std::string lines;
  for (const RangePattern& range : ranges) lines += range.text() + '\n';
  return lines;
}

// The session counts and times only what the filter takes.
void pass_filter(const LaunchFilter& filter, const NcuOptions& o, Wanted& wanted) {
  const auto pass = [&](const char* variable, std::string value) {
    wanted.settings.emplace_back(variable, std::move(value));
  };
  if (filter.name) pass(cuda::variable::kernel_filter, filter.name->expression());
  if (filter.id) pass(cuda::variable::kernel_id, filter.id->text());
  if (filter.name || filter.id) pass(cuda::variable::kernel_base, o.base);
  if (!filter.include.empty()) pass(cuda::variable::ranges_included, range_lines(filter.include));
  if (!filter.exclude.empty()) pass(cuda::variable::ranges_excluded, range_lines(filter.exclude));
  if (filter.skip_before_match > 0)
    pass(cuda::variable::launch_skip_before_match, std::to_string(filter.skip_before_match));
  if (filter.skip > 0) pass(cuda::variable::launch_skip, std::to_string(filter.skip));
  if (o.count > 0) pass(cuda::variable::launch_count, std::to_string(o.count));
}

int profile_with(NcuOptions& o, const SplitArguments& split, const Words& words, NcuRequest request,
                 NcuOutput& output) {
  const Result<device::DeviceSpec> device = device::load_device(o.counted.run.device);
  if (!device) return fail(device.problem(), kFailed);
  if (auto compiled = read_compiled(o.counted.compiled); !compiled) return fail(compiled.problem(), kFailed);
  Result<std::optional<KeptProfile>> exported = open_ncu_export(o);
  if (!exported) return fail(exported.problem(), kFailed);

  Wanted wanted;
  wanted.purpose = "profile";
  wanted.as_is = true;
  wanted.settings.emplace_back(cuda::variable::time, "all");
  if (o.from_start == "off" || o.from_start == "no" || o.from_start == "0")
    wanted.settings.emplace_back(cuda::variable::from_start, "0");
  pass_filter(request.choice.filter, o, wanted);
  if (*exported) wanted.kept = &**exported;
  ProfilingLines lines(o, output, wanted.kept ? &wanted.kept->output() : nullptr);
  wanted.heard = [&](const cuda::Announcement& what) { lines.hear(what); };
  auto ran = run_counted(split, o.counted, wanted);
  if (const int* code = std::get_if<int>(&ran)) return *code;
  auto& run = std::get<CountedRun>(ran);
  request.choice.filter = {};  // the session has applied it; its numbers must not be applied again to what it left

  const auto failed = [](const Status& status) { return fail(status.problem(), kFailed); };
  const ncu::Results results = results_of(run.profile, request, *device, run.end.pid);
  std::string text;
  const bool used_cuda = !run.profile.drywarp_version.empty();
  text += lines.disconnected();
  if (run.end.signal != 0)
    text += fmt::format("==ERROR== The application was ended by signal {}.\n", run.end.signal);
  else if (run.end.exit_code != 0)
    text += fmt::format("==ERROR== The application returned an error code ({}).\n", run.end.exit_code);
  if (results.kernels.empty()) text += no_kernels(run.profile);
  if (*exported && used_cuda) {
    if (Status status = (*exported)->complete(run.profile, "ncu", words, o.counted.run.device); !status)
      return failed(status);
    text += fmt::format("==PROF== Report: {}\n", (*exported)->path());
  } else if (!results.kernels.empty()) {
    text += page_text(request, results, run.profile, *device);
  }
  if (Status status = output.write(text); !status) return failed(status);
  if (!o.quiet) say_notes(o, request, results);
  exit_like(run.end);
}

int run_ncu(CLI::App& app, NcuOptions& o, const Words& words) {
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  if (o.version) return print_ncu_version();
  if (const auto code = print_lists(o, app.count("--query-metrics-mode") > 0)) return *code;
  if (app.count("--print-units") == 0) o.units.clear();
  Result<NcuRequest> request = read_ncu_request(o);
  if (!request) return fail(request.problem(), kFailed);
  NcuOutput output(o.log_file);
  if (Status status = output.open(); !status) return fail(status.problem(), kFailed);
  if (!o.input.empty()) {
    if (!parsed.split.program.empty() || !parsed.split.compiler.empty())
      return fail(error("--import prints a kept profile and runs nothing", "leave out the program, or --import"),
                  kFailed);
    return print_ncu_imported(o, *request, output);
  }
  return profile_with(o, parsed.split, words, std::move(*request), output);
}

}  // namespace

Command ncu_command() {
  return make_command<NcuOptions>(
      {"ncu",
       "drywarp ncu [options] app.cu [-- arguments]\n"
       "drywarp ncu [options] ./app [arguments]\n"
       "drywarp ncu [options] --import run.dwprof\n\n"
       "Profiles a CUDA program and prints what Nsight Compute would print: its options, sections, metrics and CSV "
       "columns. The program needs no GPU. Counts of accesses are exact, times and rates are modelled. Through a link "
       "named ncu, drywarp is `drywarp ncu`.",
       "Lines that begin with ==DRYWARP== on standard error say which metrics are modelled and which are n/a.\n\n"
       "Examples:\n"
       "  drywarp ncu app.cu\n"
       "  drywarp ncu --csv --page raw --metrics regex:mem_global_op_ld ./app 1024\n"
       "  drywarp ncu -k regex:transpose -c 1 --set full ./app\n"},
      add_ncu_options, run_ncu);
}

}  // namespace drywarp::cli
