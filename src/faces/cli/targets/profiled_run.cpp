#include "faces/cli/targets/profiled_run.h"

#include <unistd.h>

#include <array>
#include <fstream>

#include "cuda/launch/options.h"
#include "faces/cli/options/console.h"
#include "faces/cli/options/exit_codes.h"
#include "profile/store/profile_reader.h"

namespace drywarp::cli {

bool is_profile_file(const std::string& path) {
  constexpr std::string_view kSqlite = "SQLite format 3";
  std::ifstream in(path, std::ios::binary);
  std::array<char, kSqlite.size()> head{};
  return in.read(head.data(), head.size()) && std::string_view(head.data(), head.size()) == kSqlite;
}

std::variant<record::Profile, int> profiled_run(const SplitArguments& split, const RunOptions& run,
                                                const PtxOptions& ptx) {
  const auto read = [](const std::string& file) -> std::variant<record::Profile, int> {
    Result<record::Profile> profile = store::read_profile(file);
    if (!profile) return fail(profile.problem(), kFailed);
    return std::move(*profile);
  };
  if (is_profile_file(split.program)) return read(split.program);
  auto prepared = is_ptx_file(split.program) ? prepare_ptx_target(split, ptx, run) : prepare_target(split, run);
  if (const auto* problem = std::get_if<TargetError>(&prepared))
    return problem->silent ? problem->exit_code : fail(problem->problem, problem->exit_code);
  auto& target = std::get<Target>(prepared);
  Result<compile::TemporaryFolder> folder = compile::TemporaryFolder::create();
  if (!folder) return fail(folder.problem(), kFailed);
  const std::string file = folder->path() + "/profile";
  target.request.environment.emplace_back(cuda::variable::profile, file);
  target.request.environment.emplace_back(cuda::variable::counters, "1");
  target.request.output_to_errors = true;
  const Result<ChildEnd> end = run_child(target.request);
  if (!end) return fail(end.problem(), kCannotRun);
  if (access(file.c_str(), F_OK) != 0)
    return fail(error("the program never used the CUDA runtime: there is nothing to answer from"), kFailed);
  if (end->signal != 0) warn("the program was killed: what follows is what its kernels did until then");
  return read(file);
}

}  // namespace drywarp::cli
