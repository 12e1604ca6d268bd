// The command that recorded a profile, for what runs it again: `drywarp what-if run.dwprof`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/support/result.h"
#include "faces/cli/options/command.h"

namespace drywarp::cli {

struct RecordedCommand {
  Words words;         // after "drywarp"
  std::string folder;  // that it was called in
  std::string device;
  std::map<std::string, std::vector<std::string>> sources;  // lines of its source files
};

// Fails if the file is no profile, or does not say how it was recorded.
Result<RecordedCommand> recorded_command(const std::string& profile);

// Goes to the folder of the command, and returns the source files that differ now. Fails if the folder is gone.
Result<std::vector<std::string>> go_back_to(const RecordedCommand& command);

}  // namespace drywarp::cli
