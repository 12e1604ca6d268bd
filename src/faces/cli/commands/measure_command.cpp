#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <iterator>

#include "base/support/whole_file.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/measured_run.h"

namespace drywarp::cli {
namespace {

struct MeasureOptions {
  std::string request, result, stage = "whole";
  sweep::Request run;
  bool json = false;
};

void add_measure_options(CLI::App& app, MeasureOptions& o) {
  app.add_flag("--json", o.json,
               "read the request as JSON from standard input, unless the command line names a program");
  app.add_option("--request", o.request, "read the request from a file")->type_name("FILE");
  app.add_option("--result", o.result, "write the answer to a file, not to standard output")->type_name("FILE");
  app.add_option("--device", o.run.device, "GPU to simulate: a name or a device file (default: h200)")
      ->type_name("DEVICE");
  app.add_option("--kernel", o.run.kernel, "measure only kernels whose name matches this regular expression")
      ->type_name("REGEX");
  app.add_option("--what-if", o.run.what_if, "the time with this change of `drywarp what-if --list`")
      ->type_name("CHANGE");
  app.add_option("--verify", o.run.verify,
                 "a shell command that reads the program's output; the result is wrong if it fails")
      ->type_name("COMMAND");
  app.add_option("--stage", o.stage,
                 "counts alone, the time of a bounded share of the work, or the time of every launch")
      ->type_name("counts|slice|whole")
      ->check(CLI::IsMember({"counts", "slice", "whole"}))
      ->capture_default_str();
  app.add_option("--limit", o.run.limit_seconds, "seconds that the program may run")
      ->type_name("SECONDS")
      ->check(not_negative());
  app.add_option("--workers", o.run.workers, "threads that run blocks; 0: one per core")->type_name("N");
}

Result<sweep::Request> request_of(const MeasureOptions& o, const SplitArguments& split) {
  if (!o.request.empty()) {
    const auto text = read_whole(o.request);
    if (!text) return error(fmt::format("cannot read '{}': {}", o.request, std::strerror(errno)));
    return sweep::parse_request(*text, o.request);
  }
  // The answer is JSON in any case, so `--json app.cu` is clear, too.
  const bool named = !split.compiler.empty() || !split.program.empty();
  if (o.json && !named)
    return sweep::parse_request(std::string(std::istreambuf_iterator<char>(std::cin), {}), "standard input");
  sweep::Request request = o.run;
  request.stage = *sweep::parse_stage(o.stage);
  request.program = split.compiler;
  if (!split.program.empty()) request.program = {split.program};
  request.arguments = split.arguments;
  if (request.program.empty())
    return error("nothing to measure", "name a .cu file or a program, or give a request with --json");
  return request;
}

int measure_program(CLI::App& app, MeasureOptions& o, const Words& words) {
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  const auto request = request_of(o, parsed.split);
  if (!request) return fail(request.problem(), kFailed);
  const sweep::Measurement measurement = measure_request(*request);
  const std::string answer = sweep::text(sweep::to_json(measurement), o.result.empty() ? 1 : -1) + "\n";
  if (!o.result.empty()) {
    if (!write_whole(o.result, answer))
      return fail(error(fmt::format("cannot write '{}': {}", o.result, std::strerror(errno))), kFailed);
  } else {
    std::cout << answer;
  }
  return measurement.outcome == sweep::Outcome::Ok ? kSuccess : kBroken;
}

}  // namespace

Command measure_command() {
  return make_command<MeasureOptions>(
      {"measure",
       "drywarp measure --json < request.json\n"
       "drywarp measure [options] [compile options] app.cu... [-- arguments]\n"
       "drywarp measure [options] ./app [arguments]\n\n"
       "Measures one configuration of a program for a tuner: its modelled time, occupancy and registers, as JSON. "
       "The request is JSON too, or a command line. docs/sweep.md has the keys of both.",
       "  echo '{\"program\": [\"matmul.cu\"], \"macros\": {\"BM\": 64}, \"device\": \"a100\"}' |\n"
       "    drywarp measure --json\n"
       "\nThe exit code is 0 for a measurement and 123 for a configuration that failed, whose \"outcome\" and "
       "\"reason\" say why. 125 means that there is no answer."},
      add_measure_options, measure_program);
}

}  // namespace drywarp::cli
