// The subcommands. Each takes the arguments behind its name and returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace drywarp::cli {

using Words = std::vector<std::string>;

int run_command(const Words& arguments);
int profile_command(const Words& arguments);
int nvcc_command(const Words& arguments);
int occupancy_command(const Words& arguments);
int calibrate_command(const Words& arguments);
int explain_command(const Words& arguments);
int devices_command(const Words& arguments);
int latency_command(const Words& arguments);

// `argv` as main() gets it.
int main_command(int argc, char** argv);

}  // namespace drywarp::cli
