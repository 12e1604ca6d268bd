// Builds the embedded microbenchmarks with the machine's nvcc, runs them on its GPU and writes a device file.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/device/device_spec.h"
#include "base/support/plural.h"
#include "faces/calibrate/carried_sources.h"
#include "faces/calibrate/fit.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/compile/nvcc_options/process.h"

namespace drywarp::cli {
namespace {

using compile::Arguments;

struct CalibrateOptions {
  std::string output, nvcc = "nvcc", architecture = "native", raw, from;
};

// Runs a program with its standard output in the file `output`. An error has the last line of its standard error.
Status run_into(const Arguments& arguments, const std::string& output, const std::string& what) {
  const std::string errors = output + ".errors";
  auto process = compile::Process::start(
      {"/bin/sh", "-c", compile::quoted(arguments) + " > " + compile::quoted({output})}, errors);
  if (!process) return process.problem();
  const compile::Exit end = process->wait();
  if (end.ok()) return {};
  std::string said = compile::read_file(errors).ok() ? *compile::read_file(errors) : std::string();
  while (said.ends_with('\n')) said.pop_back();
  if (const size_t line = said.rfind('\n'); line != said.npos) said = said.substr(line + 1);
  return error(fmt::format("{} failed{}{}", what, said.empty() ? "" : ": ", said));
}

bool is_there(const std::string& program) {
  auto process =
      compile::Process::start({"/bin/sh", "-c", "command -v " + compile::quoted({program}) + " > /dev/null"});
  return process && process->wait().ok();
}

// Raw results of this machine: the microbenchmarks', and those of cuobjdump and Nsight Compute if installed.
Result<std::string> measure(const CalibrateOptions& options) {
  if (!is_there(options.nvcc))
    return error(fmt::format("calibration needs nvcc, and there is no '{}'", options.nvcc),
                 "run this on a machine with the GPU and NVIDIA's CUDA toolkit, or name its compiler with --nvcc");
  auto folder = compile::TemporaryFolder::create();
  if (!folder) return folder.problem();
  const std::string program = folder->path() + "/calibrate", output = folder->path() + "/output";
  Arguments build = {options.nvcc, "-std=c++17", "-O3", "-arch=" + options.architecture,
                     "--threads",  "0",          "-o",  program};
  for (const calibrate::CarriedSource& source : calibrate::carried_sources()) {
    const std::string path = fmt::format("{}/{}", folder->path(), source.name);
    if (const Status written = compile::write_file(path, std::string(source.text)); !written) return written.problem();
    if (source.name.ends_with(".cu")) build.push_back(path);
  }
  say("building the microbenchmarks\n");
  if (const Status built = run_into(build, output, "nvcc"); !built) return built.problem();
  say("running them on the GPU: keep it free of other work\n");
  if (const Status ran = run_into({program}, output, "the microbenchmarks"); !ran) return ran.problem();
  auto results = compile::read_file(output);
  if (!results) return results.problem();
  std::string text = *results;

  if (!is_there("cuobjdump"))
    warn("there is no cuobjdump: drywarp cannot check that the machine code measures what it should");
  else if (const Status listed = run_into({"cuobjdump", "-sass", program}, output, "cuobjdump"); !listed)
    warn(listed.problem().message);
  else if (const auto code = compile::read_file(output); code)
    text += calibrate::sass_lines(*code);

  // What a launch takes beside its own work depends on the profiler: with few counters it replays nothing, and an
  // H100's launches are 250 cycles longer. The basic set is what ncu counts if nobody asks for other counters.
  const Arguments counters = {"ncu",           "--clock-control",
                              "none",          "--csv",
                              "--page",        "raw",
                              "--print-units", "base",
                              "--set",         "basic",
                              "--metrics",     calibrate::counter_names(),
                              program,         "profile"};
  if (!is_there("ncu"))
    warn("there is no ncu: launch overhead, L2 slices and DRAM channels are not measured");
  else if (const Status counted = run_into(counters, output, "ncu"); !counted)
    warn(counted.problem().message + "; launch overhead, L2 slices and DRAM channels are not measured");
  else if (const auto csv = compile::read_file(output); csv)
    text += calibrate::counter_lines(*csv);
  return text;
}

// Checked before minutes of measuring.
Status check_writable(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const bool there = access(path.c_str(), F_OK) == 0;
  if (access(there ? path.c_str() : folder.empty() ? "." : folder.c_str(), W_OK) == 0) return {};
  return error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

int calibrate_to(const CalibrateOptions& options) {
  for (const std::string& path : {options.output, options.raw})
    if (const Status writable = path.empty() ? Status() : check_writable(path); !writable)
      return fail(writable.problem(), kFailed);
  const Result<std::string> text = options.from.empty() ? measure(options) : compile::read_file(options.from);
  if (!text) return fail(text.problem(), kFailed);
  if (!options.raw.empty())
    if (const Status written = compile::write_file(options.raw, *text); !written)
      return fail(written.problem(), kFailed);
  const auto raw = calibrate::parse_raw_results(*text, options.from.empty() ? "the microbenchmarks" : options.from);
  if (!raw) return fail(raw.problem(), kFailed);
  const calibrate::Calibration fitted = calibrate::fit(*raw);
  const std::string file = calibrate::device_file(fitted);
  const std::string id = std::filesystem::path(options.output).stem().string();
  if (const auto spec = device::parse_device(file, options.output, id); !spec)
    warn(fmt::format("the device file is incomplete: {}", spec.problem().to_string()));
  if (const Status written = compile::write_file(options.output, file); !written)
    return fail(written.problem(), kFailed);
  for (const std::string& missing : fitted.missing) say(fmt::format("not measured: {}\n", missing));
  fmt::print("{}: {} of {}. Use it with --device {}\n", options.output, plural(fitted.numbers.size(), "number"),
             fitted.name, options.output);
  return kSuccess;
}

void add_calibrate_options(CLI::App& app, CalibrateOptions& o) {
  app.add_option("-o,--output", o.output, "the device file to write; its name is the device's id")
      ->type_name("FILE")
      ->required();
  app.add_option("--nvcc", o.nvcc, "the CUDA compiler")->type_name("FILE")->capture_default_str();
  app.add_option("--arch", o.architecture, "nvcc's -arch")->type_name("ARCH")->capture_default_str();
  app.add_option("--raw", o.raw, "keep the raw results in this file")->type_name("FILE");
  app.add_option("--from", o.from, "measure nothing: make the device file from results of --raw")->type_name("FILE");
}

int calibrate_gpu(CLI::App& app, CalibrateOptions& options, const Words& words) {
  if (const auto code = parse_own(app, words)) return *code;
  return calibrate_to(options);
}

}  // namespace

Command calibrate_command() {
  return make_command<CalibrateOptions>(
      {"calibrate",
       "drywarp calibrate --output FILE.toml [options]\n\n"
       "Measures this machine's GPU and writes a device file: latency and rate of instructions, every level of memory, "
       "atomics, barriers, launches. Needs nvcc; uses cuobjdump and ncu if installed. Takes about a minute.",
       ""},
      add_calibrate_options, calibrate_gpu);
}

}  // namespace drywarp::cli
