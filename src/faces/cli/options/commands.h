// The subcommands. Each takes the arguments after its name and returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace drywarp::cli {

struct Command;
using Words = std::vector<std::string>;

Command run_command();
Command profile_command();
Command nvcc_command();
Command occupancy_command();
Command calibrate_command();
Command explain_command();
Command devices_command();
Command latency_command();
Command documentation_command();

// `argv` as main() gets it.
int main_command(int argc, char** argv);

}  // namespace drywarp::cli
