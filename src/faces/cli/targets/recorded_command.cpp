#include "faces/cli/targets/recorded_command.h"

#include <fmt/format.h>

#include <filesystem>

#include "faces/compile/nvcc_options/process.h"
#include "profile/report/model/parts.h"
#include "profile/store/profile_reader.h"

namespace drywarp::cli {

Result<RecordedCommand> recorded_command(const std::string& profile) {
  Result<record::Profile> read = store::read_profile(profile);
  if (!read) return read.problem();
  record::KeptFacts& kept = read->kept;
  RecordedCommand command{compile::unquoted(kept.command), kept.folder, kept.device_id, std::move(kept.sources)};
  if (command.words.size() < 2)
    return error(fmt::format("{} does not say how it was recorded: its run was killed", profile),
                 "give the program itself, with its options");
  command.words.erase(command.words.begin());
  return command;
}

Result<std::vector<std::string>> go_back_to(const RecordedCommand& command) {
  std::error_code problem;
  std::filesystem::current_path(command.folder, problem);
  if (problem)
    return error(fmt::format("'{}', where the profile was recorded: {}", command.folder, problem.message()),
                 "give the program itself, with its options");
  std::vector<std::string> changed;
  for (const auto& [file, lines] : command.sources)
    if (!lines.empty() && report::read_source(file) != lines) changed.push_back(file);
  return changed;
}

}  // namespace drywarp::cli
