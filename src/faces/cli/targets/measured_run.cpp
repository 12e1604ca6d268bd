#include "faces/cli/targets/measured_run.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "cuda/launch/options.h"
#include "faces/cli/targets/counted_run.h"
#include "model/whatif/what_if.h"
#include "profile/compare/compare.h"
#include "profile/report/model/model.h"

namespace drywarp::cli {
namespace {

using sweep::Measurement;
using sweep::Outcome;
using sweep::Request;
using sweep::Stage;

Result<SplitArguments> split_request(const Request& request) {
  CLI::App none;
  Words words = request.program;
  words.emplace_back("--");
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  auto split = split_arguments(none, words);
  if (split && !split->program.empty() && request.program.size() > 1)
    return error(fmt::format("'{}' is a program: '{}' needs sources", split->program, request.program[1]),
                 "macros, compile options and register caps are for .cu files");
  return split;
}

const char* time_mode(Stage stage) {
  static constexpr const char* kModes[] = {"off", "auto", "all"};
  return kModes[static_cast<size_t>(stage)];
}

// The launches that CUDA refused: calls that launch, without a record. A captured call is a node, and launches later.
uint64_t refused_launches(const record::Profile& profile) {
  uint64_t calls = 0;
  for (const record::ApiRecord& call : profile.api_calls) {
    if (call.name.find("Capture") != std::string::npos) return 0;
    calls += call.name.starts_with("cudaLaunchKernel") || call.name.starts_with("cuLaunchKernel") ||
             call.name.starts_with("cudaLaunchCooperativeKernel") || call.name.starts_with("cuLaunchCooperativeKernel");
  }
  return calls > profile.launches.size() ? calls - profile.launches.size() : 0;
}

// The cycles in which all SMs that the grid reaches can issue its PTX warp instructions, and pass its shared memory
// wavefronts: exact counts, and no latency. Code and caches may need more or, where ptxas saves instructions, less.
double least_cycles(const record::LaunchRecord& launch, const KernelInfo& kernel, const device::DeviceSpec& device) {
  const metrics::Sums sums = metrics::sum_launch(kernel, launch.counts);
  const auto sms = static_cast<double>(std::clamp<uint64_t>(launch.grid.count(), 1, device.multiprocessors));
  const double issue = static_cast<double>(sums.all().warps) / device.sub_partitions;
  return std::max(issue, static_cast<double>(sums.wavefronts())) / sms;
}

// How much longer or shorter a launch takes with the change; a launch that it does not apply to takes as long.
double changed_seconds(const sm::LaunchTime& time, const std::string& change) {
  const auto found = std::ranges::find(time.alternatives, change, &sm::Alternative::change);
  return found == time.alternatives.end() ? time.summary.duration_ns * 1e-9 : found->seconds;
}

std::string extent_text(const record::Extent& e) {
  return e.z != 1   ? fmt::format("{}x{}x{}", e.x, e.y, e.z)
         : e.y != 1 ? fmt::format("{}x{}", e.x, e.y)
                    : fmt::format("{}", e.x);
}

void add_kernels(Measurement& m, const record::Profile& profile, const Request& request) {
  report::ModelOptions options;
  options.lines = false;
  const report::ReportModel model = report::build_model(profile, options);
  bool all_timed = true;
  double total = 0;
  std::vector<double> changed(model.kernels.size());
  for (const report::LaunchModel& launch : model.launches)
    if (launch.record->time && !request.what_if.empty())
      changed[launch.kernel] += changed_seconds(*launch.record->time, request.what_if);
  for (size_t k = 0; k < model.kernels.size(); ++k) {
    const report::KernelModel& kernel = model.kernels[k];
    if (kernel.counted == 0) continue;
    sweep::MeasuredKernel measured{kernel.name, kernel.counted, kernel.registers, {}, {}, {}, {}, {}};
    if (kernel.costliest)
      measured.grid = extent_text(kernel.costliest->grid), measured.block = extent_text(kernel.costliest->block);
    if (kernel.time) {
      const report::Tally& tally = kernel.time->seconds;
      const double timed = request.what_if.empty() ? tally.total : changed[k];
      measured.seconds = timed * static_cast<double>(kernel.counted) / static_cast<double>(tally.count);
      m.extrapolated |= tally.count < kernel.counted;
      measured.occupancy = kernel.time->summary.theoretical_occupancy_pct;
      measured.limiter = compare::limiter_of(&kernel);
      total += *measured.seconds;
    } else {
      all_timed = false;
    }
    m.kernels.push_back(std::move(measured));
  }
  if (m.kernels.empty()) return;
  std::ranges::stable_sort(m.kernels, std::ranges::greater(), [](const auto& k) { return k.seconds.value_or(0); });
  if (all_timed) m.seconds = total;
  m.occupancy = m.kernels[0].occupancy;
  m.registers = m.kernels[0].registers;
}

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text.substr(text.rfind('\n') + 1).substr(0, 200);
}

// The command reads what the program printed. An empty text: it succeeded.
std::string verified(const std::string& command, const std::string& output) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);  // a command may not read
  FILE* pipe = popen(command.c_str(), "w");
  if (!pipe) return "the verification cannot be started";
  std::fwrite(output.data(), 1, output.size(), pipe);
  const int status = pclose(pipe);
  std::signal(SIGPIPE, before);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  return WIFEXITED(status) ? fmt::format("'{}' ended with exit code {}", command, WEXITSTATUS(status))
                           : fmt::format("'{}' was killed by signal {}", command, WTERMSIG(status));
}

