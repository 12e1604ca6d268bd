#include "faces/cli/targets/counted_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "cuda/launch/options.h"
#include "faces/cli/options/console.h"
#include "profile/store/profile_reader.h"

namespace drywarp::cli {
namespace {

std::string whole_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

void warn_of_end(const ChildExit& end) {
  if (end.signal != 0)
    warn(fmt::format("the program was killed by signal {}: its kernels until then are shown", end.signal));
  else if (end.exit_code != 0)
    warn(fmt::format("the program ended with exit code {}", end.exit_code));
}

std::variant<Target, TargetError> prepare_counted(const SplitArguments& split, const CountedOptions& options) {
  const bool ptx = is_ptx_file(split.program);
  if (!ptx && options.ptx.given())
    return TargetError{
        error("--entry, --grid, --block, --shared, --arg and --dump are for a PTX file", "name a .ptx file"), kFailed};
  auto prepared = ptx ? prepare_ptx_target(split, options.ptx, options.run) : prepare_target(split, options.run);
  if (auto* target = std::get_if<Target>(&prepared)) {
    pass_compiled(target->request, options.compiled);
    pass_filters(target->request, options.filters);
  }
  return prepared;
}

std::variant<CountedRun, int> run_counted(const SplitArguments& split, const CountedOptions& options,
                                          const Wanted& wanted) {
  auto prepared = prepare_counted(split, options);
  if (const auto* problem = std::get_if<TargetError>(&prepared))
    return problem->silent ? problem->exit_code : fail(problem->problem, problem->exit_code);
  return run_prepared(std::move(std::get<Target>(prepared)), options.filters, wanted);
}

std::variant<CountedRun, int> run_prepared(Target target, const Filters& filters, const Wanted& wanted) {
  // Removed on return, before anything is written: SIGPIPE would end this process without it.
  const Result<compile::TemporaryFolder> folder = compile::TemporaryFolder::create();
  if (!folder) return fail(folder.problem(), kFailed);
  const std::string file = wanted.kept ? wanted.kept->path() : folder->path() + "/profile";
  const std::string samples = folder->path() + "/samples";
  auto& environment = target.request.environment;
  environment.emplace_back(cuda::variable::profile, file);
  environment.emplace_back(cuda::variable::counters, "1");
  if (wanted.samples) environment.emplace_back(cuda::variable::samples, samples);
  if (wanted.kept)
    for (const char* variable : {cuda::variable::drawings, cuda::variable::keep_samples})
      environment.emplace_back(variable, "1");
  environment.insert(environment.end(), wanted.settings.begin(), wanted.settings.end());
  target.request.output_to_errors = wanted.output_to_errors;
  target.request.captured = wanted.kept ? &wanted.kept->output() : wanted.captured;
  target.request.limit_seconds = wanted.limit_seconds;
  target.request.no_input = wanted.no_input;
  std::optional<Announcements> announcements;
  if (wanted.heard) {
    const std::string socket = folder->path() + "/launches";
    auto listening = Announcements::at(socket, wanted.heard);
    if (!listening) return fail(listening.problem(), kFailed);
    announcements.emplace(std::move(*listening));
    environment.emplace_back(cuda::variable::announce, socket);
  }
  const Result<ChildExit> end = run_child(target.request);
  announcements.reset();
  target.folder.reset();
  if (!end) return fail(end.problem(), kCannotRun);
  if (!wanted.as_is) warn_of_end(*end);
  const bool written = wanted.kept ? wanted.kept->written() : access(file.c_str(), F_OK) == 0;
  if (!written && wanted.as_is) return CountedRun{{}, *end, ""};
  if (!written)
    return fail(error(fmt::format("the program never used the CUDA runtime: there is nothing to {}", wanted.purpose)),
                kFailed);
  Result<record::Profile> profile = store::read_profile(file);
  if (!profile) return fail(profile.problem(), kFailed);
  profile->signal = end->signal, profile->exit_code = end->exit_code;
  if (end->signal != 0) profile->complete = false;
  if (Status status = check_filters(filters, *profile); !status) {
    if (end->signal == 0) {
      if (wanted.as_is) warn_of_end(*end);  // our exit code hides the program's
      if (wanted.kept) wanted.kept->remove();
      return fail(status.problem(), kFailed);
    }
    warn(status.problem().message + ": " + status.problem().hint);
  }
  return CountedRun{std::move(*profile), *end, wanted.samples ? whole_file(samples) : std::string()};
}

}  // namespace drywarp::cli
