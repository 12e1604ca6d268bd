#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_codes.h"

namespace drywarp::cli {
int profile_command(const Words&) { return kFailed; }
}  // namespace drywarp::cli