void failed(Measurement& m, Outcome outcome, std::string reason) {
  m.outcome = outcome, m.reason = std::move(reason);
  m.seconds.reset();  // of a run that is no result
}

void judge(Measurement& m, const CountedRun& run, const CapturedOutput& captured, const Request& request) {
  const ChildExit& end = run.end;
  m.outcome = Outcome::Ok;
  // A program that ends well has not noticed: what it said is no reason.
  const std::string said = end.exit_code == 0 && end.signal == 0 ? "" : last_line(captured.text());
  const std::string tail = said.empty() ? "" : ": " + said;
  const auto faulty = std::ranges::find_if(run.profile.launches, [](const auto& l) { return !l.fault.empty(); });
  const uint64_t refused = refused_launches(run.profile);
  if (end.timed_out)
    failed(m, Outcome::TimedOut, fmt::format("the program ran longer than {} s", request.limit_seconds));
  else if (end.signal != 0)
    failed(m, Outcome::Crashed, fmt::format("signal {} ended the program{}", end.signal, tail));
  else if (refused != 0)
    failed(m, Outcome::DoesNotFit, fmt::format("{} refused{}", refused == 1 ? "a launch was" : "launches were", tail));
  else if (faulty != run.profile.launches.end())
    failed(m, Outcome::Crashed, faulty->fault);
  else if (end.exit_code != 0)
    failed(m, Outcome::Wrong, fmt::format("the program's exit code is {}{}", end.exit_code, tail));
  else if (std::ranges::none_of(run.profile.launches, &record::LaunchRecord::counted))
    failed(m, Outcome::Failed, "the program launched no kernel");
  else if (std::string wrong = request.verify.empty() ? "" : verified(request.verify, captured.text()); !wrong.empty())
    failed(m, Outcome::Wrong, std::move(wrong));
  else if (request.stage != Stage::Counts && !m.seconds) {
    const auto untimed = std::ranges::find_if(run.profile.launches, [](const auto& l) { return !l.untimed.empty(); });
    failed(m, Outcome::Failed,
           untimed == run.profile.launches.end() ? "a kernel has no modelled time" : untimed->untimed);
  }
}

void run_request(Measurement& m, const Request& request) {
  const auto split = split_request(request);
  if (!split) return failed(m, Outcome::Failed, split.problem().message);
  CountedOptions options;
  options.run.device = request.device;
  options.run.workers = request.workers;
  options.filters.kernel = request.kernel;
  const auto device = device::load_device(request.device);
  if (!device) return failed(m, Outcome::Failed, device.problem().message);
  if (Status status = check_pattern(request.kernel); !status)
    return failed(m, Outcome::Failed, status.problem().message);
  if (!request.what_if.empty())
    if (const auto questions = whatif::parse_questions(request.what_if); !questions)
      return failed(m, Outcome::Failed, questions.problem().message);
  auto prepared = prepare_counted(*split, options);
  if (const auto* problem = std::get_if<TargetError>(&prepared))
    return failed(m, problem->silent ? Outcome::DoesNotCompile : Outcome::Failed, problem->problem.message);
  auto captured = CapturedOutput::silently();
  if (!captured) return failed(m, Outcome::Failed, captured.problem().message);
  Wanted wanted;
  wanted.purpose = "measure";
  wanted.as_is = wanted.no_input = true;
  wanted.captured = &*captured;
  wanted.limit_seconds = request.limit_seconds;
  wanted.settings = {{cuda::variable::time, time_mode(request.stage)}};
  if (!request.what_if.empty() && request.stage != Stage::Counts)
    wanted.settings.emplace_back(cuda::variable::what_if, request.what_if);
  auto ran = run_prepared(std::move(std::get<Target>(prepared)), options.filters, wanted);
  if (std::holds_alternative<int>(ran)) return failed(m, Outcome::Failed, "");
  const auto& run = std::get<CountedRun>(ran);
  add_kernels(m, run.profile, request);
  double cycles = 0;
  for (const record::LaunchRecord& launch : run.profile.launches)
    if (launch.counted) cycles += least_cycles(launch, *run.profile.kernels[launch.kernel], *device);
  if (!m.kernels.empty()) m.cycles = cycles;
  judge(m, run, *captured, request);
}

}  // namespace

sweep::Measurement measure_request(const Request& request) {
  const auto begin = std::chrono::steady_clock::now();
  Measurement m;
  m.stage = request.stage;
  run_request(m, request);
  m.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return m;
}

}  // namespace drywarp::cli
